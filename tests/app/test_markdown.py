"""Text of documents and vocabularies in sentences of the pages."""

from __future__ import annotations

import pytest

from pages.components.markdown import code, escaped, plain, shortened

TURNED = "\u2066\u202equota \u2067fo\u2069 gnirreh"


@pytest.mark.parametrize("said", [escaped, plain, shortened, code])
def test_a_name_turns_round_nothing_behind_it(said) -> None:
    assert said(TURNED).strip("`") == "quota fo gnirreh"
    assert said("שלום, Straße é").strip("`") == "שלום, Straße é"


def test_signs_of_markdown_stay_text() -> None:
    assert escaped("[a](b) *c*") == r"\[a\](b) \*c\*"

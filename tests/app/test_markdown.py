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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (":smile: :+1:", "&#58;smile&#58; &#58;+1&#58;"),
        ("a:b:smile: x", "a&#58;b&#58;smile&#58; x"),
        (":red[a] :material/info:", r"&#58;red\[a\] &#58;material/info:"),
        ("act.txt: at 10:30", "act.txt: at 10&#58;30"),
        ("R&D &amp; &#58;", r"R&D \&amp; \&\#58;"),
    ],
)
def test_neither_emoji_nor_icons_nor_entities_are_made_of_a_name(text: str, said: str) -> None:
    assert escaped(text) == said

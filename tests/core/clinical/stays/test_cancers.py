"""Cancers that are over, and those that are treated or there."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from core.clinical.names.clinical_words import words_of
from core.clinical.stays.cancers import cancers
from tests.core.clinical.stays.conftest import MakesNote


def test_an_operation_in_the_year_of_the_note_may_be_that_of_the_stay(note: MakesNote) -> None:
    made = note("Colon cancer, resected 2026", C189="Colon cancer")
    assert list(cancers(made))
    (part,) = made.document.parts
    dated = replace(made.document, parts=(replace(part, date=date(2026, 3, 1)),))
    assert not list(cancers(replace(made, document=dated)))


def test_a_year_behind_an_abbreviated_cancer_is_no_level_of_calcium() -> None:
    def keys(text: str) -> set[str]:
        return {key for word in words_of(text) for key in word.keys}

    assert "malign" in keys("breast ca 2005")
    assert "malign" not in keys("renal Ca 9.1") | keys("kidney ca 2.4")

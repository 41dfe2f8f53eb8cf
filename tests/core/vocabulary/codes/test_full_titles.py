"""Titles that only continue that of their category."""

from __future__ import annotations

import pytest

from core.vocabulary.codes.full_titles import full_title
from core.vocabulary.concepts import Concept, Hierarchy

ROWS = (
    ("V13", "Personal history of other diseases", ""),
    ("V13.0", "Personal history of disorders of urinary system", "V13"),
    ("V13.02", "Urinary (tract) infection", "V13.0"),
    ("V13.09", "Other personal history of disorders of urinary system", "V13.0"),
    ("V13.8", "HIV disease", "V13"),
    ("786.2", "Cough", ""),
)


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("V13.02", "Personal history of urinary (tract) infection"),
        ("V13.8", "Personal history of HIV disease"),
        ("V13.09", "Other personal history of disorders of urinary system"),
        ("V13.0", "Personal history of disorders of urinary system"),
        ("786.2", "Cough"),
    ],
)
def test_a_title_that_continues_its_category_is_completed(code: str, title: str) -> None:
    concepts = [
        Concept(code, f"http://x/{code}", code, {"en": label}, broader=(above,) if above else ())
        for code, label, above in ROWS
    ]
    assert full_title(code, Hierarchy(concepts, vocabulary_id="icd9cm", version="v32")) == title
    assert full_title("V13.02", Hierarchy(concepts, vocabulary_id="list", version="1")) == (
        "Urinary (tract) infection"
    )

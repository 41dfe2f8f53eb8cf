"""Titles that only continue that of their category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.review.reports.outline import outline
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.opening import with_names
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.full_titles import full_title
from tests.support.garden import finished, note

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


def history() -> Hierarchy:
    """The rows, with the disease itself, as codes of ICD-9-CM."""
    rows = (*ROWS, ("599.0", "Urinary tract infection, site not specified", ""))
    above = {broader for _, _, broader in rows}
    return Hierarchy(
        [
            Concept(
                code,
                f"http://x/{code}",
                code,
                {"en": label},
                broader=(broader,) if broader else (),
                assignable=code not in above,
            )
            for code, label, broader in rows
        ],
        vocabulary_id="icd9cm",
        version="v32",
    )


PAST = Document.from_text("n", "Visit", "Past medical history: urinary tract infection, resolved.")


BURNING = "Burning on passing water, cloudy, treated twice, week {}."


def suggesters(folder: Path) -> Iterator[tuple[Suggester, Document]]:
    """By names alone, and by what was decided on similar notes; each with what it reads."""
    matcher = LexicalMatcher(history())
    yield CodesSuggester(matcher, shipped("alone")), PAST
    corrected = with_names(None, history(), folder, learns=True)
    assert isinstance(corrected, CorrectedSuggester)
    similar = [note(n, "Visit", BURNING.format(n)) for n in range(12)]
    corrected.learn(
        [
            replace(one, suggested=corrected.chances(one.document))
            for one in (finished(document, ("V13.02",)) for document in similar)
        ]
    )
    yield corrected, note(99, "Visit", BURNING.format(99))


def test_suggestions_and_rows_have_complete_titles(tmp_path: Path) -> None:
    whole = "Personal history of urinary (tract) infection"
    for suggester, document in suggesters(tmp_path):
        found = suggester.suggest(document, limit=20).suggestions
        titles = {row.concept_id: row.pref_label for row in found}
        assert titles.get("V13.02") == whole, type(suggester).__name__
    (row,) = (one for one in outline(["V13.02"], hierarchy=history()) if one["id"] == "V13.02")
    assert row["label"] == whole

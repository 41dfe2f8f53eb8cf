"""Uncertain diagnoses count for inpatients alone."""

from __future__ import annotations

import pytest

from core.clinical.encounters import Note, encounter
from core.clinical.ranking.suggester import CodesSuggester
from core.clinical.stay import Stay

TEXT = "Cough, probable pneumonia. Pain in right knee."


@pytest.mark.parametrize(
    ("kind", "chosen", "coded"),
    [
        ("Emergency note", "", False),
        ("Clinic note", "", False),
        ("Discharge summary", "", True),
        ("Emergency note", "inpatient", True),
        ("Discharge summary", "observation", False),
    ],
)
def test_what_is_probable_is_coded_of_inpatients(
    names: CodesSuggester, kind: str, chosen: str, coded: bool
) -> None:
    document = encounter("e", "", [Note(TEXT, kind)], stay=Stay(encounter_class=chosen))
    chances = names.chances(document)
    assert (chances["J18.9"] > chances["R05"]) is coded
    assert (names.ranked(document, None).denied.get("J18.9") is None) is coded
    assert "R05" not in names.ranked(document, None).denied


@pytest.mark.parametrize("kind", ["Emergency note", "Discharge summary"])
@pytest.mark.parametrize("text", ["Fever, ?pneumonia.", "Pneumonia? Film clear."])
def test_what_is_asked_is_coded_of_nobody(names: CodesSuggester, kind: str, text: str) -> None:
    document = encounter("e", "", [Note(text, kind)])
    assert "J18.9" in names.ranked(document, None).denied


def test_what_was_asked_and_is_answered_is_coded(names: CodesSuggester) -> None:
    document = encounter("e", "", [Note("?pneumonia - confirmed on film.", "Emergency note")])
    assert "J18.9" not in names.ranked(document, None).denied

"""Allergies, and drugs that are taken for long or no longer."""

from __future__ import annotations

import pytest

from core.suggest.stays.taken import no_longer_taken, taken
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Allergies: penicillin, sulfa, latex\nPlan: rest", ["Z88.0", "Z88.2", "Z91.040"]),
        ("ALLERGIES:\nPCN (hives)\ncodeine\n", ["Z88.0", "Z88.5"]),
        ("Allergies: no penicillin allergy", []),
        ("Plan: penicillin", []),
    ],
)
def test_what_stands_under_allergies_is_one(note: MakesNote, text: str, codes: list[str]) -> None:
    assert [one.code for one in taken(note(text))] == codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Prednisone 10 mg daily for rheumatoid arthritis.", ["Z79.52"]),
        ("Prednisone 40 mg daily for 5 days.", []),
        ("Prednisone 40 mg daily, taper over two weeks.", []),
        ("Aspirin 75 mg, donepezil.", ["Z79.82"]),
        ("Stopped aspirin 81 mg.", []),
    ],
)
def test_what_is_taken_daily_is_long_term_use(note: MakesNote, text: str, codes: list[str]) -> None:
    assert [one.code for one in taken(note(text))] == codes


@pytest.mark.parametrize(
    ("text", "is_over"),
    [
        ("Stopped warfarin.", True),
        ("Stopped: warfarin.", True),
        ("The warfarin was discontinued.", True),
        ("Stopped warfarin before surgery.", False),
        ("She stopped taking warfarin.", False),
        ("Warfarin at home.", False),
    ],
)
def test_a_drug_that_was_stopped_is_no_long_term_use(
    note: MakesNote, text: str, is_over: bool
) -> None:
    word = "Warfarin" if text.startswith("Warfarin") else "warfarin"
    assert no_longer_taken(note(text, Z7901=word)) == (["Z79.01"] if is_over else [])

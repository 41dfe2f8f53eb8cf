"""Which diagnosis of a note stands first."""

from __future__ import annotations

import pytest

from core.clinical.ranking.principal import weight, with_principal
from tests.core.clinical.stays.conftest import MakesNote


def first(note: MakesNote, text: str, listed: tuple[str, ...] = (), **named: str) -> str:
    made = note(text, **named)
    lines = [(code,) for code in listed]
    ranked = with_principal(made.chances | {"I10": 0.98}, lines, made)
    return max(ranked, key=lambda code: ranked[code])


def test_what_is_acute_stands_before_what_is_chronic(note: MakesNote) -> None:
    text = "Hypertension. Admitted with NSTEMI."
    assert first(note, text, I10="Hypertension", I214="NSTEMI") == "I21.4"


def test_the_first_of_a_list_stands_first(note: MakesNote) -> None:
    text = "1. Gout 2. NSTEMI"
    assert first(note, text, ("M10.9", "I21.4"), M109="Gout", I214="NSTEMI") == "M10.9"


@pytest.mark.parametrize(
    ("codes", "principal"),
    [
        ({"I5033": "heart failure", "I130": "hypertensive"}, "I13.0"),
        ({"N390": "heart failure", "A4151": "hypertensive"}, "A41.51"),
        ({"J189": "heart failure", "J440": "hypertensive"}, "J44.0"),
    ],
)
def test_what_says_a_listed_disease_with_another_one_stands_before_it(
    note: MakesNote, codes: dict[str, str], principal: str
) -> None:
    listed = tuple(f"{code[:3]}.{code[3:]}" for code in list(codes)[:1])
    assert first(note, "heart failure, hypertensive", listed, **codes) == principal


def test_a_birth_stands_first_whatever_is_listed(note: MakesNote) -> None:
    assert (
        first(note, "1. Jaundice. Liveborn", ("P59.9",), P599="Jaundice", Z3800="Liveborn")
        == "Z38.00"
    )


def test_what_is_denied_is_not_raised(note: MakesNote) -> None:
    made = note("Gout")
    assert with_principal({"I21.4": 0.4, "I10": 0.9}, (), made) == {"I21.4": 0.4, "I10": 0.9}


@pytest.mark.parametrize(
    ("code", "expected"),
    [("T39.1X2A", 70), ("T39.1X5A", 2), ("Z38.30", 90), ("R07.9", 15), ("Z79.4", 0)],
)
def test_weights_are_by_the_longest_beginning(code: str, expected: int) -> None:
    assert weight(code) == expected


def test_a_complication_of_care_that_is_told_late_came_during_the_stay(note: MakesNote) -> None:
    text = "Perforated diverticulitis, resected. On day nine, after a slow recovery, the wound was infected."
    named = {"K5720": "diverticulitis", "T8141XA": "infected"}
    assert first(note, text, **named) == "K57.20"
    assert first(note, "Wound infected. Gout", M109="Gout", T8141XA="infected") == "T81.41XA"

"""External causes and the place where they took effect."""

from __future__ import annotations

import pytest

from core.suggest.stays.places import places
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("in the kitchen of her single-family house", "Y92.010"),
        ("in the bathroom at home", "Y92.002"),
        ("in the bedroom of his apartment", "Y92.032"),
        ("at home", "Y92.009"),
        ("in the nursing home", "Y92.129"),
    ],
)
def test_an_injury_has_its_cause_and_its_place(note: MakesNote, where: str, code: str) -> None:
    text = f"Hip fracture: tripped {where}."
    found = [one.code for one in places(note(text, S72001A="Hip fracture", W010XXA="tripped"))]
    assert found == ["W01.0XXA", code]


def test_how_it_happened_says_more_than_a_fall(note: MakesNote) -> None:
    text = "Hip fracture: tripped and fell."
    named = {"S72001A": "Hip fracture", "W010XXA": "tripped", "W19XXXA": "fell"}
    assert [one.code for one in places(note(text, **named))] == ["W01.0XXA"]


def test_without_an_injury_nothing_has_a_cause(note: MakesNote) -> None:
    text = "Anemia: the hemoglobin fell after chemotherapy."
    assert not list(places(note(text, T451X5A="chemotherapy", W19XXXA="fell")))

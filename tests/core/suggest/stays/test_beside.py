"""What is not coded beside another code."""

from __future__ import annotations

import pytest

from core.suggest.stays.beside import behind, is_kept
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "named", "gone"),
    [
        (
            "melena, bleeding duodenal ulcer",
            {"K921": "melena", "K264": "bleeding duodenal ulcer"},
            "K92.1",
        ),
        ("GDM and diabetes", {"O24410": "GDM", "E119": "diabetes"}, "E11.9"),
        (
            "pulmonary edema, heart failure",
            {"J811": "pulmonary edema", "I509": "heart failure"},
            "J81.1",
        ),
        ("Hb fell, anemia", {"W19XXXA": "fell", "D649": "anemia"}, "W19.XXXA"),
        ("homeless, on the street", {"Z5900": "homeless", "Z5902": "on the street"}, "Z59.00"),
        ("DM2. Potassium treated with insulin/D50", {"E119": "DM2", "Z794": "insulin"}, "Z79.4"),
        (
            "elective left hip replacement",
            {"M1612": "left hip", "Z96642": "left hip replacement"},
            "Z96.642",
        ),
    ],
)
def test_one_of_two_is_not_given(
    note: MakesNote, text: str, named: dict[str, str], gone: str
) -> None:
    assert set(behind(note(text, **named))) == {gone}


def test_what_stands_alone_is_given(note: MakesNote) -> None:
    assert not list(behind(note("melena", K921="melena")))
    assert not list(behind(note("DM2 on home insulin", E119="DM2", Z794="insulin")))
    assert not list(behind(note("hip replacement in 2019", Z96642="hip replacement")))


def test_deficits_and_severe_sepsis_are_no_mere_symptoms(note: MakesNote) -> None:
    stroke = note("stroke with aphasia, fever", I639="stroke", R4701="aphasia", R509="fever")
    assert is_kept("R47.01", stroke) and not is_kept("R50.9", stroke)
    assert is_kept("R56.9", stroke)
    assert not is_kept("R56.9", note("epilepsy", G40909="epilepsy"))

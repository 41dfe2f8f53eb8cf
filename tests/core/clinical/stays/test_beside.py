"""What is not coded beside another code."""

from __future__ import annotations

from core.clinical.stays.beside import behind, is_kept
from tests.core.clinical.stays.conftest import MakesNote


def test_deficits_and_severe_sepsis_are_no_mere_symptoms(note: MakesNote) -> None:
    stroke = note("stroke with aphasia, fever", I639="stroke", R4701="aphasia", R509="fever")
    assert is_kept("R47.01", stroke) and not is_kept("R50.9", stroke)
    assert is_kept("R56.9", stroke)
    assert not is_kept("R56.9", note("epilepsy", G40909="epilepsy"))


def test_a_fever_belongs_to_a_pneumonia(note: MakesNote) -> None:
    made = note("fever, pneumonia", R509="fever", J189="pneumonia")
    assert not is_kept("R50.9", made) and set(behind(made)) == {"R50.9"}


def test_bacteremia_is_coded_unless_there_is_a_sepsis(note: MakesNote) -> None:
    assert is_kept("R78.81", note("MSSA bacteremia", R7881="bacteremia", B9561="MSSA"))
    septic = note("Sepsis with bacteremia", R7881="bacteremia", A4101="Sepsis")
    assert "R78.81" in list(behind(septic))

"""Sepsis and pneumonia with their germs."""

from __future__ import annotations

import pytest

from core.suggest.stays.beside import behind, is_kept
from core.suggest.stays.germs import germs
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "named", "code"),
    [
        ("Sepsis. Blood cultures grew E. coli.", {"A419": "Sepsis"}, "A41.51"),
        ("Sepsis with MRSA bacteremia", {"A419": "Sepsis"}, "A41.02"),
        ("Sepsis. BCx 2/2 Klebsiella oxytoca", {"A419": "Sepsis"}, "A41.59"),
        ("Pneumonia. Sputum grew MSSA.", {"J189": "Pneumonia"}, "J15.211"),
        ("Pneumonia, pneumococcal antigen positive", {"J189": "Pneumonia"}, "J13"),
    ],
)
def test_a_named_germ_is_said_by_the_code(
    note: MakesNote, text: str, named: dict[str, str], code: str
) -> None:
    (found,) = germs(note(text, **named))
    general = "A41.9" if "A419" in named else "J18.9"
    assert (found.code, found.replaced) == (code, (general,))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Sepsis. Urine grew E. coli.", {"A419": "Sepsis"}),
        ("Sepsis. Blood cultures negative for MRSA.", {"A419": "Sepsis"}),
        ("Sepsis. Blood cultures grew E. coli and Pseudomonas.", {"A419": "Sepsis"}),
        ("Blood cultures grew E. coli.", {"N390": "coli"}),
    ],
)
def test_elsewhere_denied_or_one_of_several_a_germ_says_nothing(
    note: MakesNote, text: str, named: dict[str, str]
) -> None:
    assert not list(germs(note(text, **named)))


def test_the_germ_stays_beside_an_infection_that_names_none(note: MakesNote) -> None:
    text = "Sepsis due to E. coli UTI"
    (alone,) = germs(note(text, A419="Sepsis", B9620="E. coli"))
    (beside,) = germs(note(text, A419="Sepsis", B9620="E. coli", N390="UTI"))
    assert alone.replaced == ("A41.9", "B96.20") and beside.replaced == ("A41.9",)


def test_bacteremia_is_coded_unless_there_is_a_sepsis(note: MakesNote) -> None:
    assert is_kept("R78.81", note("MSSA bacteremia", R7881="bacteremia", B9561="MSSA"))
    septic = note("Sepsis with bacteremia", R7881="bacteremia", A4101="Sepsis")
    assert "R78.81" in list(behind(septic))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Septic shock due to MRSA bacteremia", "A41.02"),
        ("E. coli UTI with septic shock", "A41.51"),
        ("MSSA bacteremia. BCx cleared. Septic shock, on pressors.", "A41.01"),
        ("Septic shock, source unclear", "A41.9"),
        ("Septic shock; urine grew E. coli", "A41.9"),
    ],
)
def test_a_septic_shock_is_that_of_a_sepsis(note: MakesNote, text: str, code: str) -> None:
    shock = "Septic shock" if "Septic" in text else "septic shock"
    (found,) = germs(note(text, R6521=shock))
    assert found.code == code and not found.replaced


def test_a_septic_shock_with_its_own_sepsis_has_no_other(note: MakesNote) -> None:
    text = "Pneumococcal sepsis with septic shock"
    assert not list(germs(note(text, A403="Pneumococcal sepsis", R6521="septic shock")))
    text = "Newborn admission: male infant. Mother well. Septic shock."
    assert not list(germs(note(text, R6521="Septic shock")))

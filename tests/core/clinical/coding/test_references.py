"""Codes named in the wording of the tabular list, in all the ways in which it names them."""

from __future__ import annotations

import pytest

from core.clinical.instructions import references


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("secondary diabetes (E08.-)", "E08 E08.9 E08.621", "E09.9 E07.9"),
        ("insulin (Z79.4)", "Z79.4", "Z79.84 Z79"),
        ("hypertension (I10-I1A)", "I10 I16.9 I1A.0", "I20.9 I09.9"),
        ("pregnancy (O00-O07, O08.-)", "O00.1 O07.4 O08.9", "O09.90"),
        ("drugs (T36-T50 with fifth or sixth character 5)", "T36.0X5A T50.905A", "T50.901A"),
        ("poisoning (T36-T65 with fifth or sixth character 1-4)", "T50.904A T36.0X1A", "T36.0X5A"),
        ("neuropathy (E08-E13 with .51-.52)", "E11.51 E13.52", "E11.53 E14.51"),
        ("withdrawal (F10-F19 with .17, .27, .97)", "F10.27 F19.97", "F10.28"),
        ("sequelae (I69. with final characters -23)", "I69.023 I69.823", "I69.022"),
        ("underdosing (T36-T50 with final character 6)", "T38.3X6", "T38.3X5"),
        ("open fracture (S42.- with 7th character B or C)", "S42.001B S42.001C", "S42.001A"),
        ("pneumonia (A37 with fifth-character 1)", "A37.01", "A37.00"),
        ("pelvis (S32.1--S32.9 with 7th character B)", "S32.10XB S32.9XXB", "S32.10XA S32.01XB"),
        ("learning (F98.2.-F98.3)", "F98.21 F98.3", "F98.4"),
        ("toxic effect (T51-T65 with fifth or sixth character to indicate intent)", "T58.01XA", ""),
        ("(G6PD) deficiency anemia (D55.0)", "D55.0", "G60.0"),
        ("infections classified to A00-B99", "A41.9 B99.9", "C00.0"),
        ("code from category O08 to identify any complication.", "O08.0", "O09.0"),
        ("diabetic ulcers\n(E10.621,\nE11.621)", "E11.621", "E11.62 E11.622"),
        ("open fracture (S52.- with open fracture 7th character)", "", "S52.001B"),
        ("acidosis (E08-E10, E11, E13 with ketoacidosis)", "", "E08.10 E11.22 E13.9"),
        ("(I10, E11 with ketoacidosis; K70)", "K70.0", "I10 E11.9"),
        ("underlying condition", "", "A00.0"),
        ("vitamin B12 deficiency", "", "E53.8"),
    ],
)
def test_a_text_means_the_codes_it_names(text: str, inside: str, outside: str) -> None:
    found = references(text)
    assert [code for code in inside.split() if not found.matches(code)] == []
    assert [code for code in outside.split() if found.matches(code)] == []


def test_blocks_and_chapters_are_no_codes() -> None:
    found = references("(E08-E13)")
    assert not found.matches("E08-E13")
    assert not found.matches("4")


def test_a_text_without_codes_names_none() -> None:
    assert not references("underlying condition")
    assert references("(E08.-)")

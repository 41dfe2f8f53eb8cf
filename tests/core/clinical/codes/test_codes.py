"""Codes are read with their point and without it, and never cross from one system to another."""

from __future__ import annotations

import pytest

from core.clinical.notation import (
    DIAGNOSIS,
    PROCEDURE,
    Code,
    CodeRange,
    is_procedure,
    possible_codes,
    with_decimal_point,
)
from core.errors import VocabularyError


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("7862", "786.2"),
        ("786.2", "786.2"),
        ("486", "486"),
        (" v3000 ", "V30.00"),
        ("V30", "V30"),
        ("e8859", "E885.9"),
        ("E885.9", "E885.9"),
        ("25000", "250.00"),
    ],
)
def test_diagnoses_of_icd9_get_their_point(text: str, code: str) -> None:
    assert with_decimal_point(text, "icd9cm", kind=DIAGNOSIS) == code


def test_the_same_digits_are_a_diagnosis_or_a_procedure() -> None:
    assert with_decimal_point("9915", "icd9cm", kind=DIAGNOSIS) == "991.5"
    assert with_decimal_point("9915", "icd9cm", kind=PROCEDURE) == "99.15"
    assert possible_codes("9915", "icd9cm") == (
        Code("icd9cm", "991.5", DIAGNOSIS),
        Code("icd9cm", "99.15", PROCEDURE),
    )


def test_a_point_says_which_of_them_is_meant() -> None:
    assert possible_codes("99.15", "icd9cm") == (Code("icd9cm", "99.15", PROCEDURE),)
    assert possible_codes("991.5", "icd9cm") == (Code("icd9cm", "991.5", DIAGNOSIS),)
    with pytest.raises(VocabularyError, match=r"'99\.15' does not look like a diagnosis"):
        with_decimal_point("99.15", "icd9cm", kind=DIAGNOSIS)


def test_e_and_v_codes_keep_their_system() -> None:
    assert set(possible_codes("V30.00")) == {
        Code("icd9cm", "V30.00", DIAGNOSIS),
        Code("icd10cm", "V30.00", DIAGNOSIS),
    }
    assert possible_codes("E8859", "icd9cm") == (Code("icd9cm", "E885.9", DIAGNOSIS),)
    assert possible_codes("E8859", "icd10cm") == (Code("icd10cm", "E88.59", DIAGNOSIS),)
    assert possible_codes("E11.65", "icd9cm") == ()


@pytest.mark.parametrize(
    ("text", "code"), [("e119", "E11.9"), ("M80.051A", "M80.051A"), ("C7A", "C7A"), ("I10", "I10")]
)
def test_codes_of_icd10_get_their_point(text: str, code: str) -> None:
    assert with_decimal_point(text, "icd10cm") == code


def test_procedures_of_icd10_have_seven_signs_and_no_point() -> None:
    assert with_decimal_point("0dtj4zz", "icd10pcs") == "0DTJ4ZZ"
    assert possible_codes("0DTJ4Z", "icd10pcs") == possible_codes("0DTO4ZZ", "icd10pcs") == ()


@pytest.mark.parametrize("text", ["", ".", "cough", "78.62.1", "E88", "1234567", "786.", "٧٨٦"])
def test_what_is_no_code_is_refused(text: str) -> None:
    assert possible_codes(text, "icd9cm") == ()
    with pytest.raises(VocabularyError, match="does not look like a code of icd9cm"):
        with_decimal_point(text, "icd9cm")


@pytest.mark.parametrize("code", ["99", "99.15", "01-05.99"])
def test_procedures_of_icd9_begin_with_two_digits(code: str) -> None:
    assert is_procedure(code)


@pytest.mark.parametrize("code", ["991", "991.5", "001-009.99", "V30", "E885.9"])
def test_diagnoses_do_not(code: str) -> None:
    assert not is_procedure(code)


def test_a_range_holds_what_lies_in_it() -> None:
    whole = CodeRange.of("240-279.99")
    assert whole.holds(CodeRange.of("250-259.99"))
    assert whole.holds(CodeRange.of("250.00"))
    assert not whole.holds(whole)
    assert not whole.holds(CodeRange.of("25.0"))
    assert not CodeRange.of("V01-V86.99").holds(CodeRange.of("E885"))
    with pytest.raises(ValueError, match="no code of ICD-9-CM"):
        CodeRange.of("@")

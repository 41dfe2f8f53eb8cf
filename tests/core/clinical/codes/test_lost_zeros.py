"""Codes of ICD-9-CM from a spreadsheet get the zeros back that it took, and are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.clinical.codes.lost_zeros import restored_zeros
from core.vocabulary.readers import read_vocabulary

RIGHT = {
    "003.1": "Salmonella septicemia",
    "042": "Human immunodeficiency virus disease",
    "038.9": "Unspecified septicemia",
    "188.2": "Malignant neoplasm of lateral wall of urinary bladder",
    "01.17": "Removal of skull plate",
    "11.7": "Other reconstructive surgery on cornea",
    "250.00": "Diabetes mellitus type II without complication",
    "V58.61": "Long-term use of anticoagulants",
}


def written(path: Path, titles: dict[str, str]) -> Path:
    lines = "".join(f'{code},"{title}"\n' for code, title in titles.items())
    path.write_text(f"code,description\n{lines}")
    return path


@pytest.mark.parametrize(
    ("code", "title", "whole"),
    [
        ("3.1", "Salmonella septicemia", "003.1"),
        ("38.9", "Unspecified septicemia", "038.9"),
        ("42", "Human immunodeficiency virus [HIV] disease", "042"),
        ("18.82", "Other specified miliary tuberculosis, examination unknown", "018.82"),
        ("70.54", "Chronic hepatitis C without hepatic coma", "070.54"),
        ("99.9", "Unspecified infectious and parasitic diseases", "099.9"),
        ("38.93", "Venous catheterization, not elsewhere classified", None),
        ("45.23", "Colonoscopy", None),
        ("1.24", "Other craniotomy", "01.24"),
        ("188.2", "Malignant neoplasm of bladder", None),
        ("480.9", "Viral pneumonia, unspecified", None),
    ],
)
def test_a_code_gets_back_the_zeros_that_its_title_asks_for(
    code: str, title: str, whole: str | None
) -> None:
    restored, repairs = restored_zeros({code: title, "786.2": "Cough"}, "icd9cm")
    assert restored == ({code: whole} if whole else {})
    assert [repair.concept for repair in repairs] == ([code] if whole else [])


def test_a_file_with_its_zeros_is_read_as_it_stands(tmp_path: Path) -> None:
    reading = read_vocabulary([written(tmp_path / "icd9cm.csv", RIGHT)])
    assert RIGHT.keys() <= set(reading.hierarchy)
    assert not [repair for repair in reading.mended if "zero" in repair.problem]


@pytest.mark.parametrize("name", ["icd9cm_excel.csv", "titles.csv"])
def test_a_file_without_zeros_is_restored_and_says_so(tmp_path: Path, name: str) -> None:
    taken = {code.lstrip("0"): title for code, title in RIGHT.items()}
    taken = {code.removesuffix("0").removesuffix(".0"): title for code, title in taken.items()}
    reading = read_vocabulary([written(tmp_path / name, taken)])
    assert {"003.1", "042", "038.9", "01.17", "11.7"} <= set(reading.hierarchy)
    assert {"38.9", "42", "3.1"}.isdisjoint(reading.hierarchy)
    listed = {repair.concept for repair in reading.mended if "zero" in repair.problem}
    assert listed == {"3.1", "42", "38.9", "1.17", "250"}


def test_codes_without_points_are_pointed_out() -> None:
    titles = {"389": "Unspecified septicemia", "V5861": "Long-term use of anticoagulants"}
    restored, repairs = restored_zeros(titles, "icd9cm")
    assert not restored
    assert "038.9" in repairs[0].problem


def test_other_code_systems_are_left_alone() -> None:
    assert restored_zeros({"3.1": "Salmonella sepsis"}, "icd10cm") == ({}, [])

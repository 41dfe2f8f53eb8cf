"""A file is read as what it is: numbers alone are no ICD-9-CM, and what is nothing is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.vocabulary.icd9cm import read_icd9cm
from core.vocabulary.reading import read_vocabulary
from tests.code_files import write_list, write_release, write_table

HOSPITAL = "code,description\n100,Bed wash; daily\n101,Injection; insulin\n"


def test_a_hospitals_list_of_numbers_is_its_own(tmp_path: Path) -> None:
    tree = read_vocabulary([write_list(tmp_path, "hospital.csv", HOSPITAL)]).hierarchy
    assert (tree.vocabulary_id, tree["100"].label()) == ("hospital", "Bed wash; daily")
    assert tree["100"].uri == "urn:codes:hospital:100"


@pytest.mark.parametrize("more", ["", "250.00,Wash room\n"])
def test_what_a_person_calls_it_decides(tmp_path: Path, more: str) -> None:
    path = write_list(tmp_path, "list.csv", HOSPITAL + more)
    assert read_vocabulary([path], vocabulary_id="ward").hierarchy.vocabulary_id == "ward"
    assert read_vocabulary([path], vocabulary_id="icd9cm").hierarchy.version == "titled"


@pytest.mark.parametrize(
    ("name", "more"),
    [("a.csv", "V30,Born\n"), ("a.csv", "250.0,Sugar\n"), ("ICD-9 list.csv", "")],
)
def test_a_point_a_letter_or_its_name_tell_icd9cm(tmp_path: Path, name: str, more: str) -> None:
    lines = "".join(f"{number},x\n" for number in range(100, 400))  # more than are looked at first
    path = write_list(tmp_path, name, f"code,description\n{lines}{more}")
    assert read_vocabulary([path]).hierarchy.vocabulary_id == "icd9cm"


def test_beside_a_release_numbers_are_icd9cm(tmp_path: Path) -> None:
    numbers = write_list(tmp_path, "old.tsv", "250\tSugar\n786\tBreath\n")
    tree = read_vocabulary([numbers, write_release(tmp_path), write_table(tmp_path)]).hierarchy
    assert tree["250"].label() == "Sugar"


def test_a_tree_without_points_is_read(tmp_path: Path) -> None:
    lines = ("001-999.99", "250", "2500", "25000", "4019", "E8859", "V3000", "99", "9915", "e8260")
    path = write_list(tmp_path, "t.tsv", "".join(f"{code}\tTitle of it\n" for code in lines))
    reading = read_icd9cm([path])
    codes = {"250.0", "250.00", "401.9", "E885.9", "V30.00", "99.15", "E826.0"}
    assert codes <= set(reading.hierarchy)
    assert read_vocabulary([path]).hierarchy.vocabulary_id == "icd9cm"
    assert [one.problem for one in reading.repaired] == [
        "4019 has no point, and may be 401.9 or 40.19"
    ]

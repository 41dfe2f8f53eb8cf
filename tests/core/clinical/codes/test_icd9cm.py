"""ICD-9-CM is the union of its files: attached by prefix, with what got no title said."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from core.clinical.codes.icd9cm import read_icd9cm
from core.clinical.codes.icd9cm_files import is_icd9cm
from core.clinical.codes.reading import PAPER_LEVELS, CodeReading
from core.errors import VocabularyError
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.readers import BUILT_IN, read_built_in
from tests.support.files.code_files import write_list, write_release, write_table, write_tree


def test_the_tree_follows_from_ranges_and_from_the_codes(icd9cm_tree: Hierarchy) -> None:
    assert icd9cm_tree.path("250.00") == (
        "001-999.99", "240-279.99", "250-259.99", "250", "250.0", "250.00"
    )  # fmt: skip
    assert icd9cm_tree.path("99.15") == ("00-99.99", "87-99.99", "99", "99.1", "99.15")
    assert icd9cm_tree.path("E885.9") == ("E800-E999.9", "E880-E888.9", "E885", "E885.9")


def test_a_diagnosis_and_a_procedure_of_the_same_digits_are_two(icd9cm_tree: Hierarchy) -> None:
    assert icd9cm_tree["991.5"].label() == "Chilblains"
    assert icd9cm_tree["99.15"].label() == "Parenteral infusion of nutrition"


def test_newer_codes_go_below_what_they_go_on_from(
    icd9cm_tree: Hierarchy, icd9cm_union: CodeReading
) -> None:
    assert icd9cm_tree.broader("786.30") == ("786.3",)
    assert icd9cm_tree.broader("V30.00") == ("V30.0",)
    assert icd9cm_tree.broader("249") == ("240-279.99",)
    attached = {one.problem.split()[0]: one.action for one in icd9cm_union.attached}
    assert attached["786.30"] == "it was put below 786.3"
    assert attached["249"] == "it was put below 240-279.99"
    assert "786.2" not in attached


def test_what_lies_in_no_range_stands_below_the_widest_of_its_kind(icd9cm_tree: Hierarchy) -> None:
    assert icd9cm_tree.broader("V87") == ("V01-V86.99",)
    assert icd9cm_tree.broader("17") == ("00-99.99",)


def test_titles_are_of_the_release_then_of_the_tree_then_of_the_table(
    icd9cm_tree: Hierarchy,
) -> None:
    assert icd9cm_tree["250.00"].label() == "Diabetes mellitus type II, not stated as uncontrolled"
    assert icd9cm_tree["250.00"].alt_labels == {
        "en": ("type II diabetes, not stated as uncontrolled",)
    }
    assert icd9cm_tree["250"].label() == "Diabetes mellitus"
    assert (
        icd9cm_tree["249.0"].label()
        == "Secondary diabetes mellitus; Without mention of complication"
    )
    assert icd9cm_tree["V87.0"].label() == "Exposure to metals"


def test_what_goes_on_from_a_category_is_no_name_of_its_own(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(
        '"code","description"\n"808","Fracture of pelvis"\n'
        '"808.8","Fracture of pelvis; Unspecified, closed"\n'
        '"808.9","Fracture of pelvis; Unspecified, open"\n',
        "utf-8",
    )
    released = tmp_path / "CMS32_DESC_LONG_DX.txt"
    released.write_text("8089  Open unspecified fracture of pelvis\n", "utf-8")
    with zipfile.ZipFile(tmp_path / "release.zip", "w") as archive:
        archive.write(released, released.name)
    tree = read_icd9cm([table, tmp_path / "release.zip"]).hierarchy
    assert tree["808.9"].label() == "Open unspecified fracture of pelvis"
    assert not tree["808.9"].alt_labels
    assert tree["808.8"].label() == "Fracture of pelvis; Unspecified, closed"


def test_divisions_without_a_title_are_named_after_their_codes(
    icd9cm_tree: Hierarchy, icd9cm_union: CodeReading
) -> None:
    assert icd9cm_tree["17.1"].label() == "Laparoscopic repair of … (no title in the files)"
    assert {one.problem.split()[0] for one in icd9cm_union.untitled} == {"17", "17.1", "991"}


def test_only_codes_of_the_release_are_assignable(
    icd9cm_tree: Hierarchy, icd9cm_union: CodeReading
) -> None:
    assert icd9cm_tree["786.30"].assignable
    assert not any(icd9cm_tree[code].assignable for code in ("786.3", "786", "V30.0", "001-999.99"))
    assert [one.problem for one in icd9cm_union.repaired] == ["1. is no code of ICD-9-CM"]


def test_without_a_release_every_code_with_none_below_is_assignable(tmp_path: Path) -> None:
    tree = read_icd9cm([write_tree(tmp_path)]).hierarchy
    assert tree["786.3"].assignable
    assert not tree["250.0"].assignable
    assert not tree["00-99.99"].assignable


def test_what_the_release_dropped_is_said_and_not_assignable(tmp_path: Path) -> None:
    old = tmp_path / "old.tsv"
    old.write_text("001-999.99\tDISEASES\n718\tJoint\n718.6\tProtrusion\n", "utf-8")
    reading = read_icd9cm([old, write_release(tmp_path)])
    assert not reading.hierarchy["718.6"].assignable
    (said,) = reading.repaired
    assert said.problem == "718.6 is not in release 32, nor is a code below it"


def test_dirty_lines_are_left_out_and_said(tmp_path: Path) -> None:
    dirty = tmp_path / "dirty.tsv"
    dirty.write_text("001\tCholera\n\nE88\tcut\n786.\tcut\n002\n@\troot\n1-x\ty\n003\tz\n", "utf-8")
    reading = read_icd9cm([dirty])
    assert list(reading.hierarchy) == ["001", "003"]
    assert [one.problem.split()[0] for one in reading.repaired] == ["E88", "786.", "1-x"]


def test_a_code_is_known_by_its_system(icd9cm_tree: Hierarchy) -> None:
    assert icd9cm_tree["V30.00"].uri == "http://hl7.org/fhir/sid/icd-9-cm/V30.00"
    assert (icd9cm_tree.vocabulary_id, icd9cm_tree.version) == ("icd9cm", "v32")
    assert icd9cm_tree.has_codes


def test_the_levels_stand_beside_those_of_the_paper(icd9cm_union: CodeReading) -> None:
    rows = icd9cm_union.figures["paper"]
    assert rows[0] == {"level": 1, "here": 4, "paper": 4}
    assert [row["paper"] for row in rows] == list(PAPER_LEVELS)
    assert sum(row["here"] for row in rows) == icd9cm_union.n_concepts


def test_its_files_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(write_table(tmp_path).read_bytes()))
    assert all(map(is_icd9cm, (write_tree(tmp_path), write_release(tmp_path), packed)))
    assert not is_icd9cm(write_list(tmp_path))
    assert not is_icd9cm(tmp_path / "missing.zip")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    strange = tmp_path / "strange.tsv"
    strange.write_text("cats\tare animals\n", "utf-8")
    with pytest.raises(VocabularyError, match=r"strange\.tsv: no code of ICD-9-CM"):
        read_icd9cm([strange])
    with pytest.raises(VocabularyError, match=r"missing\.tsv cannot be read"):
        read_icd9cm([tmp_path / "missing.tsv"])


def test_the_whole_of_it_is_built_in_and_has_the_size_that_the_paper_reports() -> None:
    reading = read_built_in("icd9cm")
    assert isinstance(reading, CodeReading)
    tree = reading.hierarchy
    assert (tree.vocabulary_id, tree.version) == ("icd9cm", BUILT_IN["icd9cm"].release())
    assert sum(tree[code].assignable for code in tree) == 18_449
    assert abs(len(tree) - sum(PAPER_LEVELS)) < 20
    assert tree.path("250.00")[-1] == "250.00"
    assert tree["99.15"].label().startswith("Parenteral")
    assert tree["991.5"].label() == "Chilblains"
    assert len(tree.top_concepts) == 4
    assert len(reading.untitled) == 129  # the tree is older than the release


def test_ranges_that_read_alike_are_no_circle(tmp_path: Path) -> None:
    path = tmp_path / "tree.tsv"
    rows = ["240-279\tTWICE", "240-279.99\tENDOCRINE DISEASES", "250.0\tDiabetes", "001-999\tALL"]
    path.write_text("\n".join([*rows, f"001-{'9' * 400}\tMORE"]) + "\n", "utf-8")
    assert read_icd9cm([path]).hierarchy["240-279"].broader == ("240-279.99",)

"""Order files as CMS publishes them; the lines are invented in their form."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.clinical.codes import order_file
from core.clinical.codes.order_file import is_order_file
from core.clinical.codes.reading import CodeReading
from core.clinical.joined import (
    JoinedHierarchy,
    conventions_in,
    is_procedure_in,
    part_of,
    system_of,
)
from core.errors import VocabularyError
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.readers import read_vocabulary


def order_lines(*rows: tuple[str, int, str]) -> str:
    return "".join(
        f"{number:05} {code:<7} {flag} {title[:60]:<60} {title}\r\n"
        for number, (code, flag, title) in enumerate(rows, start=1)
    )


PCS = order_lines(
    ("0DT", 0, "Gastrointestinal System, Resection"),
    ("0DTJ0ZZ", 1, "Resection of Appendix, Open Approach"),
    ("0DTJ4ZZ", 1, "Resection of Appendix, Percutaneous Endoscopic Approach"),
    ("0DB", 0, "Gastrointestinal System, Excision"),
    *(
        (f"0DB{part}{way}Z{last}", 1, f"Excision of Part {part}, {way} Approach, Kind {last}")
        for part in "12"
        for way in "0123456789"
        for last in "XYZW"
    ),
    ("BW0", 0, "Anatomical Regions, Plain Radiography"),
    ("BW03ZZZ", 1, "Plain Radiography of Chest"),
    ("A00", 0, "Invented System, Operation"),  # as a category of ICD-10-CM is called
    ("1A00000", 1, "Operation of an invented kind"),
    ("A000000", 1, "Operation of another kind"),
)
CM = order_lines(
    ("A00", 0, "Cholera"),
    ("A000", 1, "Cholera of an invented kind"),
    ("Q77", 0, "Invented category"),
    ("Q7799", 1, "Invented code without a subcategory"),
)


def read(tmp_path: Path, name: str, text: str) -> CodeReading:
    path = tmp_path / name
    path.write_text(text, "latin-1", newline="")
    assert is_order_file(path)
    reading = read_vocabulary([path])
    assert isinstance(reading, CodeReading)
    return reading


def test_codes_of_pcs_stand_below_section_system_table_and_body_part(tmp_path: Path) -> None:
    reading = read(tmp_path, "icd10pcs_order_2026.txt", PCS)
    pcs = reading.hierarchy
    assert (pcs.vocabulary_id, pcs.version, reading.mended) == ("icd10pcs", "2026", [])
    labels = [pcs[step].label() for step in pcs.path("0DTJ4ZZ")]
    assert labels == [
        "Medical and Surgical",
        "Gastrointestinal System",
        "Resection",
        "Resection of Appendix, Percutaneous Endoscopic Approach",
    ]
    assert pcs.path("0DB10ZX") == ("PCS-0", "PCS-0D", "PCS-0DB", "PCS-0DB1", "0DB10ZX")
    assert pcs["PCS-0DB1"].label() == "Excision of Part 1"
    assert not pcs["PCS-0DT"].assignable
    assert (pcs["PCS-B"].label(), pcs["PCS-B"].notation) == ("Imaging", "B")


def test_codes_of_cm_have_points_and_the_blocks_and_instructions_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, icd10cm_tree: Hierarchy
) -> None:
    monkeypatch.setattr(order_file, "icd10cm", lambda: icd10cm_tree)  # read once
    cm = read(tmp_path, "icd10cm_order_2027.txt", CM).hierarchy
    assert (cm.vocabulary_id, cm.version) == ("icd10cm", "2027")
    assert cm.path("A00.0")[-2:] == ("A00", "A00.0")
    assert len(cm.path("A00.0")) == 4  # its chapter and its block stand above
    assert cm["A00.0"].label() == "Cholera of an invented kind"
    assert cm.broader("Q77.99") == ("Q77",)


def test_a_line_that_is_none_is_listed_and_a_file_without_codes_refused(tmp_path: Path) -> None:
    reading = read(tmp_path, "icd10pcs_order_2026.txt", PCS + "junk\n" + PCS)
    problems = [repair.problem for repair in reading.repaired]
    assert "is not one of an order file" in problems[0]
    assert "0DT occurs again" in problems[1]
    with pytest.raises(VocabularyError, match="no code that can be assigned"):
        read(tmp_path, "x.txt", order_lines(("0DT", 0, "Gastrointestinal System, Resection")))


def test_two_code_systems_are_one_hierarchy_that_knows_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, icd10cm_tree: Hierarchy
) -> None:
    monkeypatch.setattr(order_file, "icd10cm", lambda: icd10cm_tree)
    pcs = read(tmp_path, "icd10pcs_order_2026.txt", PCS).hierarchy
    cm = read(tmp_path, "icd10cm_order_2027.txt", CM).hierarchy
    joined = JoinedHierarchy(cm, [pcs])
    assert (joined.vocabulary_id, len(joined)) == ("icd10cm", len(cm) + len(pcs))
    assert part_of("0DTJ4ZZ", joined) is pcs
    assert [is_procedure_in(code, joined) for code in ("A00.0", "0DTJ4ZZ", "?")] == [
        False,
        True,
        False,
    ]
    assert system_of("0DTJ4ZZ", joined) == "http://www.cms.gov/Medicare/Coding/ICD10"
    assert system_of("A00.0", joined) == "http://hl7.org/fhir/sid/icd-10-cm"
    assert conventions_in(joined).dated_procedures
    assert not conventions_in(cm).dated_procedures
    with pytest.raises(VocabularyError, match="both have a code"):
        JoinedHierarchy(cm, [cm])

"""The reader of MIMIC-III on invented rows, and its configuration from the tables to the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.clinical.codes.icd9cm import read_icd9cm
from core.errors import ConfigError, DocumentError, VocabularyError
from tests.support.files.mimic_files import (
    ADDENDUM,
    CODE_COLUMNS,
    NOTE_COLUMNS,
    code,
    note,
    write_mimic,
    write_table,
    write_tree,
)
from training.corpora.label_spaces import without_general
from training.corpora.readers import read_corpus
from training.corpora.readers.clinical.mimic3 import patient_split, read_mimic3, repaired

NOTES = [
    note(1, 7, "200", "Second thoughts.", DESCRIPTION=ADDENDUM, CHARTDATE="2150-01-01"),
    note(2, 7, "200.0", "Came with a cough.\nAllergies: none"),
    note(3, 7, "200", "Came with a cough.\nAllergies: none"),  # the same again
    note(4, 7, "200", "Clear lungs.", CATEGORY="Radiology"),
    note(5, 7, "", "No admission."),
    note(6, 8, "201", "  "),
    note(7, 8, "201", "Wrong patient.", ISERROR="1"),
    note(8, 9, "202", "Has no code.", CHARTDATE="no day"),
    ["too", "short"],
]
DIAGNOSES = [
    code(1, 7, "200", "2", "V3000"),
    code(2, 7, "200", "1", "4019"),
    code(3, 7, "200", "3", "4019"),
    code(4, 7, "200", "", " e8859 "),
    code(5, 7, "200", "4", ""),
    code(6, 7, "200", "5", "I10"),
]
PROCEDURES = [code(1, 7, "200", "1", "9915"), code(2, 7, "200.0", "2", "66")]


def write(folder: Path, **tables: list[list[object]]) -> Path:
    given = {"NOTEEVENTS": NOTES, "DIAGNOSES_ICD": DIAGNOSES, "PROCEDURES_ICD": PROCEDURES} | tables
    for name, rows in given.items():
        columns = NOTE_COLUMNS if name == "NOTEEVENTS" else CODE_COLUMNS
        write_table(folder / f"{name}.csv", columns, rows)
    return folder


def test_summary_and_addenda_are_one_document_with_its_codes(tmp_path: Path) -> None:
    corpus = read_corpus("mimic3", write(tmp_path))
    (row,) = (*corpus.train, *corpus.dev, *corpus.test)
    assert row.document_id == "200"
    assert [(part.kind, part.text) for part in row.document.parts] == [
        ("Discharge summary", "Came with a cough.\nAllergies: none"),
        ("Addendum", "Second thoughts."),
    ]
    assert row.date == "2150-01-02"
    # By priority, each once, diagnoses first; the same digits are two codes.
    assert row.assigned == ("401.9", "V30.00", "E885.9", "99.15", "00.66")
    assert row in getattr(corpus, patient_split("7"))


def test_every_dirty_row_is_named(tmp_path: Path) -> None:
    problems = read_mimic3(write(tmp_path)).problems
    assert len(problems) == 7
    said = "\n".join(problems)
    for words in (
        "DIAGNOSES_ICD.csv, line 6: a row without a code or an admission",
        "'I10' is no diagnosis code of ICD-9-CM",
        "NOTEEVENTS.csv, line 8: a summary without an admission or a text",
        "marked as an error",
        "fields for 11 columns",
        "admission 202: it has a summary and no code",
    ):
        assert words in said


def test_a_quote_that_is_not_closed_and_bytes_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    file = write(tmp_path) / "NOTEEVENTS.csv"
    file.write_bytes(file.read_bytes() + b'9,7,203,,,,Discharge summary,,,,"never \xff closed\n')
    assert len(read_mimic3(tmp_path).labels) == 5


def test_splits_are_by_patient_and_the_same_every_time(tmp_path: Path) -> None:
    first, second = (read_mimic3(write_mimic(tmp_path, 200)) for _ in range(2))
    assert [len(first.train), len(first.dev), len(first.test)] == [168, 18, 14]
    assert first == second
    assert "by patient" in first.remarks[0]


def test_files_of_the_splits_are_followed_and_never_part_a_patient(tmp_path: Path) -> None:
    notes = [note(n, n // 2, 300 + n, f"text {n}") for n in range(6)]
    codes = [code(n, n // 2, 300 + n, 1, "4019") for n in range(6)]
    write(tmp_path, NOTEEVENTS=notes, DIAGNOSES_ICD=codes, PROCEDURES_ICD=[])
    named = {"train": "300\n301\n", "dev": "302\n", "test": "303\n304\n"}
    for name, ids in named.items():
        (tmp_path / f"{name}_full_hadm_ids.csv").write_text(ids)
    corpus = read_mimic3(tmp_path)
    assert [[r.document_id for r in corpus.split(n)] for n in named] == [
        ["300", "301"],
        ["302"],
        ["304"],
    ]
    assert any("admission 303: its patient is in another split" in p for p in corpus.problems)
    assert any("admission 305: no split names it" in p for p in corpus.problems)
    (tmp_path / "dev_full_hadm_ids.csv").unlink()
    with pytest.raises(ConfigError, match=r"lacks dev_full_hadm_ids\.csv"):
        read_mimic3(tmp_path)


def test_a_missing_table_a_missing_column_and_an_empty_corpus_are_named(tmp_path: Path) -> None:
    write(tmp_path, DIAGNOSES_ICD=[], PROCEDURES_ICD=[])
    with pytest.raises(DocumentError, match="no admission with a discharge summary and a code"):
        read_mimic3(tmp_path)
    write_table(tmp_path / "PROCEDURES_ICD.csv", ["HADM_ID"], [])
    with pytest.raises(DocumentError, match="has no column ICD9_CODE"):
        read_mimic3(tmp_path)
    (tmp_path / "PROCEDURES_ICD.csv").unlink()
    with pytest.raises(ConfigError, match=r"no PROCEDURES_ICD\.csv"):
        read_mimic3(tmp_path)


def test_a_file_that_breaks_off_is_refused(tmp_path: Path) -> None:
    write_mimic(tmp_path, 4)
    packed = tmp_path / "NOTEEVENTS.csv.gz"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(DocumentError, match="breaks off or is damaged"):
        read_mimic3(tmp_path)


@pytest.mark.parametrize(
    ("written", "kind", "right"),
    [
        ("9915", "diagnosis", "991.5"),
        ("9915", "procedure", "99.15"),
        ("'0389'", "diagnosis", "038.9"),
        ("38", "diagnosis", "038"),
        ("66", "procedure", "00.66"),
    ],
)
def test_codes_get_their_point_back(written: str, kind: str, right: str) -> None:
    assert repaired(written, kind) == right


@pytest.mark.parametrize("written", ["", "4019X", "I10", "123456"])
def test_what_is_no_code_is_refused(written: str) -> None:
    with pytest.raises(VocabularyError):
        repaired(written, "diagnosis")


def test_the_general_codes_can_be_left_out(tmp_path: Path) -> None:
    tree = read_icd9cm([write_tree(tmp_path / "tree.tsv")]).hierarchy
    assert tree.depth == 7
    fewer = without_general(tree, 1)
    assert (fewer.depth, len(fewer)) == (6, len(tree) - 4)
    assert fewer["390-459.99"].broader == ()
    with pytest.raises(ConfigError, match="skip fewer"):
        without_general(tree, 7)

"""Invented rows in the shape of MIMIC-III's tables, dirty ones among them."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from pathlib import Path

NOTE_COLUMNS = (
    "ROW_ID", "SUBJECT_ID", "HADM_ID", "CHARTDATE", "CHARTTIME", "STORETIME", "CATEGORY",
    "DESCRIPTION", "CGID", "ISERROR", "TEXT",
)  # fmt: skip
CODE_COLUMNS = ("ROW_ID", "SUBJECT_ID", "HADM_ID", "SEQ_NUM", "ICD9_CODE")
SUMMARY, REPORT, ADDENDUM = "Discharge summary", "Report", "Addendum"

# A few codes with the ranges above them, in words of our own: seven levels, as the real tree has.
TREE = (
    ("@", "root"),
    ("001-999.99", "illness and injury"),
    ("390-459.99", "heart and vessels"),
    ("401-405.99", "raised pressure"),
    ("401", "pressure without a cause"),
    ("401.9", "pressure, not said which"),
    ("800-999.99", "injury"),
    ("800-829.99", "broken bones"),
    ("800-804.99", "broken skull"),
    ("800", "broken vault of the skull"),
    ("800.0", "closed, brain unhurt"),
    ("800.00", "closed, not said if awake"),
    ("800.01", "closed, never asleep"),
    ("V01-V86.99", "other reasons to come"),
    ("V30-V39.99", "newborn"),
    ("V30", "one newborn"),
    ("V30.0", "one newborn, in hospital"),
    ("V30.00", "one newborn, in hospital, no cut"),
    ("E800-E999.9", "outer causes"),
    ("E880-E888.9", "falls"),
    ("E885", "fall on the level"),
    ("E885.9", "fall on the level, other"),
    ("00-99.99", "what was done"),
    ("87-99.99", "other things done"),
    ("99", "not by knife"),
    ("99.1", "given by vein"),
    ("99.15", "food by vein"),
)


def note(number: int, patient: int, admission: object, text: str, **cells: object) -> list[object]:
    """A row of NOTEEVENTS, in the order of its columns."""
    row = {"ROW_ID": number, "SUBJECT_ID": patient, "HADM_ID": admission, "TEXT": text}
    usual = {"CHARTDATE": "2150-01-02", "CATEGORY": SUMMARY, "DESCRIPTION": REPORT}
    return [({**usual, **row, **cells}).get(column, "") for column in NOTE_COLUMNS]


def code(number: int, patient: int, admission: object, place: object, text: str) -> list[object]:
    """A row of one of the tables of codes."""
    return [number, patient, admission, place, text]


def write_table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """A CSV file, gzipped where its name ends so."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerows([columns, *rows])
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


def write_tree(path: Path) -> Path:
    """The codes as a titled tree, in the form of the real one."""
    path.write_text("".join(f"{code}\t{title}\n" for code, title in TREE), "utf-8")
    return path


def write_mimic(folder: Path, n_patients: int = 60) -> Path:
    """Three tables of patients with one admission each; every word of a note says a code."""
    said = (
        ("fish quota", "4019", "9915"),
        ("honey label", "80001", ""),
        ("railway ticket", "V3000", ""),
        ("tax bank", "E8859", "9915"),
    )
    notes, diagnoses, procedures = [], [], []
    for number in range(n_patients):
        words, diagnosis, procedure = said[number % len(said)]
        admission = 100_000 + number
        text = f"Service: [**Hospital 1**]\n\nHistory of Present Illness:\n1. {words} {words}\n"
        notes.append(note(number, number, admission, text))
        diagnoses.append(code(number, number, admission, 1, diagnosis))
        if procedure:
            procedures.append(code(number, number, admission, 1, procedure))
    write_table(folder / "NOTEEVENTS.csv.gz", NOTE_COLUMNS, notes)
    write_table(folder / "DIAGNOSES_ICD.csv", CODE_COLUMNS, diagnoses)
    write_table(folder / "PROCEDURES_ICD.csv", CODE_COLUMNS, procedures)
    return folder

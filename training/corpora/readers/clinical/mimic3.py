"""Reader of MIMIC-III: the discharge summaries of each admission, and the codes it was billed with.

`NOTEEVENTS.csv`, `DIAGNOSES_ICD.csv` and `PROCEDURES_ICD.csv`, plain or gzipped, lie in one folder.
The summary of an admission is followed by its addenda. Codes come without their point and get it
back, diagnoses apart from procedures. Patients stay together: `train_full_hadm_ids.csv`, `dev_…`
and `test_…`, where they are there, name the admissions of a split; else a checksum of the patient
draws eight tenths, one and one. Only discharge summaries are ever held, some 0.6 GB of 3: the notes
are read line by line.
Source: Johnson et al. (2016), MIMIC-III, a freely accessible critical care database; the files of
the splits are those of Mullenbach et al. (2018), Explainable Prediction of Medical Codes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from core.clinical.notation import DIAGNOSIS, ICD9CM, PROCEDURE, with_decimal_point
from core.documents.document import Document, Part
from core.documents.rows.delimited import TableForm, delimited_rows
from core.documents.rows.files import UNPACKING_ERRORS, unpacked
from core.documents.rows.records import BadLine, Record, damaged
from core.errors import ConfigError, DocumentError, VocabularyError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, Splits, checksums
from training.corpora.records import label_names

SUFFIXES = (".csv", ".csv.gz")
FORM = TableForm(",", is_even=True, encoding="utf-8-sig", longest_cell=2_000_000)
"""Read in one pass, for a file has 4 GB; no note is longer than a cell may be."""


@dataclass(frozen=True, slots=True)
class MimicTable:
    """A table by the name of its file, and the columns that it must have."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MimicRow:
    """A row with its cells by column, the names in capitals.

    Attributes:
        number: counts the rows from 1; 0 for one that cannot be used.
        fault: why its cells cannot be used, or "".
    """

    where: str
    number: int = 0
    cells: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column) or ""

    def get(self, column: str, default: str) -> str:
        """Return a cell, or the default where the table has no such column."""
        return self.cells.get(column, default) or ""

    @property
    def admission(self) -> str:
        """The admission's id as a whole number; "" where there is none.

        Tables that a data frame wrote have 145834.0 for 145834, since some of the ids are missing.
        """
        written = self["HADM_ID"].strip()
        whole = written.removesuffix(".0")
        return str(int(whole)) if whole.isdecimal() else ""


NOTES = MimicTable("NOTEEVENTS", ("HADM_ID", "SUBJECT_ID", "CATEGORY", "TEXT"))
CODES = {
    DIAGNOSIS: MimicTable("DIAGNOSES_ICD", ("HADM_ID", "ICD9_CODE")),
    PROCEDURE: MimicTable("PROCEDURES_ICD", ("HADM_ID", "ICD9_CODE")),
}
SUMMARY, ADDENDUM = "discharge summary", "addendum"
SHORTEST = {DIAGNOSIS: 3, PROCEDURE: 4}
"""Digits of a code at least; a shorter one has lost zeros before it in a spreadsheet."""
SPLIT_FILE = "{}_full_hadm_ids.csv"
MAX_NAMED = 200
"""Problems of one kind that are named; the others are counted."""


@dataclass(slots=True)
class Admission:
    """The notes of one hospital stay.

    Attributes:
        notes: parts by their place: summaries before addenda, each by date and order of the file.
    """

    patient: str
    notes: list[tuple[bool, str, int, Part]] = field(default_factory=list)

    def document(self, admission_id: str) -> Document:
        """Return the summary with its addenda; a text that is there twice counts once."""
        parts: dict[str, Part] = {}
        for note in sorted(self.notes, key=lambda note: note[:3]):
            parts.setdefault(note[-1].text, note[-1])
        return Document(admission_id, "", tuple(parts.values()))


class ProblemList:
    """Sentences on what could not be used; of many of one kind, the first and how many."""

    def __init__(self) -> None:
        self.found: dict[str, list[str]] = {}

    def note(self, kind: str, where: str) -> None:
        """Note a problem, and where it is."""
        self.found.setdefault(kind, []).append(where)

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence each, up to a limit, and one for the rest."""
        sentences: list[str] = []
        for kind, places in self.found.items():
            sentences += [f"{place}: {kind}." for place in places[:MAX_NAMED]]
            if more := len(places) - MAX_NAMED:
                sentences += [f"… and {more:,} more: {kind}."] if more > 0 else []
        return tuple(sentences)


def read_mimic3(folder: Path) -> Corpus:
    """Read the three tables of a folder.

    Raises:
        ConfigError: a table, or one of three files of splits, is missing.
        DocumentError: a table lacks a column, or no admission has a summary and a code.
    """
    problems = ProblemList()
    tables = {table: open_table(folder, table) for table in (NOTES, *CODES.values())}
    assigned = _codes(tables, problems)
    admissions = _admissions(tables[NOTES], problems)
    rows = _labelled(admissions, assigned, problems)
    if not rows:
        raise DocumentError(f"{folder} holds no admission with a discharge summary and a code.")
    given = _given_splits(folder)
    splits = _split(rows, admissions, given, problems)
    drawn = "The splits are drawn by patient: 80 % train, 10 % dev, 10 % test."
    return Corpus(
        "mimic3",
        *splits,
        sha256=checksums(tables.values()),
        problems=problems.sentences(),
        labels=label_names(rows),
        remarks=() if given else (drawn,),
    )


def repaired(code: str, kind: str) -> str:
    """Return a code with its point, as ICD-9-CM writes it: 4019 is 401.9, 66 as a procedure 00.66.

    Args:
        kind: "diagnosis" or "procedure".
    Raises:
        VocabularyError: it has not the shape of such a code.
    """
    plain = code.strip().strip("'\"").strip().upper()
    if plain.isdigit():
        plain = plain.zfill(SHORTEST[kind])
    return with_decimal_point(plain, ICD9CM, kind=kind)


def patient_split(patient: str) -> str:
    """Return which split a patient is in, the same on every machine."""
    tenth = int(hashlib.sha256(patient.encode()).hexdigest()[:8], 16) % 10
    return {0: "test", 1: "dev"}.get(tenth, "train")


def _codes(tables: Mapping[MimicTable, Path], problems: ProblemList) -> dict[str, dict[str, None]]:
    assigned: dict[str, list[tuple[bool, float, str]]] = {}
    for kind, table in CODES.items():
        for row in rows_of(tables[table], table):
            code, admission = row["ICD9_CODE"].strip(), row.admission
            if not code or not admission:
                problems.note("a row without a code or an admission is skipped", row.where)
                continue
            try:
                repaired_code = repaired(code, kind)
            except VocabularyError:
                problems.note(f"{code[:20]!r} is no {kind} code of ICD-9-CM", row.where)
                continue
            place = (kind == PROCEDURE, _number(row.get("SEQ_NUM", "")), repaired_code)
            assigned.setdefault(admission, []).append(place)
    return {
        admission: dict.fromkeys(code for _, _, code in sorted(places, key=lambda p: p[:2]))
        for admission, places in assigned.items()
    }


def _admissions(notes: Path, problems: ProblemList) -> dict[str, Admission]:
    admissions: dict[str, Admission] = {}
    for row in rows_of(notes, NOTES):
        if row.fault:
            problems.note(row.fault, row.where)
            continue
        if row["CATEGORY"].strip().lower() != SUMMARY:
            continue
        text, admission = row["TEXT"].strip(), row.admission
        if not admission or not text:
            problems.note("a summary without an admission or a text is skipped", row.where)
        elif row.get("ISERROR", "").strip() in ("1", "1.0"):
            problems.note("a summary that was marked as an error is skipped", row.where)
        else:
            stay = admissions.setdefault(admission, Admission(row["SUBJECT_ID"].strip()))
            stay.notes.append(_note(row, text))
    return admissions


def _note(row: MimicRow, text: str) -> tuple[bool, str, int, Part]:
    is_addendum = row.get("DESCRIPTION", "").strip().lower() == ADDENDUM
    written = row.get("CHARTDATE", "").strip()[:10]
    kind = "Addendum" if is_addendum else "Discharge summary"
    return is_addendum, written, row.number, Part(text, kind, _day(written))


def _labelled(
    admissions: Mapping[str, Admission],
    assigned: Mapping[str, Mapping[str, None]],
    problems: ProblemList,
) -> list[LabelledDocument]:
    rows = []
    for admission, stay in admissions.items():
        codes = tuple(assigned.get(admission, ()))
        if not codes:
            problems.note(
                "it has a summary and no code, so it is skipped", f"admission {admission}"
            )
            continue
        document = stay.document(admission)
        written = document.parts[0].date
        rows.append(LabelledDocument(document, codes, written.isoformat() if written else ""))
    return rows


def _given_splits(folder: Path) -> dict[str, str]:
    """Split of each admission, where files name them.

    Raises:
        ConfigError: some of the three files are there, and not all.
    """
    files = {name: folder / SPLIT_FILE.format(name) for name in SPLITS}
    there = {name: file for name, file in files.items() if file.is_file()}
    if there and len(there) < len(files):
        missing = next(file.name for file in files.values() if not file.is_file())
        raise ConfigError(f"{folder} lacks {missing}: give the files of all three splits, or none.")
    return {
        line.strip(): name
        for name, file in there.items()
        for line in file.read_text("ascii", "replace").splitlines()
        if line.strip()
    }


def _split(
    rows: Sequence[LabelledDocument],
    admissions: Mapping[str, Admission],
    given: Mapping[str, str],
    problems: ProblemList,
) -> Splits:
    """Return the rows by split; no patient is in two; rows that split files omit are left out."""
    chosen: dict[str, list[LabelledDocument]] = {name: [] for name in SPLITS}
    of_patient: dict[str, str] = {}
    for row in rows:
        patient = admissions[row.document_id].patient or row.document_id
        split = given.get(row.document_id) if given else patient_split(patient)
        if split is None:
            problems.note("no split names it, so it is skipped", f"admission {row.document_id}")
        elif of_patient.setdefault(patient, split) != split:
            problems.note(
                "its patient is in another split, so it is skipped", f"admission {row.document_id}"
            )
        else:
            chosen[split].append(row)
    return Splits(*(tuple(chosen[name]) for name in SPLITS))


def _number(written: str) -> float:
    """Return the priority of a code; one that has none comes last."""
    try:
        return float(written)
    except ValueError:
        return float("inf")


def _day(written: str) -> date | None:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return None


def open_table(folder: Path, table: MimicTable) -> Path:
    """Return the file of a table.

    Raises:
        ConfigError: it is not there.
    """
    for suffix in SUFFIXES:
        for name in (table.name, table.name.lower()):
            if (file := folder / f"{name}{suffix}").is_file():
                return file
    raise ConfigError(f"{folder} holds no {table.name}.csv (or .csv.gz) of MIMIC-III.")


def rows_of(path: Path, table: MimicTable) -> Iterator[MimicRow]:
    """Yield the rows of a table, one at a time.

    Raises:
        DocumentError: it lacks a column, or the file is damaged.
    """
    try:
        with unpacked(path) as file:
            names, records = delimited_rows(file, FORM)
            header = [name.upper() for name in names]
            if missing := [name for name in table.columns if name not in header]:
                raise DocumentError(
                    f"{path} has no column {missing[0]}: it is no {table.name}.csv."
                )
            for record in records:
                yield _row(record, path)
    except UNPACKING_ERRORS as error:
        raise DocumentError(f"{path}: {damaged(error)}; fetch it again.") from error
    except OSError as error:
        raise DocumentError(f"{path} cannot be read ({error.strerror}).") from error


def _row(record: Record | BadLine, path: Path) -> MimicRow:
    where = f"{path.name}, {record.where}"
    if isinstance(record, BadLine):
        return MimicRow(where, fault=f"{record.reason}; it is skipped")
    cells = {name.upper(): str(cell) for name, cell in record.fields.items()}
    return MimicRow(where, record.number, cells)

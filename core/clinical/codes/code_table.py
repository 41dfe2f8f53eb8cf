"""Any code list as a table: code, the code above it, label, and other names where it has some.

So ICD-10-PCS, or a hospital's own list, is a vocabulary like the others.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from core.boundaries import VOCABULARY_FILES
from core.clinical.codes.decimal_points import guess_repair, resolve_codes
from core.clinical.codes.icd10pcs import CODE_LENGTH, TABLE_LENGTH, pcs_tree
from core.clinical.codes.lost_zeros import restored_zeros
from core.clinical.codes.reading import CodeReading
from core.clinical.notation import ICD9CM, ICD10CM, ICD10PCS
from core.documents.rows.delimited import delimiter_of
from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import composed, fold_text, label_line
from core.vocabulary.reading import VocabularyFiles, VocabularyReader
from core.vocabulary.repairs import Repair, known_links, without_cycles
from core.vocabulary.text_files import beginning_of, text_of, year_in

COLUMNS = {
    "code": ("code", "notation", "id", "concept_id"),
    "parent": ("parent", "broader", "parent_code", "above"),
    "label": ("label", "title", "description", "name", "pref_label"),
    "synonyms": ("synonyms", "synonym", "alt_labels", "alt_label", "alternatives"),
}
SEPARATOR = re.compile(r"(?<!\s)\s*[|;]\s*")
SUFFIXES = (".csv", ".tsv", ".txt")
_SYSTEMS = {fold_text(system).replace(" ", ""): system for system in (ICD9CM, ICD10CM, ICD10PCS)}


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A line of the table; `number` counts from the one with the names of the columns, 1."""

    number: int
    code: str
    parent: str
    label: str
    synonyms: tuple[str, ...]


def is_code_table(path: Path) -> bool:
    """Return whether a file begins with the names of such columns."""
    if Path(path.name.removesuffix(".gz")).suffix.lower() not in SUFFIXES:
        return False
    try:
        text = beginning_of(path)
        names = next(
            csv.reader(io.StringIO(text), delimiter=delimiter_of(text.partition("\n")[0])), []
        )
    except VOCABULARY_FILES.errors:
        return False
    return {"code", "label"} <= _columns(names).keys()


def read_code_table(path: Path | str, vocabulary_id: str | None = None) -> CodeReading:
    """Read a table with the columns code, parent, label and, where wanted, synonyms (`a | b`).

    What cannot stand is repaired and listed: a parent that has no line, a circle, a code without
    label or with a second line. Where the vocabulary is known as a code system in which only codes
    without narrower ones are accepted, the others cannot be assigned. Codes of ICD-10-PCS without
    parents get the tree that follows from them.

    The version is the year in the file's name, of a code system, or else a checksum.

    Args:
        vocabulary_id: None takes the name of the file; one that begins with icd10pcs, icd10cm or
            icd9cm is of that system, and has its rules.
    Raises:
        VocabularyError: the file cannot be read, or has no column of codes or of labels.
    """
    path = Path(path)
    vocabulary_id = vocabulary_id or name_of(path)
    lines, guessed = _pointed(list(_rows(path)), vocabulary_id)
    rows, repaired = _once(lines)
    if not rows:
        raise VocabularyError(f"{path} holds no code: every line needs a code and a label.")
    names = {code: f"{code} ({row.label})" for code, row in rows.items()}
    links, dropped = known_links(
        [(row.code, row.parent) for row in rows.values() if row.parent], names, {}
    )
    links, circles = without_cycles(links, names)
    system = conventions_of(vocabulary_id).system
    uri_base = f"{system}/" if system else f"urn:codes:{quote(vocabulary_id, safe='')}:"
    year = year_in(path) if system else ""
    hierarchy = Hierarchy(
        _concepts(rows, dict(links), vocabulary_id, uri_base),
        vocabulary_id=vocabulary_id,
        version=year or hashlib.sha256(path.read_bytes()).hexdigest()[:12],
        uri_base=uri_base,
    )
    return CodeReading(
        hierarchy,
        repaired=[*guessed, *repaired, *dropped, *circles],
        schemes=[system] if system else [],
    )


def name_of(path: Path) -> str:
    """Return the vocabulary that a file's name stands for."""
    stem = path.name.partition(".")[0]
    plain = fold_text(stem).replace(" ", "")
    stated_system = next(
        (system for start, system in _SYSTEMS.items() if plain.startswith(start)), None
    )
    return stated_system or re.sub(r"[^a-z0-9]+", "-", stem.casefold()).strip("-") or "codes"


def _concepts(
    rows: Mapping[str, CodeRow], above: Mapping[str, str], vocabulary_id: str, uri_base: str
) -> Iterator[Concept]:
    if vocabulary_id == ICD10PCS and not above and _has_codes_and_tables(rows):
        labels = {code: row.label for code, row in rows.items()}
        codes = {code: label for code, label in labels.items() if len(code) == CODE_LENGTH}
        yield from pcs_tree(codes, labels, {code: row.synonyms for code, row in rows.items()})
        return
    divided = set(above.values()) if conventions_of(vocabulary_id).leaves_only else set()
    for code, row in rows.items():
        yield Concept(
            concept_id=code,
            uri=uri_base + quote(code, safe="."),
            notation=code,
            pref_label={"en": row.label},
            alt_labels={"en": row.synonyms} if row.synonyms else {},
            broader=(above[code],) if code in above else (),
            assignable=code not in divided,
        )


def _has_codes_and_tables(rows: Iterable[str]) -> bool:
    """Return whether a list is one of codes of ICD-10-PCS, with the tables that they stand in or not."""
    lengths = {len(code) for code in rows}
    return {CODE_LENGTH} <= lengths <= {CODE_LENGTH, TABLE_LENGTH}


def _pointed(rows: list[CodeRow], system: str) -> tuple[list[CodeRow], list[Repair]]:
    """Return lines with the zeros and points that codes of this system have, and what was guessed."""
    titles = {row.code: row.label for row in rows}
    zeros, repairs = restored_zeros(titles, system)
    rows = [
        replace(row, code=zeros.get(row.code, row.code), parent=zeros.get(row.parent, row.parent))
        for row in rows
    ]
    above = {row.code: row.parent for row in rows}
    resolved = resolve_codes([*above, *filter(None, above.values())], system, above)
    lines = [
        replace(
            row,
            code=resolved.codes.get(row.code, row.code),
            parent=resolved.codes.get(row.parent, row.parent),
        )
        for row in rows
    ]
    return lines, [
        *repairs,
        *(guess_repair(text, *codes) for text, codes in resolved.guessed.items()),
    ]


def _once(rows: Iterable[CodeRow]) -> tuple[dict[str, CodeRow], list[Repair]]:
    """Return the lines that can stand, by code; the first of several."""
    rows_by_code: dict[str, CodeRow] = {}
    mended = []
    for row in rows:
        line = f"line {row.number}"
        if not row.code or not row.label:
            missing = "label" if row.code else "code"
            mended.append(Repair(row.code, f"{line} has no {missing}", "the line was left out"))
        elif not row.code.isprintable():
            problem = f"{line} has a code with signs that cannot be seen, {row.code!a}"
            mended.append(Repair(ascii(row.code), problem, "the line was left out"))
        elif row.code in rows_by_code:
            problem = f"{row.code} occurs again on {line}"
            mended.append(Repair(row.code, problem, "the line was left out"))
        else:
            rows_by_code[row.code] = row
    return rows_by_code, mended


def _rows(path: Path) -> Iterator[CodeRow]:
    with VOCABULARY_FILES.translated("{path} cannot be read as a table ({reason}).", path=path):
        written = list(io.StringIO(text_of(path)))
        delimiter = delimiter_of(written[0] if written else "")
        lines = csv.reader(written, delimiter=delimiter)
        columns = _columns(next(lines, []))
        if not {"code", "label"} <= columns.keys():
            raise VocabularyError(
                f"{path} needs a first line that names the columns: code, parent, label, and "
                "synonyms where there are some."
            )
        above = lines.line_num
        for cells in lines:
            if lines.line_num > above + 1:
                _refuse_swallowed(written, above, lines.line_num, delimiter, path)
            above = lines.line_num
            if any(cell.strip() for cell in cells):
                yield _row(lines.line_num, cells, columns)


def _refuse_swallowed(
    written: Sequence[str], above: int, last: int, delimiter: str, path: Path
) -> None:
    """Refuse a row of several lines of which the quotation mark is not closed where a cell ends.

    It has taken other rows in, up to the end of the file.
    """
    try:
        next(csv.reader(written[above:last], delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise VocabularyError(
            f"{path} has a quotation mark on line {above + 1} that is not closed in its row, so that "
            "the codes behind it would be lost. Close it, or take it away."
        ) from error


def _row(number: int, cells: list[str], columns: Mapping[str, int]) -> CodeRow:
    def cell(name: str) -> str:
        at = columns.get(name, len(cells))
        return composed(" ".join(cells[at].split())) if at < len(cells) else ""

    others = dict.fromkeys(filter(None, SEPARATOR.split(label_line(cell("synonyms")))))
    label = label_line(cell("label"))
    others.pop(label, None)
    return CodeRow(number, cell("code"), cell("parent"), label, tuple(others))


def _columns(names: list[str]) -> dict[str, int]:
    """Return which column is which, by the first name of each that is there."""
    plain = [name.strip().casefold().replace(" ", "_") for name in names]
    columns = {}
    for column, titles in COLUMNS.items():
        at = next((plain.index(name) for name in titles if name in plain), None)
        if at is not None:
            columns[column] = at
    return columns


def _read(files: VocabularyFiles) -> CodeReading:
    return read_code_table(files.paths[0], files.vocabulary_id)


READER = VocabularyReader(
    "table of codes",
    ("csv", "tsv", "txt", "gz"),
    can_read=lambda files: files.single is not None and is_code_table(files.single),
    read=_read,
)

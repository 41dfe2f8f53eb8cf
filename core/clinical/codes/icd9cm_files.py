"""The files that ICD-9-CM comes in, each read into titles by code with its point.

- the release of its keepers: a zip whose texts `…DESC_LONG_DX.txt` and `…DESC_LONG_SG.txt` give
  every code that may be assigned, without points;
- a titled tree: code and title by a tab, ranges (`001-009.99`) and categories among them;
- a table of code and description, in which a title goes after those of its categories (`A; B`).
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.clinical.codes.decimal_points import guess_repair, resolve_codes
from core.clinical.codes.lost_zeros import has_lost_zeros, restored_zeros
from core.clinical.notation import (
    DIAGNOSIS,
    ICD9CM,
    PROCEDURE,
    CodeRange,
    possible_codes,
    with_decimal_point,
)
from core.errors import VocabularyError
from core.vocabulary.reading import VocabularyFiles
from core.vocabulary.repairs import Repair
from core.vocabulary.text_files import beginning_of, bounded_text, text_of

ROOT = "@"
NEARLY_ALL = 0.8
RELEASED = {"DX": DIAGNOSIS, "SG": PROCEDURE}
_RELEASE = re.compile(r"(?:CMS)?([0-9]{0,9}+)_?DESC_LONG_(DX|SG)\.txt", re.IGNORECASE)
_NAME = re.compile(r"icd[\W_]*9(?!\d)", re.IGNORECASE)
_PATH = "; "
Titles = dict[str, str]


@dataclass(slots=True)
class TitledCodes:
    """What the files together say.

    Attributes:
        released: title of each code that the release has: those that may be assigned.
        release: its number, "" where none was read.
        tree: titles of the tree, ranges among them.
        table: titles of the table, of the code alone.
        strange: what stands where a code is expected, and is none.
        guessed: codes without their decimal point that may be two, and such as have lost zeros.
    """

    released: Titles = field(default_factory=dict)
    release: str = ""
    tree: Titles = field(default_factory=dict)
    table: Titles = field(default_factory=dict)
    strange: list[str] = field(default_factory=list)
    guessed: list[Repair] = field(default_factory=list)


def is_icd9cm(path: Path, *, named: bool = False) -> bool:
    """Return whether a file is one of those that this module reads.

    Numbers alone may be anybody's: a list is of ICD-9-CM where one of its codes also has a point or
    a letter, or is a range, or where it is called so.

    Args:
        named: whether a person said that it is ICD-9-CM.
    """
    try:
        if zipfile.is_zipfile(path):
            return bool(_release_texts(path))
        if not _are_codes(_first_cells(beginning_of(path).splitlines()[:200])):
            return False
        if named or _NAME.search(path.name):
            return True
        return any(map(_is_telling, _first_cells(text_of(path).splitlines())))
    except VOCABULARY_FILES.errors:
        return False


def other_files(files: VocabularyFiles) -> list[str]:
    """Return the names of the files that are none of ICD-9-CM, by their names or contents.

    Beside a file that surely is, a list of numbers is of ICD-9-CM as well.
    """
    paths, vocabulary_id = files.paths, files.vocabulary_id
    if vocabulary_id not in (None, ICD9CM):
        return [path.name for path in paths]
    named = vocabulary_id == ICD9CM or (len(paths) > 1 and any(map(is_icd9cm, paths)))
    return [path.name for path in paths if not is_icd9cm(path, named=named)]


def _first_cells(lines: list[str]) -> list[str]:
    """Return what stands where a table or a tree has its codes; nothing of a tree with a header."""
    if lines and _is_header(lines[0]):
        return [_cells(line)[0] for line in lines[1:]]
    codes = [line.split("\t", 1)[0].strip() for line in lines if "\t" in line]
    has_header = bool(codes) and codes[0] != ROOT and not _is_code_or_range(codes[0])
    return [] if has_header else [code for code in codes if code != ROOT]


def _are_codes(texts: list[str]) -> bool:
    """Return whether nearly all of these have the shape of a code or range, or had it once."""
    whole = [text for text in texts if not has_lost_zeros(text)]
    return sum(map(_is_code_or_range, whole)) > NEARLY_ALL * len(whole)


def _is_telling(text: str) -> bool:
    """Return whether this is a code or range of ICD-9-CM, and no mere number."""
    return not text.isdigit() and _is_code_or_range(text)


def read_titles(paths: list[Path]) -> TitledCodes:
    """Return the titles of all these files together.

    Raises:
        VocabularyError: a file cannot be read, or is none of ICD-9-CM.
    """
    titled_codes = TitledCodes()
    for path in paths:
        with VOCABULARY_FILES.translated("{path} cannot be read ({reason}).", path=path):
            _read(path, titled_codes)
    if not (titled_codes.released or titled_codes.tree or titled_codes.table):
        raise VocabularyError(f"{', '.join(map(str, paths))}: no code of ICD-9-CM was found there.")
    return titled_codes


def _read(path: Path, titled_codes: TitledCodes) -> None:
    if zipfile.is_zipfile(path):
        texts = _release_texts(path)
        with zipfile.ZipFile(path) as archive:
            for name, (release, part) in texts.items():
                titled_codes.release = release or titled_codes.release
                kind = RELEASED[part.upper()]
                with archive.open(name) as file:
                    titles = bounded_text(file, path).decode("latin-1")
                titled_codes.released.update(_released(titles, kind))
        return
    text = text_of(path)
    if _is_header(text.partition("\n")[0]):
        earlier_titles, rows = titled_codes.table, _last_titles(text)
    else:
        earlier_titles, rows = titled_codes.tree, _tree(text)
    named = list(rows)
    zeros, repairs = restored_zeros(dict(named), ICD9CM)
    titled_codes.guessed += repairs
    named = [(zeros.get(code, code), title) for code, title in named]
    codes = resolve_codes((code for code, _ in named if "-" not in code), ICD9CM)
    titled_codes.guessed += [guess_repair(code, *both) for code, both in codes.guessed.items()]
    for code, title in named:
        if _is_code_or_range(code):
            earlier_titles[codes.codes.get(code, code)] = title
        else:
            titled_codes.strange.append(code)


def _release_texts(path: Path) -> dict[str, tuple[str, str]]:
    """Number and part of each text in the zip that holds long titles."""
    with zipfile.ZipFile(path) as archive:
        names = ((name, _RELEASE.fullmatch(Path(name).name)) for name in archive.namelist())
        return {name: (match[1], match[2]) for name, match in names if match}


def _released(text: str, kind: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        code, _, title = line.strip().partition(" ")
        if code and title:
            yield with_decimal_point(code, ICD9CM, kind=kind), title.strip()


def _tree(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        code, _, title = (part.strip() for part in line.partition("\t"))
        if title and code != ROOT:
            yield code, title


def _last_titles(text: str) -> Iterator[tuple[str, str]]:
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    next(lines, None)
    for cells in lines:
        if len(cells) > 1:
            yield cells[0].strip(), cells[1].rpartition(_PATH)[2].strip()


def _is_code_or_range(text: str) -> bool:
    if "-" not in text:
        return bool(possible_codes(text, ICD9CM))
    try:
        CodeRange.of(text)
    except ValueError:
        return False
    return True


def _is_header(line: str) -> bool:
    """Of a table; that of a tree is a code like the others."""
    return [cell.lower() for cell in _cells(line)] == ["code", "description"]


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(",")]

"""What readers of records share: reading files of lines, checking records, collecting problems.

Files are plain or gzipped: JSON Lines, and tables with a delimiter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from core.documents.rows import records as rows
from core.documents.rows.delimited import TableForm, delimited_rows
from core.documents.rows.files import UNPACKING_ERRORS, rows_of, unpacked
from core.documents.rows.json_rows import NO_OBJECT, json_rows
from core.documents.rows.records import damaged
from core.errors import ConfigError, DocumentError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, without_leaks
from training.corpora.sampling import DRAWN_DEV_SHARE, completed

Record = Mapping[str, Any]

SMALLEST_JUDGED_SPLIT = 20
"""Below this many records, a file is never refused for the share of bad ones alone."""


class RecordError(Exception):
    """A record cannot be used; the text gives the reason, not the place."""


@dataclass(slots=True)
class CollectedDocuments:
    """The usable documents of one split, and a sentence for each record that was not."""

    documents: list[LabelledDocument] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def require_mostly_good(self, where: str) -> None:
        """Refuse a split that has no usable record, or mostly unusable ones.

        Raises:
            DocumentError: names the place, the counts and the first problem.
        """
        good, bad = len(self.documents), len(self.problems)
        if good and (bad <= good or good + bad < SMALLEST_JUDGED_SPLIT):
            return
        first = f" The first problem: {self.problems[0]}" if self.problems else ""
        raise DocumentError(
            f"{where} has {good:,} usable records and {bad:,} unusable ones.{first}"
        )


def collect(
    records: Iterable[tuple[str, Callable[[], Record]]],
    parse: Callable[[Record], LabelledDocument],
    where: object = None,
) -> CollectedDocuments:
    """Parse every record, given as its place ("file, line 3") and a way to load it.

    Args:
        where: what messages call the source, of which most records must be usable; None where they
            are a part of one.
    Raises:
        DocumentError: most of them are unusable.
    """
    collected = CollectedDocuments()
    for place, load in records:
        try:
            collected.documents.append(parse(load()))
        except RecordError as problem:
            collected.problems.append(f"{place}: {problem}, so it is skipped.")
    if where is not None:
        collected.require_mostly_good(str(where))
    return collected


def read_splits(
    sources: Mapping[str, tuple[object, Records]], parse: Callable[[Record], LabelledDocument]
) -> tuple[dict[str, list[LabelledDocument]], list[str]]:
    """Return the documents of every split, and a sentence for each record that is none.

    Args:
        sources: split -> what messages call it, and its records; a split may be missing.
    Raises:
        DocumentError: most records of a split are unusable.
    """
    splits: dict[str, list[LabelledDocument]] = {name: [] for name in SPLITS}
    problems: list[str] = []
    for name, (where, records) in sources.items():
        collected = collect(records, parse, where)
        splits[name] = collected.documents
        problems += collected.problems
    return splits, problems


def as_record(value: object) -> Record:
    """Return the JSON object, or a complaint where the JSON is something else."""
    if not isinstance(value, dict):
        raise RecordError(NO_OBJECT)
    return value


def text_field(record: Record, *names: str) -> str:
    """Return the first named field that is there, stripped; "" for none or null."""
    for name in names:
        value = record.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise RecordError(f"{name} must be text, not {type(value).__name__}")
        return value.strip()
    return ""


def id_field(record: Record, *names: str) -> str:
    """Return the document's id, which may be a number; a document without one cannot be used."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int | str) and str(value).strip():
            return str(value).strip()
    raise RecordError(f"no id under {' or '.join(names)}")


def concepts_field(record: Record, *names: str) -> tuple[str, ...]:
    """Return the assigned concept ids, each once, in their order; an empty list is no problem."""
    for name in names:
        if name not in record:
            continue
        value = record[name]
        if not isinstance(value, list):
            raise RecordError(f"{name} must be a list, not {type(value).__name__}")
        if not all(isinstance(item, int | str) for item in value):
            raise RecordError(f"{name} must hold concept ids only")
        return tuple(dict.fromkeys(str(item).strip() for item in value if str(item).strip()))
    raise RecordError(f"no concepts under {' or '.join(names)}")


def label_names(rows: Iterable[LabelledDocument]) -> dict[str, str]:
    """Return every label of these documents, sorted, called by its id."""
    return {label: label for label in sorted({label for row in rows for label in row.assigned})}


def corpus_of(
    name: str,
    splits: Mapping[str, Sequence[LabelledDocument]],
    *,
    sha256: Mapping[str, str],
    problems: Iterable[str],
    labels: Mapping[str, str] | None = None,
    remarks: Sequence[str] = (),
    dev_share: float = DRAWN_DEV_SHARE,
) -> Corpus:
    """Return the corpus of what a reader found: each document once, splits that lack drawn.

    Args:
        labels: id -> name; None for those that occur, called by their ids.
        remarks: on the splits as they came.
        dev_share: of the training documents, where dev is drawn from them.
    """
    remaining, leaks = without_leaks({split: splits.get(split, ()) for split in SPLITS})
    ready, drawn = completed(remaining, dev_share)
    if labels is None:
        labels = label_names(row for rows in remaining.values() for row in rows)
    return Corpus(
        name,
        *ready,
        sha256=sha256,
        problems=(*problems, *leaks),
        labels=labels,
        remarks=(*remarks, *drawn),
    )


# ---------------------------------------------------------------------- files of lines

Records = Iterator[tuple[str, Callable[[], Record]]]
"""The place of each record ("file, line 3"), and a way to parse it."""

ROW_ID = "row_id"
"""Field under which a row has its split and number, as "train-12"."""


def json_lines_file(folder: Path, name: str) -> Path | None:
    """Return the file of a split, plain or gzipped; None where there is neither."""
    candidates = (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz")
    return next((path for path in candidates if path.is_file()), None)


def required_json_lines(folder: Path, name: str) -> Path:
    """Return the file of a split, plain or gzipped.

    Raises:
        ConfigError: there is neither.
    """
    path = json_lines_file(folder, name)
    if path is None:
        wanted = folder / f"{name}.jsonl"
        raise ConfigError(f"There is neither {wanted} nor its .gz: the corpus needs {name}.")
    return path


def json_lines(path: Path) -> Records:
    """Read every line that is not blank as JSON, or the objects of an array.

    Raises:
        DocumentError: the file cannot be unpacked.
    """
    return _located(path, json_rows)


def delimited(
    path: Path, delimiter: str, *, quoted: bool = True, header: Sequence[str] = ()
) -> Records:
    """Read every row of a table that is not blank, by the names of its columns.

    Args:
        quoted: whether a field may stand in quotation marks; in GLUE's files they are text.
        header: names of the columns, where the file's first row does not give them.
    Raises:
        DocumentError: the file cannot be unpacked.
    """
    form = TableForm(delimiter, header=header, quoted=quoted, is_even=True)
    return _located(path, lambda file: delimited_rows(file, form)[1])


def rows_at(path: Path) -> Records:
    """Read the rows of a file by the ending of its name, a table's with as many cells as columns.

    Raises:
        DocumentError: the file cannot be unpacked.
    """
    return _located(path, lambda file: rows_of(path.name, file, is_even=True)[1])


def text_lines(path: Path) -> Iterator[str]:
    """Yield every line of a text file, blank ones too, without its end.

    Raises:
        DocumentError: the file cannot be unpacked or is not UTF-8.
    """
    with _readable(path) as lines:
        for line in _decoded(path, lines):
            yield line.rstrip("\r\n")


def with_ids(records: Records, split: str) -> Records:
    """Return the records with their split and number, for those that have no id of their own."""
    for number, (where, load) in enumerate(records, start=1):
        yield where, partial(_with_id, load, f"{split}-{number}")


@contextmanager
def _readable(path: Path) -> Iterator[BinaryIO]:
    try:
        with unpacked(path) as file:
            yield file
    except (OSError, *UNPACKING_ERRORS) as error:
        raise DocumentError(f"{path}: {damaged(error)}; fetch it again.") from error


def _located(path: Path, read: Callable[[BinaryIO], rows.Records]) -> Records:
    """Name the file beside the line of each row; one that cannot be read is known when loaded."""
    with _readable(path) as file:
        for record in read(file):
            yield f"{path}, {record.where}", partial(_fields, record)


def _fields(record: rows.Record | rows.BadLine) -> Record:
    if isinstance(record, rows.BadLine):
        raise RecordError(record.reason)
    return record.fields


def _decoded(path: Path, lines: Iterator[bytes]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DocumentError(
                f"{path}, line {number}, is not UTF-8: save the table in that encoding."
            ) from error


def _with_id(load: Callable[[], Record], row_id: str) -> Record:
    return {**load(), ROW_ID: row_id}

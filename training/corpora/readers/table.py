"""Reader of any table of texts and labels: CSV, TSV, JSON Lines or a JSON array, plain or gzipped.

Columns: `text`; `label` (one) or `labels` (several, separated by ";", or a list in JSON Lines);
optionally `id`, `title`, `date`, `split` (train, dev or test), and `text2`, the second text of a
pair. Labels in a column of another name are learned by naming it as the task: with
data.task = "urgency" it is the column `urgency` (one label, or several separated by ";").

The path is one file, or a folder with train.csv and, if there are any, dev.csv and test.csv. A test
file without the column of the labels is kept apart, to be predicted.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.documents.rows.files import ROW_FORMATS, suffix_of
from core.errors import ConfigError
from training.corpora.corpus import (
    SPLITS,
    Corpus,
    LabelledDocument,
    checksums,
    told_apart,
)
from training.corpora.records import (
    ROW_ID,
    Record,
    RecordError,
    collect,
    corpus_of,
    id_field,
    rows_at,
    text_field,
    with_ids,
)

SEPARATOR = ";"
SUFFIXES = tuple(ROW_FORMATS)
SPLIT_NAMES = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "test": "test"}
"""Name of a file, or value of the column `split` -> split."""


def read_table(path: Path, task: str = "") -> Corpus:
    """Read a table, or a folder of tables.

    Args:
        task: column of the labels, where it is neither `label` nor `labels`.
    Raises:
        ConfigError: the folder holds no train.csv, .tsv or .jsonl, or the file is of another kind.
        DocumentError: a file is no table, or most of its rows are unusable.
    """
    files = {path: "train"} if path.is_file() else table_files(path)
    table, problems = CorpusTable(task), list[str]()
    for file, split in files.items():
        if suffix_of(file.name) not in ROW_FORMATS:
            raise ConfigError(f"{file} is none of {', '.join(SUFFIXES)}, plain or .gz.")
        rows = with_ids(rows_at(file), split)
        problems += collect(rows, partial(table.add, split), file).problems
    problems += table.require_one_label()
    splits, renamed = told_apart(table.splits)
    return corpus_of(
        path.name.partition(".")[0],
        splits,
        sha256=checksums(files),
        problems=(*problems, *renamed),
    )


class CorpusTable:
    """The rows of a table's files, each in its split; those of test without labels are left out."""

    def __init__(self, task: str) -> None:
        self.task = task
        self.splits: dict[str, list[LabelledDocument]] = {name: [] for name in SPLITS}
        self.has_several = False

    def add(self, split: str, record: Record) -> LabelledDocument:
        """Return one row as a labelled document, put where it belongs.

        Raises:
            RecordError: it has no text, no labels outside of test, or an unknown split.
        """
        split = split_of(record, split)
        labels = labels_of(record, self.task)
        row = LabelledDocument(document_of(record), labels or (), text_field(record, "date"))
        if labels is not None:
            self.splits[split].append(row)
        elif split != "test":
            wanted = self.task or "label or labels"
            raise RecordError(
                f"no column {wanted} among {', '.join(n for n in record if n != ROW_ID)}"
            )
        self.has_several |= len(row.assigned) > 1 or (not self.task and "labels" in record)
        return row

    def require_one_label(self) -> list[str]:
        """Drop rows without a label where no row has several; a sentence for each."""
        if self.has_several:
            return []
        problems: list[str] = []
        for name, rows in self.splits.items():
            problems += [
                f"{row.document_id} has no label, where each row has one, so it is skipped."
                for row in rows
                if not row.assigned
            ]
            self.splits[name] = [row for row in rows if row.assigned]
        return problems


def document_of(record: Record) -> Document:
    """Return the text of a row; of a pair, the first text is the title and the second the part.

    Raises:
        RecordError: there is no text.
    """
    text, second = text_field(record, "text"), text_field(record, "text2")
    title = text_field(record, "title")
    if title and second:
        raise RecordError("a row has either a title or a second text")
    if not (text or title):
        raise RecordError(
            f"no text in the column text, among {', '.join(n for n in record if n != ROW_ID)}"
        )
    document_id = id_field(record, "id", ROW_ID)
    if "text2" in record and not title:
        return Document.from_text(document_id, text, second)
    return Document.from_text(document_id, title, text)


def labels_of(record: Record, task: str) -> tuple[str, ...] | None:
    """Return the labels of a row, each once, in their order; None where there is no such column.

    Raises:
        RecordError: the value is no label, or a row that should have one label has none.
    """
    name = task or ("labels" if "labels" in record else "label")
    if name not in record:
        return None
    value = record[name]
    if isinstance(value, list):
        return _distinct([_label(item) for item in value])
    text = "" if value is None else _label(value)
    if name == "label":
        if not text:
            raise RecordError("the row has no label")
        return (text,)
    return _distinct(text.split(SEPARATOR))


def split_of(record: Record, split: str) -> str:
    """Return the split that a row names, or that of its file.

    Raises:
        RecordError: it names another than train, dev and test.
    """
    named = text_field(record, "split").lower()
    if named and named not in SPLIT_NAMES:
        raise RecordError(f"there is no split {named!r}, only {', '.join(SPLITS)}")
    return SPLIT_NAMES[named] if named else split


def table_files(folder: Path) -> dict[Path, str]:
    """Return the files of a folder that are named as a split, and which one each is.

    Raises:
        ConfigError: there is none for training.
    """
    names = [(name, f"{name}{kind}{gz}") for name in SPLIT_NAMES for kind in SUFFIXES
             for gz in ("", ".gz")]  # fmt: skip
    files = {folder / file: SPLIT_NAMES[name] for name, file in names if (folder / file).is_file()}
    if "train" not in files.values():
        raise ConfigError(f"{folder} holds no train{', train'.join(SUFFIXES)} (or .gz of them).")
    return files


def _label(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise RecordError(f"a label must be text or a number, not {type(value).__name__}")
    return str(value).strip()


def _distinct(labels: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label.strip() for label in labels if label.strip()))

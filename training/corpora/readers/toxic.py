"""Reader of Kaggle's toxic comments: train.csv, test.csv and test_labels.csv, six labels.

test.csv has no labels. They were given out later: with test_labels.csv, the comments that were scored
(no -1) are test, and dev is a tenth of train.csv. Without that file, train.csv is split at random into
train, dev and test.
Source: Toxic Comment Classification Challenge (2018), and the article on multi-label BERT.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, checksums
from training.corpora.records import (
    Record,
    RecordError,
    collect,
    corpus_of,
    delimited,
    id_field,
    text_field,
)

LABELS = {
    "toxic": "toxic",
    "severe_toxic": "severe toxic",
    "obscene": "obscene",
    "threat": "threat",
    "insult": "insult",
    "identity_hate": "identity hate",
}
"""Column -> name, in the order of the file."""

NOT_SCORED = "-1"


def read_toxic(folder: Path) -> Corpus:
    """Read the files of a folder; only train.csv has to be there.

    Raises:
        ConfigError: there is no train.csv.
        DocumentError: a file is no table, or most of its rows are unusable.
    """
    names = ("train.csv", "test.csv", "test_labels.csv")
    files = {name: folder / name for name in names if (folder / name).is_file()}
    if "train.csv" not in files:
        raise ConfigError(f"There is no {folder / 'train.csv'}: Kaggle's archive has it.")
    train, problems = _comments(files["train.csv"], labelled=True)
    scored = list[LabelledDocument]()
    if {"test.csv", "test_labels.csv"} <= files.keys():
        comments, skipped = _comments(files["test.csv"], labelled=False)
        labels, damaged = _scored(files["test_labels.csv"])
        problems += [*skipped, *damaged]
        scored = [replace(row, assigned=labels[row.document_id]) for row in comments
                  if row.document_id in labels]  # fmt: skip
    return corpus_of(
        "toxic",
        {"train": train, "test": scored},
        sha256=checksums(files.values()),
        problems=problems,
        labels=LABELS,
    )


def parse_comment(record: Record, *, labelled: bool) -> LabelledDocument:
    """Return one comment, with the labels of its row, or without any.

    Raises:
        RecordError: there is no id or no text, or a label is neither 0 nor 1.
    """
    document_id, text = id_field(record, "id"), text_field(record, "comment_text")
    if labelled and not text:
        raise RecordError(f"{document_id} has no text")
    assigned = labels_of(record) if labelled else ()
    return LabelledDocument(Document.from_text(document_id, "", text), assigned)


def labels_of(record: Record) -> tuple[str, ...]:
    """Return the labels whose column is 1.

    Raises:
        RecordError: a column is missing, or is neither 0 nor 1.
    """
    values = {label: text_field(record, label) for label in LABELS}
    for label, value in values.items():
        if value not in {"0", "1"}:
            raise RecordError(f"{label} is {value!r}, neither 0 nor 1")
    return tuple(label for label, value in values.items() if value == "1")


def _comments(file: Path, *, labelled: bool) -> tuple[list[LabelledDocument], list[str]]:
    parse = partial(parse_comment, labelled=labelled)
    collected = collect(delimited(file, ","), parse, file)
    return collected.documents, collected.problems


def _scored(file: Path) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return id -> labels of the comments of the test set that were scored."""
    labels: dict[str, tuple[str, ...]] = {}
    problems: list[str] = []
    for where, load in delimited(file, ","):
        try:
            record = load()
            if text_field(record, "toxic") != NOT_SCORED:
                labels[id_field(record, "id")] = labels_of(record)
        except RecordError as problem:
            problems.append(f"{where}: {problem}, so it is skipped.")
    return labels, problems

"""A corpus of labelled documents in three splits, with the checksums of the files it came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.documents.document import Document

SPLITS = ("train", "dev", "test")

_BLOCK_BYTES = 1 << 16
"""Of a file that is checked: a corpus of a gigabyte is never in memory as a whole."""


@dataclass(frozen=True, slots=True)
class LabelledDocument:
    """A document and the concepts that people assigned to it.

    Attributes:
        assigned: concept ids as the corpus names them; they may be unknown to the vocabulary.
        date: as the corpus writes it (ISO 8601 where there is one), or "".
    """

    document: Document
    assigned: tuple[str, ...]
    date: str = ""

    @property
    def document_id(self) -> str:
        """The document's id, such as a CELEX number."""
        return self.document.document_id

    @property
    def is_full_text(self) -> bool:
        """Whether more than the title is known."""
        return bool(self.document.parts)

    def title_alone(self) -> LabelledDocument:
        """Return the same document without its text, to see what the text is worth."""
        document = Document(self.document.document_id, self.document.title, ())
        return LabelledDocument(document, self.assigned, self.date)


class Splits(NamedTuple):
    """The documents of each split."""

    train: tuple[LabelledDocument, ...]
    dev: tuple[LabelledDocument, ...]
    test: tuple[LabelledDocument, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Labelled documents, in the splits of those who made the corpus.

    Attributes:
        sha256: checksum of each file (or folder of files), by its name within the corpus.
        problems: one sentence for every record that was skipped or mended.
        labels: id -> name of every label; empty where a vocabulary file holds them.
        remarks: what must be known to read a result: which split was drawn, what stands for what.
    """

    name: str
    train: tuple[LabelledDocument, ...]
    dev: tuple[LabelledDocument, ...]
    test: tuple[LabelledDocument, ...]
    sha256: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def has_single_labels(self) -> bool:
        """Whether every document has exactly one label."""
        return all(len(row.assigned) == 1 for name in SPLITS for row in self.split(name))

    def split(self, name: str) -> tuple[LabelledDocument, ...]:
        """Return one split by its name: train, dev or test."""
        return {"train": self.train, "dev": self.dev, "test": self.test}[name]

    def summary(self) -> str:
        """Return one line with the sizes and how many records were skipped or mended."""
        sizes = ", ".join(f"{name} {len(self.split(name)):,}" for name in SPLITS)
        return f"{self.name}: {sizes}; {len(self.problems):,} problems in the records"

    def report(self, n_problems: int = 5) -> str:
        """Return the summary, and the first problems below it."""
        shown, n_more = self.problems[:n_problems], len(self.problems) - n_problems
        more = (f"… and {n_more:,} more",) if n_more > 0 else ()
        return "\n  ".join((self.summary(), *shown, *more))


def full_texts(documents: Iterable[LabelledDocument]) -> list[LabelledDocument]:
    """Return those documents of which more than the title is known, in their order."""
    return [document for document in documents if document.is_full_text]


def evenly(documents: Sequence[LabelledDocument], at_most: int) -> list[LabelledDocument]:
    """Return some documents at even distances; all where there are no more, or `at_most` is 0."""
    if not at_most or len(documents) <= at_most:
        return list(documents)
    places = np.linspace(0, len(documents) - 1, at_most).round().astype(int)
    return [documents[place] for place in places]


def without_leaks(
    splits: Mapping[str, Sequence[LabelledDocument]],
) -> tuple[dict[str, tuple[LabelledDocument, ...]], list[str]]:
    """Keep each document once, in the latest split that has it, so that no test act is learned.

    Returns:
        The splits, and one sentence for every document that was dropped.
    """
    seen: dict[str, str] = {}
    remaining: dict[str, tuple[LabelledDocument, ...]] = {}
    problems: list[str] = []
    for name in reversed(SPLITS):
        rows: list[LabelledDocument] = []
        for row in splits[name]:
            if row.document_id in seen:
                where = seen[row.document_id]
                problems.append(
                    f"A second {row.document_id} is dropped from {name}: {where} has it."
                )
                continue
            seen[row.document_id] = name
            rows.append(row)
        remaining[name] = tuple(rows)
    return remaining, problems


def told_apart(
    splits: Mapping[str, Sequence[LabelledDocument]],
) -> tuple[dict[str, tuple[LabelledDocument, ...]], tuple[str, ...]]:
    """Give documents of one id and different texts ids of their own, as "train:7".

    Rows that are numbered anew in each file are other documents, and none of them may be dropped as
    a leak. Where most of the ids that two splits share have the same text in both, an id says which
    document it is; then nothing is changed, since a text that was mended is still a leak.

    Returns:
        The splits, and a sentence where ids were changed.
    """
    texts: dict[str, list[str]] = {}
    for name in SPLITS:
        for document_id, text in {row.document_id: _words(row) for row in splits[name]}.items():
            texts.setdefault(document_id, []).append(text)
    shared = {document_id: of for document_id, of in texts.items() if len(of) > 1}
    anew = {document_id for document_id, of in shared.items() if len(set(of)) > 1}
    if 2 * len(anew) <= len(shared):
        return {name: tuple(splits[name]) for name in SPLITS}, ()
    renamed = {
        name: tuple(
            _of_split(row, name) if row.document_id in anew else row for row in splits[name]
        )
        for name in SPLITS
    }
    sentence = (
        f"{len(anew):,} ids stand for different texts in different splits, so the rows are "
        "numbered anew in each: their ids begin with the split, as “train:1”."
    )
    return renamed, (sentence,)


def _words(row: LabelledDocument) -> str:
    return " ".join(f"{row.document.title}\n{row.document.text}".split())


def _of_split(row: LabelledDocument, split: str) -> LabelledDocument:
    return replace(row, document=replace(row.document, document_id=f"{split}:{row.document_id}"))


def checksums(files: Iterable[Path]) -> dict[str, str]:
    """Return the checksum of each file, by its name."""
    return {file.name: sha256_of([file]) for file in files}


def sha256_of(paths: Iterable[Path]) -> str:
    """Return one checksum over the names and contents of files, in sorted order of their names."""
    digest = hashlib.sha256()
    paths = sorted(paths, key=lambda path: path.name)
    for path in paths:
        if len(paths) > 1:
            digest.update(path.name.encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
    return digest.hexdigest()

"""Reader of AAPD, abstracts of papers on arXiv with one to eight of 54 subjects, as published.

Two layouts, each with its 53,840 training, 1,000 dev and 1,000 test abstracts: that of its makers,
text_train and label_train (then val and test), with an abstract a line and the subjects of the
same line, such as `cs.IT math.IT`; and hedwig's train.tsv, dev.tsv and test.tsv, where 54 figures
stand for the subjects. The order of these was not published: the subjects are called by their place
(01 to 54), or by the lines of a file labels.txt that names them in that order.
Source: Yang et al. (2018), SGM: Sequence Generation Model for Multi-label Classification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError, DocumentError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, checksums
from training.corpora.readers.hedwig import read_rows, tsv_files
from training.corpora.records import (
    ROW_ID,
    Record,
    RecordError,
    collect,
    corpus_of,
    text_lines,
)
from training.corpora.sampling import repeated_texts

N_SUBJECTS = 54
NAMES = "labels.txt"
SUFFIX = {"train": "train", "dev": "val", "test": "test"}
"""Split -> end of the names of its two files."""


def read_aapd(folder: Path) -> Corpus:
    """Read the folder in whichever of the layouts it is.

    Raises:
        ConfigError: it has neither text_train nor train.tsv, or names another number of subjects.
        DocumentError: most abstracts of a split are unusable, or the two files of a split differ in
            their number of lines.
    """
    pairs, tables = _pairs(folder), tsv_files(folder)
    if pairs:
        read = {
            split: collect(_records(texts, subjects, split), parse_abstract, texts)
            for split, (texts, subjects) in pairs.items()
        }
        files = [file for both in pairs.values() for file in both]
    elif "train" in tables:
        classes = _subjects(folder)
        read = {split: read_rows(file, split, classes) for split, file in tables.items()}
        files = list(tables.values())
    else:
        raise ConfigError(
            f"{folder} has neither text_train and label_train nor train.tsv: AAPD comes as these."
        )
    corpus = corpus_of(
        "aapd",
        {split: of.documents for split, of in read.items()},
        sha256=checksums(files),
        problems=[problem for of in read.values() for problem in of.problems],
    )
    return replace(corpus, remarks=(*corpus.remarks, *repeated_texts(corpus)))


def parse_abstract(record: Record) -> LabelledDocument:
    """Return one abstract with its subjects, each once.

    Raises:
        RecordError: it has no text or no subject.
    """
    text, subjects = record["text"].strip(), tuple(dict.fromkeys(record["label"].split()))
    if not text:
        raise RecordError("the abstract has no text")
    if not subjects:
        raise RecordError("the abstract has no subject")
    return LabelledDocument(Document.from_text(record[ROW_ID], "", text), subjects)


def _pairs(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Return the files of texts and of labels of each split that has both."""
    files = {
        split: (folder / f"text_{SUFFIX[split]}", folder / f"label_{SUFFIX[split]}")
        for split in SPLITS
    }
    there = {split: pair for split, pair in files.items() if all(file.is_file() for file in pair)}
    return there if "train" in there else {}


def _records(texts: Path, labels: Path, split: str) -> Iterator[tuple[str, Callable[[], Record]]]:
    """Yield the lines of both files side by side.

    A blank line holds its place: an abstract without text must not shift the labels of the others.

    Raises:
        DocumentError: one of the files has more lines, so that the labels are others' labels.
    """
    lines = zip_longest(text_lines(texts), text_lines(labels))
    for number, (text, label) in enumerate(lines, start=1):
        if text is None or label is None:
            raise DocumentError(
                f"{(labels if label is None else texts)} ends before line {number}, which "
                f"{(texts if label is None else labels).name} has: they must be of one release."
            )
        if text.strip() or label.strip():
            record = {"text": text, "label": label, ROW_ID: f"{split}-{number}"}
            yield f"{texts}, line {number}", partial(dict, record)


def _subjects(folder: Path) -> list[str]:
    """Return the subjects by the place of their figure.

    Raises:
        ConfigError: labels.txt is there and names another number of them, or one twice.
    """
    if not (folder / NAMES).is_file():
        return [f"{place:02}" for place in range(1, N_SUBJECTS + 1)]
    names = [line.strip() for line in text_lines(folder / NAMES) if line.strip()]
    if len(names) != N_SUBJECTS or len(set(names)) != N_SUBJECTS:
        raise ConfigError(
            f"{folder / NAMES} must name {N_SUBJECTS} different subjects, one a line, and has "
            f"{len(set(names))}."
        )
    return names

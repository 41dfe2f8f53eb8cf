"""Reader of the TREC question classes: train_5500.label and TREC_10.label, a question a line.

A line is `COARSE:fine the words of the question`. There are 6 coarse classes (the paper's task) and
50 fine ones. No dev set was published: a tenth of the training questions is dev.
Source: Li and Roth (2002), Learning Question Classifiers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, checksums
from training.corpora.records import ROW_ID, Record, RecordError, corpus_of, read_splits

FILES = {"train": "train_5500.label", "test": "TREC_10.label"}
COARSE = {
    "ABBR": "abbreviation",
    "DESC": "description",
    "ENTY": "entity",
    "HUM": "human",
    "LOC": "location",
    "NUM": "number",
}
ABBREVIATED = {
    "abb": "abbreviation",
    "exp": "meaning of an abbreviation",
    "def": "definition",
    "desc": "description",
    "cremat": "creative work",
    "dismed": "disease or medicine",
    "instru": "musical instrument",
    "techmeth": "technique",
    "termeq": "equivalent term",
    "veh": "vehicle",
    "gr": "group",
    "ind": "person",
    "mount": "mountain",
    "dist": "distance",
    "ord": "rank",
    "perc": "share",
    "temp": "temperature",
    "volsize": "size",
}
"""Fine classes whose name is no word -> a word."""

_LINE = re.compile(r"([A-Z]+):(\S+)\s+(\S.*)")


def read_trec(folder: Path, task: str = "") -> Corpus:
    """Read both files of a folder.

    Args:
        task: "" for the 6 coarse classes, "fine" for the 50 fine ones.
    Raises:
        ConfigError: a file is not there.
        DocumentError: most lines of a file are no question.
    """
    files = {split: _file(folder, name) for split, name in FILES.items()}
    sources = {split: (file, _lines(file, split)) for split, file in files.items()}
    splits, problems = read_splits(sources, partial(parse_question, fine=task == "fine"))
    labels = sorted({row.assigned[0] for rows in splits.values() for row in rows})
    return corpus_of(
        f"trec-{task or 'coarse'}",
        splits,
        sha256=checksums(files.values()),
        problems=problems,
        labels={label: class_name(label) for label in labels},
    )


def parse_question(record: Record, *, fine: bool) -> LabelledDocument:
    """Return one line as a labelled question.

    Raises:
        RecordError: it is not of the form, or of none of the coarse classes.
    """
    match = _LINE.fullmatch(record["line"])
    if not match or match[1] not in COARSE:
        raise RecordError("the line is no COARSE:fine class and a question")
    label = f"{match[1]}:{match[2]}" if fine else match[1]
    return LabelledDocument(Document.from_text(record[ROW_ID], "", match[3]), (label,))


def class_name(label: str) -> str:
    """Return what a class is called in words: "human" or "human: person"."""
    coarse, _, fine = label.partition(":")
    return f"{COARSE[coarse]}: {ABBREVIATED.get(fine, fine)}" if fine else COARSE[coarse]


def _file(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise ConfigError(f"There is no {folder / name}: TREC's questions come in it.")
    return folder / name


def _lines(file: Path, split: str) -> Iterator[tuple[str, Callable[[], Record]]]:
    # The files hold one byte that is not ASCII; latin-1 reads any.
    for number, line in enumerate(file.read_bytes().decode("latin-1").split("\n"), start=1):
        if line.strip():
            record = {"line": line.strip(), ROW_ID: f"{split}-{number}"}
            yield f"{file}, line {number}", partial(dict, record)

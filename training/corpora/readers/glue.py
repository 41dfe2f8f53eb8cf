"""Reader of the GLUE tasks of Wang et al. (2020), Table 1, in the layout of the official release.

The path is a task's folder, or the folder that holds the tasks' folders (MRPC, CoLA, SST-2 …). The
labels of the official test sets are kept by GLUE, so dev is judged in their place, as published
figures on dev are; of MNLI, dev is the matched and test the mismatched dev set.
Source: Wang et al. (2018), GLUE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, checksums
from training.corpora.records import (
    ROW_ID,
    Record,
    RecordError,
    corpus_of,
    delimited,
    read_splits,
    text_field,
    with_ids,
)


@dataclass(frozen=True, slots=True)
class GlueTask:
    """Layout of a task's files.

    Attributes:
        folder: its name in the release.
        texts: columns of the text, or of the two texts of a pair.
        label: column of the label.
        labels: id as it stands in the column -> name.
        header: columns of files that have no header.
        files: split -> file.
    """

    folder: str
    texts: tuple[str, ...]
    label: str
    labels: Mapping[str, str]
    header: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = (("train", "train.tsv"), ("dev", "dev.tsv"))


PAIR = ("sentence1", "sentence2")
MNLI_FILES = (
    ("train", "train.tsv"),
    ("dev", "dev_matched.tsv"),
    ("test", "dev_mismatched.tsv"),
)
MNLI_LABELS = {name: name for name in ("contradiction", "entailment", "neutral")}

TASKS: Mapping[str, GlueTask] = {
    "wnli": GlueTask("WNLI", PAIR, "label", {"0": "not entailment", "1": "entailment"}),
    "rte": GlueTask(
        "RTE", PAIR, "label", {"entailment": "entailment", "not_entailment": "not entailment"}
    ),
    "mrpc": GlueTask(
        "MRPC",
        ("#1 String", "#2 String"),
        "Quality",
        {"0": "not equivalent", "1": "equivalent"},
    ),
    "cola": GlueTask(
        "CoLA",
        ("sentence",),
        "label",
        {"0": "unacceptable", "1": "acceptable"},
        header=("source", "label", "star", "sentence"),
    ),
    "sst-2": GlueTask("SST-2", ("sentence",), "label", {"0": "negative", "1": "positive"}),
    "mnli": GlueTask(
        *("MNLI", PAIR, "gold_label", MNLI_LABELS),
        files=MNLI_FILES,
    ),
    "qqp": GlueTask(
        "QQP",
        ("question1", "question2"),
        "is_duplicate",
        {"0": "different", "1": "duplicate"},
    ),
}


def read_glue(path: Path, task: str) -> Corpus:
    """Read one task.

    Raises:
        ConfigError: one of its files is not there.
        DocumentError: a file is no table, or most of its rows are unusable.
    """
    layout = TASKS[task]
    files = task_files(path, layout)
    rows = partial(delimited, delimiter="\t", quoted=False, header=layout.header)
    sources = {name: (file, with_ids(rows(file), name)) for name, file in files.items()}
    splits, problems = read_splits(sources, partial(parse_row, layout=layout))
    both = ("Dev is the matched dev set, test the mismatched one.",)
    return corpus_of(
        f"glue-{task}",
        splits,
        sha256=checksums(files.values()),
        problems=problems,
        labels=layout.labels,
        remarks=both if "test" in files else (),
    )


def task_files(path: Path, layout: GlueTask) -> dict[str, Path]:
    """Split -> file of a task, in its own folder or in the one of all tasks.

    Raises:
        ConfigError: a file is not there.
    """
    folder = path / layout.folder if (path / layout.folder).is_dir() else path
    files = {name: folder / file for name, file in layout.files}
    for file in files.values():
        if not file.is_file():
            raise ConfigError(f"There is no {file}: the release of {layout.folder} has it.")
    return files


def parse_row(record: Record, *, layout: GlueTask) -> LabelledDocument:
    """Return one row; of a pair, the first text is the title and the second the part.

    Raises:
        RecordError: a text is missing, or the label is none of the task's.
    """
    title, text = _texts(record, layout)
    label = text_field(record, layout.label)
    if label not in layout.labels:
        raise RecordError(f"{layout.label} is {label!r}, none of {', '.join(layout.labels)}")
    # The files number their rows from 0 in each split, if at all: such an id is not unique.
    return LabelledDocument(Document.from_text(record[ROW_ID], title, text), (label,))


def _texts(record: Record, layout: GlueTask) -> tuple[str, str]:
    texts = [text_field(record, name) for name in layout.texts]
    if not all(texts):
        raise RecordError(f"no text in {' or '.join(layout.texts)}")
    return (texts[0], texts[1]) if len(texts) == 2 else ("", texts[0])

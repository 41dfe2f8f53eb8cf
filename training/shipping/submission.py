"""A submission: predictions for documents whose labels are not published.

As CSV the probability of every label, in the layout of Kaggle's toxic comments: `id` and a column a
label, in the corpus's own order. As TSV the one label of each document, in that of GLUE: `index`
and `prediction`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from core.suggest.windows import JoinRule
from training.config import load_config
from training.fitting.run import Run, load_trained
from training.judging.recorded import replacing

Array = npt.NDArray[np.floating]

TSV = ".tsv"
DIGITS = 8
"""Of a probability: areas under the ROC curve are ranked by what a few digits would make equal."""


def write_submission(run_folder: Path, out: Path) -> int:
    """Score the unlabelled documents of a finished run's corpus; returns how many there are.

    Every document is there, in the order of its file; the file is written whole or not at all.

    Args:
        out: CSV or TSV file.
    Raises:
        ConfigError: the corpus has no such documents, the run has no head for what is assigned, or
            documents of several labels would have to be named by one.
    """
    run = Run(load_config(run_folder / "config.toml"), run_folder)
    documents = run.corpus.unlabelled
    _check(run, out)
    assigned = run.scores(load_trained(run), documents, JoinRule()).assigned
    if assigned is None:
        raise ConfigError(
            f"The run {run_folder} learned no assigned labels; train it with "
            "model.assigned_head = true."
        )
    labels = list(run.corpus.labels)
    probs = assigned[:, [run.label_space.column(label) for label in labels]]
    ids = [document.document_id for document in documents]
    one_label = out.suffix == TSV
    header = ["index", "prediction"] if one_label else ["id", *labels]
    rows = best_labels(ids, labels, probs) if one_label else probabilities(ids, probs)
    with replacing(out) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t" if one_label else ",", lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    return len(documents)


def _check(run: Run, out: Path) -> None:
    corpus = run.corpus
    if not corpus.unlabelled:
        raise ConfigError(
            f"The corpus {corpus.name} has no documents without labels: a submission is made "
            "of its test.csv, or of GLUE's test.tsv."
        )
    if out.suffix == TSV and run.config.model.objective != "single_label":
        raise ConfigError(
            f"{out.name} would hold one label a document, and this run gives several: name a file "
            "that ends in .csv, which holds the probabilities of all."
        )


def probabilities(ids: Sequence[str], probs: Array) -> Iterator[list[str]]:
    """Yield a row a document; `probs` has shape (documents, labels)."""
    for document_id, row in zip(ids, probs, strict=True):
        yield [document_id, *(f"{p:.{DIGITS}f}" for p in row)]


def best_labels(ids: Sequence[str], labels: Sequence[str], probs: Array) -> Iterator[list[str]]:
    """Yield a row a document; of equally probable labels the first."""
    for document_id, best in zip(ids, probs.argmax(axis=1), strict=True):
        yield [document_id, labels[best]]

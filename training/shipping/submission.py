"""A submission: the probability of every label for documents whose labels are kept elsewhere.

The layout is that of Kaggle's toxic comments: `id` and a column a label, in the corpus's own order.
"""

from __future__ import annotations

import csv
from pathlib import Path

from core.errors import ConfigError
from core.suggest.scoring import JoinRule
from training.config import load_config
from training.fitting.run import Run, load_trained

DIGITS = 8
"""Of a probability: areas under the ROC curve are ranked by what a few digits would make equal."""


def write_submission(run_folder: Path, out: Path) -> int:
    """Score the unlabelled documents of a finished run's corpus; returns how many there are.

    Every document is there, in the order of its file; the file is written whole or not at all.

    Raises:
        ConfigError: the corpus has no such documents, or the run no head for what is assigned.
    """
    run = Run(load_config(run_folder / "config.toml"), run_folder)
    documents = run.corpus.unlabelled
    if not documents:
        raise ConfigError(
            f"The corpus {run.corpus.name} has no documents without labels: a submission is made "
            "of its test.csv."
        )
    assigned = run.scores(load_trained(run), documents, JoinRule()).assigned
    if assigned is None:
        raise ConfigError(
            f"The run {run_folder} learned no assigned labels; train it with "
            "model.assigned_head = true."
        )
    labels = list(run.corpus.labels)
    columns = [run.label_space.column(label) for label in labels]
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_name(out.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", *labels])
        for document, row in zip(documents, assigned[:, columns], strict=True):
            writer.writerow([document.document_id, *(f"{p:.{DIGITS}f}" for p in row)])
    part.replace(out)
    return len(documents)

"""What a run is trained for: several labels a document, or exactly one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.errors import ConfigError
from core.vocabulary.labels import LabelSpace
from training.config import ModelConfig
from training.corpora.corpus import LabelledDocument
from training.fitting.losses import check_objective


def check_labels(
    model: ModelConfig,
    label_space: LabelSpace,
    train: Sequence[LabelledDocument],
    dev: Sequence[LabelledDocument],
) -> None:
    """Refuse what cannot be learned with an objective.

    Raises:
        ConfigError: there is no training document, or no such objective; or it is "single_label", and there is no assigned
            head to learn it, or a document has no label, or several, or one that the head lacks.
    """
    if not train:
        raise ConfigError(
            "There is no document to train on: the corpus has none in its training set, or "
            "data.fold and data.newest leave none."
        )
    check_objective(model.objective)
    if model.objective != "single_label":
        return
    if not model.assigned_head:
        raise ConfigError(
            "The objective “single_label” is that of the assigned head: "
            "set model.assigned_head = true."
        )
    rows = (*train, *dev)
    others = [row.document_id for row in rows if len(row.assigned) != 1]
    if others:
        raise ConfigError(
            f"The objective “single_label” needs exactly one label a document, and {len(others):,} "
            f"have none or several, the first is {others[0]}; take “multi_label”, or a task of "
            "the corpus that has one (data.task)."
        )
    y_assigned = label_space.encode([row.assigned for row in rows], augmented=False)
    found = np.asarray(y_assigned[:, np.flatnonzero(label_space.assignable)].sum(axis=1)).ravel()
    lost = [row for row, number in zip(rows, found, strict=True) if number != 1]
    if lost:
        raise ConfigError(
            f"The label of {len(lost):,} documents is none that the vocabulary assigns, the first "
            f"is “{lost[0].assigned[0]}” of {lost[0].document_id}; take these documents out, or "
            "name the vocabulary that their labels are of (data.vocabulary)."
        )

"""What a run is trained for: several labels a document, or exactly one."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import ConfigError
from training.config import ModelConfig
from training.corpus import LabelledDocument
from training.losses import check_objective


def check_labels(
    model: ModelConfig, train: Sequence[LabelledDocument], dev: Sequence[LabelledDocument]
) -> None:
    """Refuse what cannot be learned with an objective.

    Raises:
        ConfigError: there is no such objective; or it is "single_label", and there is no assigned
            head to learn it, or a document has no label, or several.
    """
    check_objective(model.objective)
    if model.objective != "single_label":
        return
    if not model.assigned_head:
        raise ConfigError(
            "The objective “single_label” is that of the assigned head: "
            "set model.assigned_head = true."
        )
    others = [row.document_id for row in (*train, *dev) if len(row.assigned) != 1]
    if others:
        raise ConfigError(
            f"The objective “single_label” needs exactly one label a document, and {len(others):,} "
            f"have none or several, the first is {others[0]}; take “multi_label”, or a task of "
            "the corpus that has one (data.task)."
        )

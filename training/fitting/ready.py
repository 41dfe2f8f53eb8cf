"""Whether runs can be trained: found before hours go into the first of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from training.config import DataConfig, RunConfig
from training.corpora.corpus import Splits
from training.corpora.sampling import training_documents
from training.distill.teacher_data import check_teacher
from training.fitting.checks import (
    check_buildable,
    check_labels,
    check_network,
    check_patience,
    check_select,
    check_start,
    check_steps,
)
from training.judging.folders import JudgedData


def check_settings(config: RunConfig) -> None:
    """Refuse what a run cannot be trained by, before its folder is made.

    Raises:
        ConfigError: settings contradict each other, or weights or a teacher are not there.
    """
    check_patience(config)
    check_steps(config.optim)
    check_start(config.optim)
    check_teacher(config)


def require_trainable(
    configs: Sequence[RunConfig], data_of: Callable[[DataConfig], JudgedData]
) -> None:
    """Refuse all runs where one of them cannot be trained; data are read once settings are right.

    Raises:
        ConfigError: a setting does not fit the others, the encoder or the data.
        PlanError: a plan or guided heads do not fit the encoder.
    """
    # Seeds of an arm are as good as one.
    kinds = {config.replace("name", "run").replace("seed", 1): config for config in configs}
    for config in kinds.values():
        check_settings(config)
        check_network(config)
        check_select(config)
        check_buildable(config)
    for config in kinds.values():
        data = data_of(config.data)
        train = training_documents(data.corpus, config.data, config.seed)
        splits = Splits(tuple(train), data.corpus.dev, data.corpus.test)
        check_labels(config.model, data.label_space, splits)

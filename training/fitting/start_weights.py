"""What a model starts from before its first step: frequencies, names, documents, other weights."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from core.model.guided import GuidedClassifier
from core.model.precision import best_device
from core.model.sequence_generator import SequenceGenerator
from training.fitting.initialise import (
    NameVectors,
    bias_from_frequency,
    bias_from_share,
    level_biases,
    names_of,
    weights_from_names,
)
from training.fitting.inputs import TrainingInputs
from training.fitting.label_start import plain_reader, start_label_embeddings
from training.fitting.resume import load_weights

if TYPE_CHECKING:
    from training.fitting.run import Run

# Length of a head's row when it starts as its label's name: a document about the label then starts
# a few logits above its frequency.
_NAME_SCALE = 1.5


def start_weights(run: Run, model: GuidedClassifier, train: TrainingInputs) -> None:
    """Set the heads: biases from frequencies, weights from names where configured.

    Label embeddings start as configured; names and documents are read without them, so that
    everything else starts as it does in a run that has none.
    """
    reader = model
    if model.label_embeddings is not None:
        reader = plain_reader(run.config.model, model.shape)
        _start_labels(run, model.label_embeddings, reader, train)
    if run.config.model.initialise_heads == "names":
        _start_from_names(run, model, reader)
    _start_biases(run, model, train)
    if isinstance(model, SequenceGenerator):
        counts = np.asarray(train.y_assigned.sum(axis=0)).ravel()
        longest = int(train.y_assigned.sum(axis=1).max())
        model.learn_order(torch.from_numpy(counts), longest)
    if run.config.optim.start_from:
        load_weights(model, Path(run.config.optim.start_from), strict=False)


def _start_labels(
    run: Run, labels: torch.nn.Embedding, reader: GuidedClassifier, train: TrainingInputs
) -> None:
    start_label_embeddings(
        labels,
        reader,
        run.config.model,
        columns=run.label_columns,
        label_space=run.label_space,
        train=train,
        assigned=[row.assigned for row in run.learned],
        tokenizer=run.tokenizer,
        device=best_device(),
    )


def _start_from_names(run: Run, model: GuidedClassifier, reader: GuidedClassifier) -> None:
    names = names_of(run.label_space, range(len(run.label_space)))
    weights_from_names(
        model,
        NameVectors(reader, run.tokenizer, names, best_device()),
        level_columns=run.level_columns.tolist(),
        assigned_columns=run.assigned_columns.tolist(),
        scale=_NAME_SCALE,
    )


def _start_biases(run: Run, model: GuidedClassifier, train: TrainingInputs) -> None:
    for heads in (model.level_heads, model.auxiliary_heads, model.guided_heads):
        if heads is not None:
            level_biases(heads, train.y_levels)
    if model.assigned_head is not None:
        single = run.config.model.objective == "single_label"
        start = bias_from_share if single else bias_from_frequency
        start(model.assigned_head, train.y_assigned)

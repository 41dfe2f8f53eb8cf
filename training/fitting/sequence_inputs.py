"""Batches that tell the model the labels, for one that learns to say them one after another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from training.fitting.inputs import Batch, TrainingInputs


class SequenceBatch(Batch):
    """A batch whose labels the model is called with: it is told what came before (teacher forcing)."""

    def to(self, device: torch.device) -> SequenceBatch:
        """The same on another device."""
        return _told(super().to(device))

    def model_inputs(self) -> dict[str, torch.Tensor]:
        """What the model is called with."""
        return {**super().model_inputs(), "y_assigned": self.targets.assigned}


class SequenceInputs(TrainingInputs):
    """The documents of a split for such a model."""

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> SequenceBatch:
        """Tensors of one batch, as those of any other model."""
        return _told(super().batch(examples, rng))


def _told(batch: Batch) -> SequenceBatch:
    return SequenceBatch(batch.input_ids, batch.attention_mask, batch.targets)

"""The loss of a model that says labels one after another."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from core.model.guided import GuidedOutput
from training.fitting.losses import Targets


@dataclass(frozen=True, slots=True)
class SequenceLoss:
    """α times -ln of the probability of a document's label sequence, a mean over documents.

    Summed over the steps, not averaged: every document counts as much in a batch as it does alone,
    and what is learned is the probability that beam search maximises. The paper says neither.
    """

    weight: float = 1.0

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """A scalar in fp32; 0 where the model was told no sequences."""
        if output.sequences is None:
            return targets.assigned.new_zeros(())
        return self.weight * output.sequences.negative_log_likelihood()

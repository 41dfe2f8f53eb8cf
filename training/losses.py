"""The loss of guided training, over the levels and over what is assigned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor

from core.model.guided import GuidedOutput


@dataclass(frozen=True, slots=True)
class GuidedLoss:
    """L = Σₙ (|Lₙ|/|L|) · mean BCE over Lₙ + α · mean BCE over the assigned labels.

    |L| is the number of labels of the learned levels. With `scale="sum"` L is multiplied by |L|,
    which makes its first term the BCE summed over all labels.

    Source: Manginas et al. (2020), Appendix B: wₙ = |Lₙ|/|L|.
    """

    level_sizes: tuple[int, ...]
    alpha: float = 1.0
    scale: str = "mean"

    def __call__(self, output: GuidedOutput, y_levels: Tensor, y_assigned: Tensor) -> Tensor:
        """Loss of a batch; targets have the shapes of the logits, values 0 and 1."""
        loss = y_levels.new_zeros(())
        for logits in (output.levels, output.auxiliary):
            if logits is not None:
                loss = loss + levels_loss(logits, y_levels, self.level_sizes)
        if output.assigned is not None:
            bce = F.binary_cross_entropy_with_logits(output.assigned.float(), y_assigned)
            loss = loss + self.alpha * bce
        return loss * sum(self.level_sizes) if self.scale == "sum" else loss


def levels_loss(logits: Tensor, y_true: Tensor, level_sizes: Sequence[int]) -> Tensor:
    """Σₙ (|Lₙ|/|L|) · mean BCE over Lₙ; both tensors are (batch, labels of all levels)."""
    weights = [size / sum(level_sizes) for size in level_sizes]
    parts = zip(
        weights,
        logits.float().split(list(level_sizes), dim=-1),
        y_true.split(list(level_sizes), dim=-1),
        strict=True,
    )
    losses = [w * F.binary_cross_entropy_with_logits(x, y) for w, x, y in parts]
    total = losses[0]
    for loss in losses[1:]:
        total = total + loss
    return total

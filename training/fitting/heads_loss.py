"""The loss of guided attention heads."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from core.model.guided import GuidedOutput
from training.fitting.losses import Targets, levels_loss


@dataclass(frozen=True, slots=True)
class HeadsLoss:
    """λ · L_heads of `core.model.guided_heads`; times |L| with `scale="sum"`, as the levels' loss.

    Attributes:
        weight: λ, `optim.heads_loss`.
    """

    level_sizes: tuple[int, ...]
    weight: float = 1.0
    scale: str = "mean"

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """A scalar in fp32; 0 where the heads gave nothing, as outside training."""
        if output.heads is None:
            return targets.levels.new_zeros(())
        factor = sum(self.level_sizes) if self.scale == "sum" else 1
        return self.weight * factor * levels_loss(output.heads, targets.levels, self.level_sizes)

"""The loss of training: over the levels, over what is assigned, and terms that options add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from core.errors import ConfigError
from core.model.guided import GuidedOutput

_LEFT_OUT = -100


class Taught(NamedTuple):
    """What a teacher gives a batch, in the columns of the student's heads.

    Attributes:
        levels: (batch, labels of the learned levels); None where it learned no levels.
        assigned: (batch, assignable concepts); None where it learned only levels.
    """

    levels: Tensor | None
    assigned: Tensor | None

    def to(self, device: torch.device) -> Taught:
        """The same on another device."""
        return Taught(*(None if given is None else given.to(device) for given in self))


class Targets(NamedTuple):
    """What a batch should be given, zeros and ones.

    Attributes:
        levels: augmented labels, (batch, labels of the learned levels), level after level.
        assigned: what people assigned, (batch, assignable concepts).
        teacher: what a teacher gives the same documents; None without one, as on dev.
    """

    levels: Tensor
    assigned: Tensor
    teacher: Taught | None = None

    def to(self, device: torch.device) -> Targets:
        """The same on another device."""
        teacher = None if self.teacher is None else self.teacher.to(device)
        return Targets(self.levels.to(device), self.assigned.to(device), teacher)


class LossTerm(Protocol):
    """One more term: it finds its own targets, and its size is final."""

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """A scalar in fp32, weighted already."""
        ...


@dataclass(frozen=True, slots=True)
class GuidedLoss:
    """L = Σₙ (|Lₙ|/|L|) · mean BCE over Lₙ + α · loss of the assigned head, and the extra terms.

    The assigned head's loss is the mean BCE over the assigned labels, or the cross-entropy of the
    softmax over them where the objective is "single_label". |L| is the number of labels of the
    learned levels. With `scale="sum"` every BCE is multiplied by |L|, which makes the first term
    the BCE summed over all labels; the cross-entropy, already a sum over labels, and the extra
    terms keep their size. Everything is computed in fp32, so that half precision in the encoder
    cannot make it overflow, and is a mean over documents, so that processes can share a batch.

    Attributes:
        extra: terms of label embeddings, guided attention heads and the like.
    Source: Manginas et al. (2020), Appendix B: wₙ = |Lₙ|/|L|; for the cross-entropy Wang et al.
        (2020), Lc of equation 10.
    """

    level_sizes: tuple[int, ...]
    alpha: float = 1.0
    scale: str = "mean"
    objective: str = "multi_label"
    extra: tuple[LossTerm, ...] = ()

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Loss of a batch; targets have the shapes of the logits."""
        factor = sum(self.level_sizes) if self.scale == "sum" else 1
        assigned_factor = 1 if self.objective == "single_label" else factor
        loss = targets.levels.new_zeros(())
        for logits in (output.levels, output.auxiliary):
            if logits is not None:
                loss = loss + factor * levels_loss(logits, targets.levels, self.level_sizes)
        # What says its labels one after another learns by a term of its own, on dev as well.
        if output.assigned is not None and output.sequences is None:
            of_assigned = ASSIGNED_LOSSES[self.objective](output.assigned, targets.assigned)
            loss = loss + self.alpha * assigned_factor * of_assigned
        for term in self.extra:
            loss = loss + term(output, targets)
        return loss


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


def binary_cross_entropy(logits: Tensor, y_true: Tensor) -> Tensor:
    """Mean over documents and labels; both tensors are (batch, labels)."""
    return F.binary_cross_entropy_with_logits(logits.float(), y_true)


def cross_entropy(logits: Tensor, y_true: Tensor) -> Tensor:
    """Mean over documents of −ln softmax at the one gold label; both tensors are (batch, labels).

    A row of zeros, such as that of a label which is never assigned, says nothing and is left out.
    """
    known = y_true.any(dim=-1)
    gold = y_true.argmax(dim=-1).masked_fill(~known, _LEFT_OUT)
    total = F.cross_entropy(logits.float(), gold, ignore_index=_LEFT_OUT, reduction="sum")
    return total / known.sum().clamp(min=1)


ASSIGNED_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "multi_label": binary_cross_entropy,
    "single_label": cross_entropy,
}


def check_objective(objective: str) -> None:
    """Refuse an objective that there is no loss for.

    Raises:
        ConfigError: it is neither multi_label nor single_label.
    """
    if objective not in ASSIGNED_LOSSES:
        known = " or ".join(ASSIGNED_LOSSES)
        raise ConfigError(f"There is no objective “{objective}”; take {known}.")

"""The loss of training: over the levels, over the assigned labels, and terms that options add.

Source, for label embeddings: Wang et al. (2020), equations 9 and 10, for one label a document; the
paper is silent on several labels a document, and on hierarchies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.guided import GuidedOutput
from core.vocabulary.labels import LabelSpace
from training.fitting.devices import moved
from training.networks.sequence_generator import SequenceOutput

_LEFT_OUT = -100


class TeacherLogits(NamedTuple):
    """What a teacher gives a batch, in the columns of the student's heads.

    Attributes:
        levels: (batch, labels of the learned levels); None where it learned no levels.
        assigned: (batch, assignable concepts); None where it learned only levels.
    """

    levels: Tensor | None
    assigned: Tensor | None

    def to(self, device: torch.device) -> TeacherLogits:
        """Return the same on another device."""
        return TeacherLogits(*(None if given is None else moved(given, device) for given in self))


class Targets(NamedTuple):
    """What a batch should be given, zeros and ones.

    Attributes:
        levels: augmented labels, (batch, labels of the learned levels), level after level.
        assigned: what people assigned, (batch, assignable concepts).
        teacher: what a teacher gives the same documents; None without one, as on dev.
    """

    levels: Tensor
    assigned: Tensor
    teacher: TeacherLogits | None = None

    def to(self, device: torch.device) -> Targets:
        """Return the same on another device."""
        teacher = None if self.teacher is None else self.teacher.to(device)
        return Targets(moved(self.levels, device), moved(self.assigned, device), teacher)


LossTerm = Callable[[GuidedOutput, Targets], Tensor]
"""One more term, a scalar in fp32: it finds its own targets, and its size is final, weighted already."""


@dataclass(frozen=True, slots=True)
class GuidedLoss:
    """L = Σₙ (|Lₙ|/|L|) · mean BCE over Lₙ + loss of the assigned head, and the extra terms.

    The assigned head's loss is the mean BCE over the assigned labels, or the cross-entropy of the
    softmax over them where the objective is "single_label". |L| is the number of labels of the
    learned levels. With `scale="sum"` every BCE is multiplied by |L|, which makes the first term
    the BCE summed over all labels; the cross-entropy, already a sum over labels, and the extra
    terms keep their size. Everything is computed in fp32, so that half precision in the encoder
    cannot make it overflow, and is a mean over documents, so that processes can share a batch.

    Attributes:
        extra: terms of label embeddings, of sequences, and the like.
    Source: Manginas et al. (2020), Appendix B: wₙ = |Lₙ|/|L|; for the cross-entropy Wang et al.
        (2020), Lc of equation 10.
    """

    level_sizes: tuple[int, ...]
    scale: str = "mean"
    objective: str = "multi_label"
    extra: tuple[LossTerm, ...] = ()

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Return the loss of a batch; targets have the shapes of the logits."""
        factor = sum(self.level_sizes) if self.scale == "sum" else 1
        assigned_factor = 1 if self.objective == "single_label" else factor
        loss = targets.levels.new_zeros(())
        if output.levels is not None:
            loss = loss + factor * levels_loss(output.levels, targets.levels, self.level_sizes)
        # A model that generates labels one after another has a term of its own, on dev as well.
        if output.assigned is not None and not isinstance(output, SequenceOutput):
            of_assigned = ASSIGNED_LOSSES[self.objective](output.assigned, targets.assigned)
            loss = loss + assigned_factor * of_assigned
        for term in self.extra:
            loss = loss + term(output, targets)
        return loss


def levels_loss(logits: Tensor, y_true: Tensor, level_sizes: Sequence[int]) -> Tensor:
    """Return Σₙ (|Lₙ|/|L|) · mean BCE over Lₙ; both tensors are (batch, labels of all levels)."""
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
    """Return mean over documents and labels; both tensors are (batch, labels)."""
    return F.binary_cross_entropy_with_logits(logits.float(), y_true)


def cross_entropy(logits: Tensor, y_true: Tensor) -> Tensor:
    """Return the mean −ln softmax at the one gold label; both tensors are (batch, labels).

    A row of zeros, such as that of a label which is never assigned, is left out.
    """
    has_gold = y_true.any(dim=-1)
    gold = y_true.argmax(dim=-1).masked_fill(~has_gold, _LEFT_OUT)
    total = F.cross_entropy(logits.float(), gold, ignore_index=_LEFT_OUT, reduction="sum")
    return total / has_gold.sum().clamp(min=1)


ASSIGNED_LOSSES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "multi_label": binary_cross_entropy,
    "single_label": cross_entropy,
}


@dataclass(frozen=True, slots=True, eq=False)
class LabelLoss:
    """λ times the loss that documents have, of the label embeddings and their own labels.

    With one label a document it is the cross-entropy, as published, over the labels that can be
    assigned. With several, the level heads should find the label and its ancestors, and the
    assigned head the label itself; a label that only divides the vocabulary is assigned to nothing,
    so there its targets are zeros.

    Equation 9 prints a sum over the M labels. Here it is their mean, as the loss of documents is
    theirs, so that λ = 3 means the same for two classes as for thousands: λ = 3M is the sum.

    Attributes:
        documents: the loss of documents, without further terms.
        targets: of the embedded labels, a row each.
        weight: λ, 3 as in the paper.
    """

    documents: GuidedLoss
    targets: Targets
    weight: float = 3.0

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Return the weighted loss of the label embeddings; 0 without them, as in evaluation."""
        if output.labels is None:
            return targets.assigned.new_zeros(())
        labels = self._as_documents(output)
        return self.weight * self.documents(labels, self.targets.to(output.labels.device))

    def _as_documents(self, output: GuidedOutput) -> GuidedOutput:
        assert output.labels is not None
        sizes = [
            0 if logits is None else logits.shape[-1] for logits in (output.levels, output.assigned)
        ]
        levels, assigned = output.labels.split(sizes, dim=-1)
        return GuidedOutput(levels if sizes[0] else None, assigned if sizes[1] else None)


def label_targets(
    label_space: LabelSpace,
    columns: Sequence[int],
    *,
    level_columns: Sequence[int],
    assigned_columns: Sequence[int],
) -> Targets:
    """Return what the embeddings of some labels should be found to be, a row each.

    Args:
        columns: of the embedded labels in the label space.
        level_columns, assigned_columns: those of the heads.
    """
    ids_of_columns = [[label_space.concept_ids[column]] for column in columns]
    augmented = label_space.encode(ids_of_columns, augmented=True)[:, list(level_columns)]
    assigned = label_space.encode(ids_of_columns, augmented=False)[:, list(assigned_columns)]
    return Targets(torch.from_numpy(augmented.toarray()), torch.from_numpy(assigned.toarray()))


def sequence_loss(output: GuidedOutput, targets: Targets) -> Tensor:
    """Return -ln of the probability of a document's label sequence, a mean over documents; 0 where
    the model was given no sequences.

    Summed over the steps, not averaged: every document counts as much in a batch as it does alone,
    and what is learned is the probability that beam search maximises. The paper leaves both open.
    """
    if not isinstance(output, SequenceOutput) or output.sequences is None:
        return targets.assigned.new_zeros(())
    return output.sequences.negative_log_likelihood()

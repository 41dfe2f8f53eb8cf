"""What a student learns from its teacher: batches that carry the teacher's logits, and the loss.

Source: Adhikari et al. (2019), “DocBERT”, equation 1: L = L_classification + λ · KL(p‖q), with p
the probabilities of the student and q those of the teacher. The paper does not say what KL is where
each label has a probability of its own; here it is that of a Bernoulli distribution a label, a mean
over labels as the cross-entropy is. It names no temperature, so there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.guided import GuidedOutput
from training.distill.kept_logits import KeptLogits
from training.fitting.inputs import TokenBatch, TrainingInputs
from training.fitting.losses import GuidedLoss, Targets


class TeacherInputs:
    """Documents in batches, with a teacher's logits among their targets.

    All windows of a document are compared with the teacher's logits of the whole document.
    """

    def __init__(self, inputs: TrainingInputs, kept: KeptLogits) -> None:
        self.inputs, self.kept = inputs, kept

    def __len__(self) -> int:
        return len(self.inputs)

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[tuple[int, int]]]:
        """Return the batches of one pass."""
        return self.inputs.epoch(rng, batch_size=batch_size)

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> TokenBatch:
        """Return tensors of some examples, and the teacher's logits of their documents."""
        batch = self.inputs.batch(examples, rng)
        taught = self.kept.of([row for row, _ in examples])
        return replace(batch, targets=batch.targets._replace(teacher=taught))

    def dev_batches(self, batch_size: int) -> Iterator[TokenBatch]:
        """Yield every document once, with its labels alone: that is what early stopping goes by."""
        return self.inputs.dev_batches(batch_size)


@dataclass(frozen=True, slots=True, eq=False)
class DistillLoss:
    """λ · KL(p‖q) of each head, weighted among heads and scaled as the loss of documents is.

    Only labels that the teacher knows are compared; of one label a document, the softmax over these
    labels. Level heads are compared where both have them; auxiliary heads, which training alone
    reads, are not.

    Attributes:
        documents: the loss of documents, for its scale, its α and its objective.
        levels, assigned: columns of the student's heads that the teacher knows, in the order of
            its logits; None for all of them in order.
        weight: λ, `distill.weight`.
    """

    documents: GuidedLoss
    levels: Tensor | None = None
    assigned: Tensor | None = None
    weight: float = 1.0

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Return a scalar in fp32; 0 without a teacher's logits, as on dev."""
        loss = targets.levels.new_zeros(())
        if targets.teacher is None:
            return loss
        documents = self.documents
        factor = sum(documents.level_sizes) if documents.scale == "sum" else 1
        taught = targets.teacher
        if output.levels is not None and taught.levels is not None:
            loss = loss + factor * bernoulli_kl(_of(output.levels, self.levels), taught.levels)
        if output.assigned is not None and taught.assigned is not None:
            is_single = documents.objective == "single_label"
            kl, scale = (softmax_kl, 1) if is_single else (bernoulli_kl, factor)
            student = _of(output.assigned, self.assigned)
            loss = loss + documents.alpha * scale * kl(student, taught.assigned)
        return self.weight * loss


def bernoulli_kl(student: Tensor, teacher: Tensor) -> Tensor:
    """Return KL(p‖q) of a Bernoulli distribution a label, mean over documents and labels.

    Args:
        student, teacher: logits, (batch, labels); no gradient reaches the teacher.
    """
    x, z = student.float(), teacher.detach().float()
    p = torch.sigmoid(x)
    # 1 - p as the sigmoid of the negative: of rare labels both logarithms keep their digits.
    yes = p * (F.logsigmoid(x) - F.logsigmoid(z))
    no = torch.sigmoid(-x) * (F.logsigmoid(-x) - F.logsigmoid(-z))
    return (yes + no).mean()


def softmax_kl(student: Tensor, teacher: Tensor) -> Tensor:
    """Return KL(p‖q) of a softmax over labels, mean over documents.

    Args:
        student, teacher: logits, (batch, labels); no gradient reaches the teacher.
    """
    log_p = F.log_softmax(student.float(), dim=-1)
    log_q = F.log_softmax(teacher.detach().float(), dim=-1)
    return (log_p.exp() * (log_p - log_q)).sum(dim=-1).mean()


def _of(logits: Tensor, columns: Tensor | None) -> Tensor:
    return logits if columns is None else logits[:, columns.to(logits.device)]

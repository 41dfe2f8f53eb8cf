"""The loss of the label embeddings: each is classified, as if it were a document of its label.

Source: Wang et al. (2020), equations 9 and 10, for one label a document; the paper is silent on
several labels a document, and on hierarchies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.model.guided import GuidedOutput
from core.vocabulary.labels import LabelSpace
from training.fitting.losses import GuidedLoss, Targets


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
        weight: λ, `optim.label_loss`.
    """

    documents: GuidedLoss
    targets: Targets
    weight: float = 3.0

    def __call__(self, output: GuidedOutput, targets: Targets) -> Tensor:
        """Weighted loss of the label embeddings; 0 where the model gives none, as in evaluation."""
        if output.labels is None:
            return targets.assigned.new_zeros(())
        labels = self._as_documents(output)
        return self.weight * self.documents(labels, self.targets.to(output.labels.device))

    def _as_documents(self, output: GuidedOutput) -> GuidedOutput:
        """The logits of the label embeddings, by head."""
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
    """What the embeddings of some labels should be found to be, a row each.

    Args:
        columns: of the embedded labels in the label space.
        level_columns, assigned_columns: those of the heads.
    """
    own = [[label_space.concept_ids[column]] for column in columns]
    augmented = label_space.encode(own, augmented=True)[:, list(level_columns)]
    assigned = label_space.encode(own, augmented=False)[:, list(assigned_columns)]
    return Targets(torch.from_numpy(augmented.toarray()), torch.from_numpy(assigned.toarray()))

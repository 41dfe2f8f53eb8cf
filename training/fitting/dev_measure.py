"""What is measured on dev between epochs, and by which the best weights are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.metrics.thresholded import Counts, count_by_label
from training.config import RunConfig

# A probability of 0.5, as a logit.
_EVEN_ODDS = 0.0


class DevMeasure:
    """The loss over dev and, where weights are chosen by it, micro-F1 of the assigned head.

    With several labels a document, those of a probability of at least 0.5 count as predicted; with
    one, the most probable, and micro-F1 is then the share of documents that are right. Documents are
    read as the dev loss reads them: whole where one input holds title and text, else by their titles.
    """

    def __init__(self, config: RunConfig) -> None:
        self.by_f1 = config.optim.select == "micro_f1"
        self.single_label = config.model.objective == "single_label"
        self.sums = np.zeros(4)  # loss, hits, predicted, gold

    def add(self, loss: float, output: Any, targets: Any, *, n_documents: int) -> None:
        """Take in a batch; `loss` is a mean over its documents."""
        self.sums[0] += loss * n_documents
        if self.by_f1:
            gold = targets.assigned.cpu().numpy()
            counts = count_by_label(gold, self._scores(output.assigned), _EVEN_ODDS).total()
            self.sums[1:] += [float(count) for count in counts]

    def over(self, add_up: Callable[[Tensor], Tensor]) -> None:
        """Add up what several processes measured."""
        self.sums = add_up(torch.from_numpy(self.sums)).double().cpu().numpy()

    @property
    def loss(self) -> float:
        """Summed over documents."""
        return float(self.sums[0])

    @property
    def micro_f1(self) -> float:
        """Of all dev documents together; 0 where nothing is gold and nothing predicted."""
        f1 = float(Counts(*self.sums[1:]).f1())
        return f1 if np.isfinite(f1) else 0.0

    def _scores(self, logits: Tensor) -> Any:
        """Scores that are at least 0 where a label is predicted, (documents, labels)."""
        scores = logits.float().cpu().numpy()
        if not self.single_label:
            return scores
        chosen = np.full_like(scores, -1.0)
        chosen[np.arange(len(scores)), scores.argmax(axis=1)] = 1.0
        return chosen

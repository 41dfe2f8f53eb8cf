"""Training inputs whose batches carry what a teacher says of their documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from training.distill.kept_logits import KeptLogits
from training.fitting.inputs import Batch, TrainingInputs


class TaughtInputs:
    """Documents in batches, with a teacher's logits among their targets.

    All windows of a document are compared with what the teacher says of the whole of it.
    """

    def __init__(self, inputs: TrainingInputs, kept: KeptLogits) -> None:
        self.inputs, self.kept = inputs, kept

    def __len__(self) -> int:
        return len(self.inputs)

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[tuple[int, int]]]:
        """The batches of one pass."""
        return self.inputs.epoch(rng, batch_size=batch_size)

    def batch(
        self, examples: Sequence[tuple[int, int]], rng: np.random.Generator | None = None
    ) -> Batch:
        """Tensors of some examples, and what the teacher says of their documents."""
        batch = self.inputs.batch(examples, rng)
        taught = self.kept.of([row for row, _ in examples])
        return replace(batch, targets=batch.targets._replace(teacher=taught))

    def dev_batches(self, batch_size: int) -> Iterator[Batch]:
        """Every document once, with its labels alone: that is what early stopping goes by."""
        return self.inputs.dev_batches(batch_size)

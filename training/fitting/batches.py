"""What the training loop asks of its inputs: batches that a model is called with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor


class TrainingBatch(Protocol):
    """What one step reads."""

    @property
    def targets(self) -> Any:
        """What the loss compares the model's output with."""

    def __len__(self) -> int:
        """Number of documents."""

    def to(self, device: torch.device) -> Any:
        """The same on another device."""

    def model_inputs(self) -> dict[str, Tensor]:
        """Arguments of the model's `forward`."""


class Inputs(Protocol):
    """A split in batches; an example is whatever `batch` understands."""

    def __len__(self) -> int:
        """Number of documents."""

    def epoch(self, rng: np.random.Generator, *, batch_size: int) -> list[list[Any]]:
        """The batches of one pass; as many in every epoch."""

    def batch(self, examples: Sequence[Any], rng: np.random.Generator | None = None) -> Any:
        """Tensors of some examples; with `rng`, disturbed as training wants them."""

    def dev_batches(self, batch_size: int) -> Iterator[Any]:
        """Every document once, for the dev loss."""

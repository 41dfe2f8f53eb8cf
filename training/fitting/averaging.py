"""An exponential average of a model's weights, which is measured and kept in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


class WeightAverage:
    """āₜ = d·āₜ₋₁ + (1 − d)·wₜ from ā₀ = 0, corrected for that start: āₜ / (1 − dᵗ).

    What does not learn, and buffers, stay as the model has them.

    Args:
        decay: d, in [0, 1); 0 averages nothing, and costs nothing.
    Source: Merity, Keskar and Socher (2018) average the weights of a language model's LSTM; the
        exponential form and its correction are those of the code of Adhikari et al. (2019).
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.model, self.decay, self.steps = model, decay, 0
        learning = model.named_parameters() if decay else ()
        self.sums = {
            name: torch.zeros_like(weight, dtype=torch.float32, requires_grad=False)
            for name, weight in learning
            if weight.requires_grad
        }

    def update(self) -> None:
        """Take in the weights after an update."""
        if not self.sums:
            return
        self.steps += 1
        weights = dict(self.model.named_parameters())
        for name, average in self.sums.items():
            average.lerp_(weights[name].detach().float(), 1 - self.decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within, the model has the average for weights; afterwards its own again."""
        own = self._own()
        self.take()
        try:
            yield
        finally:
            self._set(own)

    def take(self) -> None:
        """Give the model the average for good; before the first update nothing happens."""
        if self.steps:
            share = 1 - self.decay**self.steps
            self._set({name: average / share for name, average in self.sums.items()})

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint; modified by later updates unless it is saved at once."""
        return {"steps": self.steps, "sums": self.sums}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from what `state_dict` gave."""
        self.steps = state["steps"]
        for name, average in self.sums.items():
            average.copy_(state["sums"][name])

    def _own(self) -> dict[str, Tensor]:
        weights = dict(self.model.named_parameters())
        return {name: weights[name].detach().clone() for name in self.sums}

    def _set(self, values: dict[str, Tensor]) -> None:
        weights = dict(self.model.named_parameters())
        with torch.no_grad():
            for name, value in values.items():
                weights[name].copy_(value)

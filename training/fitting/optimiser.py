"""The optimiser of a run, its learning rates, and the moving average of its weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from training.config import OptimConfig


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
        """Give the model the average as its weights within the block, its own after it."""
        current = self._own()
        self.take()
        try:
            yield
        finally:
            self._set(current)

    def take(self) -> None:
        """Give the model the average for good; before the first update nothing happens."""
        if self.steps:
            share = 1 - self.decay**self.steps
            self._set({name: average / share for name, average in self.sums.items()})

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint; later updates modify it unless it is saved at once."""
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


def make_optimizer(model: nn.Module, config: OptimConfig) -> torch.optim.Optimizer:
    """Return Adam or AdamW, with one learning rate for `model.encoder` and one for the rest."""
    kind = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    encoder: list[nn.Parameter] = []
    heads: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (encoder if name.startswith("encoder.") else heads).append(parameter)
    groups = [
        {"params": encoder, "lr": config.encoder_lr},
        {"params": heads, "lr": config.head_lr},
    ]
    return kind(groups, weight_decay=config.weight_decay, fused=True)


def learning_rate_factor(config: OptimConfig, step: int, total_steps: int) -> float:
    """Return share of the peak learning rate at a step."""
    warmup = max(1, int(config.warmup * total_steps)) if config.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = min(1.0, (step - warmup) / max(1, total_steps - warmup))
    if config.schedule == "linear":
        return 1.0 - done
    if config.schedule == "one_cycle":
        return float(0.5 * (1 + np.cos(np.pi * done)))
    return 1.0

"""The optimiser of a run and its learning rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from core.errors import ConfigError
from training.config import OptimConfig


def make_optimizer(model: nn.Module, config: OptimConfig) -> torch.optim.Optimizer:
    """Adam or AdamW, with one learning rate for what lies in `model.encoder` and one for the rest.

    Raises:
        ConfigError: there is no such optimiser.
    """
    kinds: dict[str, Any] = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    if config.optimizer not in kinds:
        raise ConfigError(f"There is no optimizer “{config.optimizer}”; take adam or adamw.")
    encoder: list[nn.Parameter] = []
    heads: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (encoder if name.startswith("encoder.") else heads).append(parameter)
    groups = [
        {"params": encoder, "lr": config.encoder_lr},
        {"params": heads, "lr": config.head_lr},
    ]
    optimizer: torch.optim.Optimizer = kinds[config.optimizer](
        groups, weight_decay=config.weight_decay, fused=True
    )
    return optimizer


def learning_rate_factor(config: OptimConfig, step: int, total_steps: int) -> float:
    """Share of the peak learning rate at a step."""
    warmup = max(1, int(config.warmup * total_steps)) if config.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = min(1.0, (step - warmup) / max(1, total_steps - warmup))
    if config.schedule == "linear":
        return 1.0 - done
    if config.schedule == "one_cycle":
        return float(0.5 * (1 + np.cos(np.pi * done)))
    if config.schedule == "constant":
        return 1.0
    raise ConfigError(
        f"There is no schedule “{config.schedule}”; take constant, linear or one_cycle."
    )

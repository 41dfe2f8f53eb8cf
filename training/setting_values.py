"""Which values the settings of a run take: what is refused while its configuration is read.

A value that no code knows would otherwise train something else in silence, or fail after an hour.
Plans, attention heads, folds, formats, tasks and adaptation are checked by what reads them.
"""

from __future__ import annotations

import difflib
import math
from typing import Any

from core.errors import ConfigError

CHOICES: dict[str, tuple[str, ...]] = {
    "model.pooling": ("cls", "mean"),
    "model.initialise_heads": ("zero", "names"),
    "model.objective": ("multi_label", "single_label"),
    "model.label_embeddings": ("none", "random", "keywords", "class_mean"),
    "reading.mode": ("first", "windows", "pair"),
    "optim.optimizer": ("adam", "adamw"),
    "optim.schedule": ("constant", "linear", "one_cycle"),
    "optim.loss_scale": ("mean", "sum"),
    "optim.precision": ("auto", "fp32", "bf16", "fp16"),
}
"""Settings that take one of a few words."""

ENDLESS = math.inf

BOUNDS: dict[str, tuple[float, float]] = {
    "seed": (0, ENDLESS),
    "checkpoint_minutes": (0, ENDLESS),
    "data.newest": (0, ENDLESS),
    "data.cut": (0, ENDLESS),
    "data.judged": (0, ENDLESS),
    "model.depth": (1, ENDLESS),
    "model.dropout": (0, 1),
    "model.encoder_dropout": (0, 1),
    "model.label_levels": (0, ENDLESS),
    "reading.max_length_tokens": (3, ENDLESS),
    "reading.title_tokens": (0, ENDLESS),
    "reading.max_title_tokens": (0, ENDLESS),
    "reading.windows_per_document": (0, ENDLESS),
    "reading.token_dropout": (0, 1),
    "optim.encoder_lr": (0, ENDLESS),
    "optim.head_lr": (0, ENDLESS),
    "optim.weight_decay": (0, ENDLESS),
    "optim.warmup": (0, 1),
    "optim.batch_size": (1, ENDLESS),
    "optim.accumulate": (1, ENDLESS),
    "optim.epochs": (0, ENDLESS),
    "optim.clip": (0, ENDLESS),
    "optim.alpha": (0, ENDLESS),
    "optim.patience": (0, ENDLESS),
    "optim.min_steps": (0, ENDLESS),
    "optim.dev_losses": (0, ENDLESS),
    "optim.label_loss": (0, ENDLESS),
    "optim.heads_loss": (0, ENDLESS),
}
"""Lowest and highest number of a setting; endless is no number of it."""

TRUTHS = {"true": True, "false": False}


def require_allowed(key: str, value: Any) -> None:
    """Refuse a value that the setting does not take.

    Args:
        key: of the setting, such as "model.pooling"; one without a rule takes any value.
    Raises:
        ConfigError: with the nearest word, or the bounds.
    """
    if key in CHOICES and value not in CHOICES[key]:
        raise ConfigError(_other_word(key, value))
    if key in BOUNDS and not _is_within(value, *BOUNDS[key]):
        low, high = BOUNDS[key]
        bounds = f"{low:g} or more" if high == ENDLESS else f"a number from {low:g} to {high:g}"
        raise ConfigError(f"The setting “{key}” takes {bounds}, not {value!r}.")


def _is_within(value: float, low: float, high: float) -> bool:
    return math.isfinite(value) and low <= value <= high


def _other_word(key: str, value: str) -> str:
    words = CHOICES[key]
    nearest = difflib.get_close_matches(value.lower(), words, n=1, cutoff=0.5)
    hint = f"; did you mean “{nearest[0]}”?" if nearest else "."
    known = f"{', '.join(words[:-1])} or {words[-1]}"
    return f"The setting “{key}” takes {known}, not “{value}”{hint}"

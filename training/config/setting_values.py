"""Which values the settings of a run take: what is refused while its configuration is read.

A value that no code knows would otherwise train something else in silence, or fail after an hour.
Plans, attention heads, folds, formats, tasks and adaptation are checked by what reads them.
"""

from __future__ import annotations

import difflib
import math
import re
from typing import Any

from core.errors import ConfigError

CHOICES: dict[str, tuple[str, ...]] = {
    "model.pooling": ("cls", "mean"),
    "model.initialise_heads": ("zero", "names"),
    "model.objective": ("multi_label", "single_label"),
    "model.label_embeddings": ("none", "random", "keywords", "class_mean"),
    "data.labels": ("all", "coded", "learned"),
    "model.label_attention": ("none", "label_wise"),
    "model.frozen": ("none", "words"),
    "reading.mode": ("first", "windows", "pair"),
    "reading.normalise": ("none", "clinical"),
    "optim.optimizer": ("adam", "adamw"),
    "optim.schedule": ("constant", "linear", "one_cycle"),
    "optim.loss_scale": ("mean", "sum"),
    "optim.precision": ("auto", "fp32", "bf16", "fp16"),
    "optim.select": ("loss", "micro_f1"),
    "network.kind": ("none", "lstm_reg", "kim_cnn", "xml_cnn", "han", "sgm"),
}
"""Settings that take one of a few words."""

ENDLESS = math.inf

BOUNDS: dict[str, tuple[float, float]] = {
    "seed": (0, ENDLESS),
    "checkpoint_minutes": (0, ENDLESS),
    "data.newest": (0, ENDLESS),
    "data.cut": (0, ENDLESS),
    "data.judged": (0, ENDLESS),
    "data.skip_levels": (0, ENDLESS),
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
    # With a decay of one, the average would never leave the weights that the run began with.
    "optim.weight_average": (0, 0.99999),
    "optim.max_minutes": (0, ENDLESS),
    "network.vector_size": (1, ENDLESS),
    "network.max_words": (1, ENDLESS),
    "network.min_count": (1, ENDLESS),
    "network.hidden_units": (1, ENDLESS),
    "network.channels": (1, ENDLESS),
    "network.bottleneck": (1, ENDLESS),
    "network.pool": (1, ENDLESS),
    "network.embedding_dropout": (0, 0.99),
    "network.weight_drop": (0, 0.99),
    "distill.weight": (0, ENDLESS),
    "distill.copies": (1, ENDLESS),
    "distill.mask_share": (0, 1),
    "distill.swap_share": (0, 1),
}
"""Lowest and highest number of a setting; endless is no number of it."""

FORMS: dict[str, tuple[str, str]] = {
    "network.widths": (r"[1-9]\d{0,3}(,[1-9]\d{0,3})*", "whole numbers from 1, such as 3,4,5"),
}
"""Settings that are written in a form of their own: a regular expression, and its words."""

TRUTHS = {"true": True, "false": False}


def require_allowed(key: str, value: Any) -> None:
    """Refuse a value that the setting does not take.

    Args:
        key: of the setting, such as "model.pooling"; one without a rule takes any value.
    Raises:
        ConfigError: with the nearest word, the form, or the bounds.
    """
    if key in CHOICES and value not in CHOICES[key]:
        raise ConfigError(_other_word(key, value))
    if key in FORMS and not re.fullmatch(FORMS[key][0], value):
        raise ConfigError(f"The setting “{key}” takes {FORMS[key][1]}, not “{value}”.")
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

"""Small networks with the sizes of their presets."""

from __future__ import annotations

from typing import Any

from core.model.networks import NetworkConfig
from training.config.presets import PRESETS


def preset_network(kind: str, vocab_size: int, **settings: Any) -> NetworkConfig:
    """A kind with the sizes of its preset, but for those given."""
    sizes = {**PRESETS[kind]["network"], **settings}
    if isinstance(sizes.get("widths"), str):
        sizes["widths"] = tuple(map(int, sizes["widths"].split(",")))
    return NetworkConfig(model_type=sizes.pop("kind"), vocab_size=vocab_size, **sizes)

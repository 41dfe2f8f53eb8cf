"""The configuration of a run: its sections, its presets, and how it is read from a TOML file."""

from __future__ import annotations

from training.config.run_config import (
    ANCHORED,
    NO_PLACES,
    RunConfig,
    load_config,
    section_names,
    setting_names,
)
from training.config.sections import (
    AdaptConfig,
    DataConfig,
    DistillConfig,
    ModelConfig,
    NetworkSettings,
    OptimConfig,
    ReadingConfig,
)

__all__ = [
    "ANCHORED",
    "NO_PLACES",
    "AdaptConfig",
    "DataConfig",
    "DistillConfig",
    "ModelConfig",
    "NetworkSettings",
    "OptimConfig",
    "ReadingConfig",
    "RunConfig",
    "load_config",
    "section_names",
    "setting_names",
]

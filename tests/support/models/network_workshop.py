"""Configurations of small networks over the workshop's corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from training.config import RunConfig, load_config

NETWORK_RUN = """
name = "tiny-network"
preset = "lstm_reg"
checkpoint_minutes = 1e6
[data]
path = "corpus"
vocabulary = {vocabulary}
[model]
plan = "flat"
depth = 3
dropout = 0.1
[reading]
max_length_tokens = 32
[optim]
precision = "fp32"
epochs = 20
batch_size = 8
[network]
vector_size = 16
hidden_units = 16
min_count = 1
embedding_dropout = 0.1
"""


def changed(config: RunConfig, changes: Mapping[str, object]) -> RunConfig:
    """Return a configuration with other settings; __ stands for the dot in their names."""
    for key, value in changes.items():
        config = config.replace(key.replace("__", "."), value)
    return config


def network_config(workshop: Path, **changes: object) -> RunConfig:
    """A guided student of a few thousand weights; keys are written with __ for the dot."""
    base = load_config(workshop / "run.toml")
    path = workshop / "network.toml"
    path.write_text(NETWORK_RUN.format(vocabulary=f"'{base.data.vocabulary}'"), encoding="utf-8")
    return changed(load_config(path), changes)

"""Configurations of small runs."""

from __future__ import annotations

from pathlib import Path

from tests.support.models.network_workshop import changed, network_config
from training.config import RunConfig, load_config


def label_config(workshop: Path, start: str = "keywords", **changes: object) -> RunConfig:
    config = load_config(workshop / "run.toml").replace("model.label_embeddings", start)
    return changed(config, changes)


SGM_SETTINGS = {
    "network__kind": "sgm",
    "network__vector_size": 24,
    "network__hidden_units": 16,
    "model__plan": "none",
    "optim__encoder_lr": 1e-2,
    "optim__head_lr": 1e-2,
    "optim__epochs": 14,
    "optim__clip": 10.0,
    "optim__weight_average": 0.0,
}


def sgm_config(folder: Path, **changes: object) -> RunConfig:
    return network_config(folder, **{**SGM_SETTINGS, **changes})


PAIRS_NAMES = ("fish", "honey", "rail", "tax")


PAIRS_CONFIG = """
name = "desk"
preset = "label-embedding"
[data]
format = "table"
path = "pairs.csv"
[model]
encoder = "encoder"
label_embeddings = "none"
dropout = 0.0
encoder_dropout = 0.0
[reading]
mode = "pair"
max_length_tokens = 16
[optim]
batch_size = 8
epochs = 5
encoder_lr = 5e-3
head_lr = 2e-2
precision = "fp32"
"""

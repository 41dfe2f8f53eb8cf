"""A folder to train in, and a configuration without its corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.models.workshop import make_workshop
from training.config import RunConfig, load_config


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def config_without_corpus(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """Of a corpus that is not there: an encoder of four layers and four heads, three levels."""
    folder = make_workshop(tmp_path_factory.mktemp("workshop"))
    for file in (folder / "corpus").iterdir():
        file.unlink()
    return load_config(folder / "run.toml")

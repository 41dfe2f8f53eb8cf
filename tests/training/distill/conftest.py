"""A workshop with a teacher."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.models.workshop import make_workshop
from training.config import load_config
from training.fitting.train import train


@pytest.fixture(scope="module")
def taught_workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workshop with a teacher in runs/teacher, trained so little that it is sure of nothing."""
    folder = make_workshop(tmp_path_factory.mktemp("workshop"))
    config = load_config(folder / "run.toml").replace("optim.epochs", 1.0)
    train(config, folder / "runs" / "teacher")
    return folder

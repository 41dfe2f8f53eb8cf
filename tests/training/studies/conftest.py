"""What studies are made of: runs, bundles and configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import load_config
from training.fitting.train import train


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return make_workshop(tmp_path) / "corpus"


@pytest.fixture
def tiny_bundle(tmp_path: Path) -> Path:
    write_tiny_bundle(tmp_path / "bundle", linear=True)
    return tmp_path / "bundle"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory, single_thread) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def finished_run(workshop) -> Path:
    config = load_config(workshop / "run.toml")
    return train(config.replace("optim.epochs", 2), workshop / "out")


@pytest.fixture(scope="module")
def measured(workshop, finished_run) -> Path:
    out = workshop / "measured"
    assert main(["utilization", str(finished_run), "--out", str(out)]) == 0
    return out

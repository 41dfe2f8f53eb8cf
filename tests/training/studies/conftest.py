"""What studies are made of: runs, bundles and configurations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import RunConfig, load_config
from training.fitting.train import train


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return make_workshop(tmp_path) / "corpus"


@pytest.fixture
def tiny_bundle(tmp_path: Path) -> Path:
    write_tiny_bundle(tmp_path / "bundle", linear=True)
    return tmp_path / "bundle"


MAIL = {"sea": "fish quota bay", "farm": "honey animal plant", "rail": "railway ticket price"}


@pytest.fixture
def mail_config(tmp_path: Path) -> RunConfig:
    """A configuration over invented mail, of one kind each."""
    kinds = list(MAIL)
    rows = [f"{MAIL[kinds[n % 3]]} {n},{kinds[n % 3]}" for n in range(100)]
    (tmp_path / "mail.csv").write_text("\n".join(["text,label", *rows]), "utf-8")
    config = RunConfig(name="mail").replace("data.path", str(tmp_path / "mail.csv"))
    return config.replace("data.format", "table").replace("reading.max_length_tokens", 64)


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

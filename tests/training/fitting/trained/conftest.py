"""Folders to train in, and runs that are trained to their end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.models.network_workshop import network_config
from tests.support.models.run_configs import (
    PAIRS_CONFIG,
    PAIRS_NAMES,
    label_config,
    sgm_config,
)
from tests.support.models.workshop import (
    TOPICS,
    make_shuffled_workshop,
    make_workshop,
    write_encoder,
)
from training.config import load_config
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.run import Run, load_tokenizer
from training.fitting.train import train
from training.shipping.package import package_bundle


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory, single_thread: None) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def label_run(workshop: Path) -> Path:
    """A run with label embeddings, trained to its end."""
    return train(label_config(workshop, model__pooling="cls"), workshop / "labels")


@pytest.fixture(scope="module")
def network_run(workshop: Path) -> Path:
    return train(network_config(workshop), workshop / "finished")


@pytest.fixture(scope="module")
def two_runs(workshop: Path) -> list[Path]:
    """Runs of two seeds that start from the weights of a third, each of one pass."""
    short = network_config(workshop, optim__epochs=1)
    start = train(short, workshop / "start") / "model.safetensors"
    config = short.replace("optim.start_from", str(start))
    return [train(config.replace("seed", seed), workshop / f"seed-{seed}") for seed in (4, 5)]


@pytest.fixture(scope="module")
def shuffled_workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shuffled_workshop(tmp_path_factory.mktemp("shuffled"))


@pytest.fixture(scope="module")
def sgm_run(workshop: Path) -> Run:
    """A run with a folder of its own, trained to its end."""
    config = sgm_config(workshop)
    return Run(config, train(config, workshop / "run"))


@pytest.fixture(scope="module")
def pairs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table of invented pairs of texts, an encoder and a configuration."""
    folder = tmp_path_factory.mktemp("desk")
    rows = ["id,text,text2,label,split"]
    for split, n_rows in (("train", 40), ("dev", 12), ("test", 12)):
        rows += [pairs_row(split, number) for number in range(n_rows)]
    (folder / "pairs.csv").write_text("\n".join(rows))
    write_encoder(folder / "encoder")
    (folder / "run.toml").write_text(PAIRS_CONFIG)
    return folder


def pairs_row(split: str, number: int) -> str:
    words = TOPICS[number % len(TOPICS)].split()
    first, second = " ".join(np.roll(words, number)), " ".join(words[::-1])
    return (
        f"{split}-{number},the {first},on {second},{PAIRS_NAMES[number % len(PAIRS_NAMES)]},{split}"
    )


@pytest.fixture(scope="module")
def pairs_run(pairs_folder: Path, single_thread: None) -> Path:
    """The run, trained to its end."""
    return train(load_config(pairs_folder / "run.toml"), pairs_folder / "run")


@pytest.fixture(scope="module")
def pairs_bundle(pairs_folder: Path, pairs_run: Path) -> Path:
    """What is served of it."""
    return package_bundle(pairs_run, pairs_folder / "bundle")


@pytest.fixture(scope="module")
def act_run(workshop):
    """The run, trained to its end."""
    return train(load_config(workshop / "run.toml"), workshop / "finished")


@pytest.fixture(params=[load_encoder, load_tokenizer])
def load_part(request):
    """What loads from an encoder: its weights, or its tokenizer."""
    return request.param

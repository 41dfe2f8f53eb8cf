"""A run that is killed goes on to the numbers of one that was not, to the last digit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.support.models.network_workshop import changed
from tests.support.processes import call, forks
from training.__main__ import main
from training.config import RunConfig, load_config
from training.fitting.train import train
from training.judging.scores import Scores


def configured(workshop: Path, **changes: object) -> RunConfig:
    """AdamW and a learning rate that changes with every step, dropout and masking included."""
    settings = {"optim.epochs": 3, "optim.precision": "fp32", "model.encoder_dropout": 0.1}
    config = changed(load_config(workshop / "run.toml"), settings | changes)
    assert (config.optim.optimizer, config.optim.schedule) == ("adamw", "one_cycle")
    assert config.reading.token_dropout > 0
    return config


def killed(config: RunConfig, out: Path) -> None:
    """Train in another process until it kills itself before the fifth batch of the second epoch."""
    path = out.with_suffix(".toml")
    path.write_text(config.to_toml(), encoding="utf-8")
    words = ("train", str(path), "--out", str(out))
    died = call("tests.support.models.forked_runs:train_and_die", *words)
    assert forks().run(died, seconds=240) == [-9]
    assert not (out / "run.json").exists()


# Threads may add up in another order each time; one adds up in the same.
@pytest.mark.usefixtures("single_thread")
@pytest.mark.parametrize(
    ("name", "changes", "resumed_at"),
    [
        # The fourth batch of the second epoch is the eleventh of all: half an update is lost.
        (
            "half-an-update",
            {
                "checkpoint_minutes": 0.0,
                "optim.accumulate": 2,
            },
            (1, 3),
        ),
        ("each-epoch", {"checkpoint_minutes": 1e6, "optim.patience": 9}, (1, 0)),
        (
            "averaged-and-capped",
            {
                "checkpoint_minutes": 0.0,
                "optim.patience": 9,
                "optim.weight_average": 0.9,
                "optim.select": "micro_f1",
                "optim.max_minutes": 60.0,
            },
            (1, 4),
        ),
    ],
)
def test_a_killed_run_ends_as_an_unbroken_one(
    workshop: Path, name: str, changes: dict[str, object], resumed_at: tuple[int, int]
) -> None:
    config = configured(workshop, **changes)
    whole, broken = workshop / f"{name}-whole", workshop / f"{name}-broken"
    train(config, whole)
    killed(config, broken)
    at = torch.load(broken / "checkpoint.pt", weights_only=True)["progress"]
    assert (at["epoch"], at["batch"]) == resumed_at
    assert main(["resume", str(broken)]) == 0  # of the folder alone
    assert (broken / "metrics.json").is_file()

    expected, resumed = (load_file(out / "model.safetensors") for out in (whole, broken))
    assert all(torch.equal(expected[part], resumed[part]) for part in expected)
    for split in ("dev", "test"):
        one, two = (Scores.load(out / f"scores_{split}.npz") for out in (whole, broken))
        assert (one.assigned == two.assigned).all()
    one, two = (json.loads((out / "run.json").read_text()) for out in (whole, broken))
    facts = ("steps", "documents_seen", "dev_loss", "dev_micro_f1", "best_epoch", "epochs")
    for fact in (*facts, "capped", "stopped_early", "parameters", "digest"):
        assert one[fact] == two[fact]


def test_a_folder_where_nothing_was_begun_is_a_sentence(tmp_path: Path, capsys) -> None:
    assert main(["resume", str(tmp_path)]) == 1
    assert "there is no config.toml" in capsys.readouterr().err

"""Several processes learn what one learns from a batch as large as all theirs together."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from safetensors.torch import load_file

from core.errors import ConfigError
from tests.support.models.launched_runs import (
    FORKED,
    PATIENCE,
    launched,
    losses,
    trained_together,
    without_chance,
)
from tests.support.processes import call, forks
from training.__main__ import main
from training.config import RunConfig, load_config
from training.fitting.devices import ALONE, LAUNCHERS, check_processes
from training.fitting.inputs import TrainingBatch
from training.fitting.loop import Trainer
from training.fitting.run import Run
from training.fitting.train import train
from training.judging.scores import Scores

TOLERANCE = 1e-4
"""Largest difference of losses, relative: sums of floating numbers in another order."""


def written(config: RunConfig, path: Path) -> Path:
    path.write_text(config.to_toml(), encoding="utf-8")
    return path


def n_steps(out: Path) -> int:
    return json.loads((out / "run.json").read_text())["steps"]


def test_two_processes_have_the_losses_of_one(workshop: Path, tmp_path: Path) -> None:
    changes: dict[str, object] = {"optim.precision": "fp32", "optim.accumulate": 2}
    config = load_config(workshop / "run.toml")
    # 40 documents in batches of 14 leave an uneven share of 12 in the last one.
    together = without_chance(config, **changes, **{"optim.batch_size": 7})
    alone = without_chance(config, **changes, **{"optim.batch_size": 14})
    path = written(together, tmp_path / "run.toml")
    assert set(launched(path, tmp_path / "two")) == {0}
    train(alone, tmp_path / "one")
    one, two = (losses(tmp_path / name) for name in ("one", "two"))
    assert len(one) == len(two) == 3
    for (a, dev_a), (b, dev_b) in zip(one, two, strict=True):
        assert b == pytest.approx(a, rel=TOLERANCE)
        assert dev_b == pytest.approx(dev_a, rel=TOLERANCE)
    assert two[-1][0] < two[0][0]
    assert n_steps(tmp_path / "two") == n_steps(tmp_path / "one"), "each batch is shared"
    assert Scores.load(tmp_path / "two" / "scores_test.npz").assigned is not None, "one judges"
    assert (tmp_path / "two" / "metrics.json").exists()


def test_processes_draw_each_for_themselves_and_the_first_as_one_alone(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(load_config(workshop / "run.toml"), tmp_path)
    inputs = (run.inputs(run.train), run.inputs(run.corpus.dev))
    trainer = Trainer(run.config, run.new_model(), run.new_loss(), *inputs, tmp_path)
    read, drawn = trainer.train.batch, []

    def batch(examples: Sequence[Any], rng: np.random.Generator) -> TrainingBatch:
        # What dropout draws, and what reading draws: a window, the masks, another style.
        drawn.append((torch.rand(1).item(), rng.random()))
        return read(examples, rng)

    monkeypatch.setattr(trainer.train, "batch", batch)
    examples = trainer._batches(0)[0]
    for process, n_processes in ((0, 1), (0, 2), (1, 2)):
        monkeypatch.setattr(Accelerator, "process_index", process)
        monkeypatch.setattr(Accelerator, "num_processes", n_processes)
        trainer.train_step(examples, 0)
    alone, first, second = drawn
    assert first == alone
    assert second[0] != first[0] and second[1] != first[1]


def test_a_run_whose_process_is_killed_goes_on(workshop: Path, tmp_path: Path) -> None:
    config = without_chance(
        load_config(workshop / "run.toml"),
        **{"optim.batch_size": 4, "optim.epochs": 5, "checkpoint_minutes": 0.0},
    )
    out = tmp_path / "broken"
    path = written(config, tmp_path / "run.toml")
    first, second = trained_together(path, out, second="train_and_die")
    assert second == -signal.SIGKILL
    assert first != 0
    assert (out / "checkpoint.pt").exists()
    assert not (out / "run.json").exists()
    assert trained_together(path, out) == [0, 0]
    train(config.replace("optim.batch_size", 8), tmp_path / "whole")
    whole, broken = (
        load_file(tmp_path / name / "model.safetensors") for name in ("whole", "broken")
    )
    for part, expected in whole.items():
        assert torch.allclose(broken[part], expected, atol=2e-2), part
    assert losses(out)[-1][0] == pytest.approx(losses(tmp_path / "whole")[-1][0], rel=5e-2)


def test_a_launcher_that_starts_one_process_alone_is_said_so(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = tmp_path / "told.py"
    script.write_text("import os, sys; sys.stderr.write(' '.join(['told', *os.environ]))", "utf-8")
    words = ["--cpu", "--num_processes=1", str(script)]
    assert forks().run(call(f"{FORKED}:accelerate", *words), seconds=PATIENCE) == [0]
    left = set(LAUNCHERS) & set(capsys.readouterr().err.partition("told ")[2].split())
    assert left
    for name in left:
        monkeypatch.setenv(name, "no")
    config = without_chance(load_config(workshop / "run.toml"), **{"optim.epochs": 1})
    path = written(config, tmp_path / "run.toml")
    assert main(["train", str(path), "--out", str(tmp_path / "out")]) == 0
    assert ALONE in capsys.readouterr().err
    assert (tmp_path / "out" / "run.json").exists()


def test_processes_that_do_not_know_each_other_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    check_processes(tmp_path, heard.append)
    assert heard == []
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match="2 processes were started, and each finds 1"):
        check_processes(tmp_path, heard.append)

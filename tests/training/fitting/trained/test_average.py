"""The mean of several runs: their weights, their costs together, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.errors import ConfigError
from tests.support.models.network_workshop import network_config
from training.fitting.train import average_runs, train
from training.judging.folders import RunFolder


def test_weights_are_the_mean_and_costs_the_sum(two_runs: list[Path], workshop: Path) -> None:
    out = average_runs(two_runs, workshop / "mean")
    first, second = (load_file(run / "model.safetensors") for run in two_runs)
    mean = load_file(out / "model.safetensors")
    assert mean.keys() == first.keys()
    learned = [name for name in mean if not torch.equal(first[name], second[name])]
    assert learned
    for name, weight in mean.items():
        torch.testing.assert_close(weight.double(), (first[name].double() + second[name]) / 2)
    facts = [RunFolder(folder).facts for folder in (*two_runs, out)]
    for cost in ("steps", "documents_seen"):
        assert facts[2][cost] == facts[0][cost] + facts[1][cost]
    assert facts[2]["digest"] == facts[0]["digest"]
    assert {"scores_dev.npz", "scores_test.npz"} <= {path.name for path in out.iterdir()}


def test_facts_are_json_without_a_measurement_of_dev(two_runs: list[Path], workshop: Path) -> None:
    out = average_runs(two_runs, workshop / "unmeasured")
    facts = json.loads((out / "run.json").read_text("utf-8"), parse_constant=pytest.fail)
    assert facts["dev_loss"] is None
    assert facts["dev_micro_f1"] is None
    assert RunFolder(two_runs[0]).facts["dev_loss"] > 0


def test_other_settings_are_refused(two_runs: list[Path], workshop: Path) -> None:
    other = train(network_config(workshop, optim__epochs=1, optim__head_lr=0.5), workshop / "other")
    with pytest.raises(ConfigError, match=r"differs from .* in more than its seed"):
        average_runs([two_runs[0], other], workshop / "refused")
    assert not (workshop / "refused").exists()


def test_runs_that_did_not_go_on_from_the_same_weights_are_refused(
    two_runs: list[Path], workshop: Path
) -> None:
    start = workshop / "start"
    with pytest.raises(ConfigError, match=r"start did not go on from .* optim\.start_from"):
        average_runs([start, start], workshop / "unrelated")
    assert not (workshop / "unrelated").exists()


def test_baselines_are_refused(workshop: Path) -> None:
    baseline = workshop / "baseline"
    baseline.mkdir()
    (baseline / "run.json").write_text("{}", "utf-8")
    with pytest.raises(ConfigError, match="baseline holds no run that was started by `train`"):
        average_runs([baseline, baseline], workshop / "of-baselines")

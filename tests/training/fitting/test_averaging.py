"""The average of weights: its value by hand, its start corrected, and what a run keeps of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from core.errors import ConfigError
from tests.support.models.network_workshop import changed
from training.config import RunConfig, load_config
from training.fitting.loop import CHECKPOINT, Trainer
from training.fitting.optimiser import WeightAverage
from training.fitting.resume import begin
from training.fitting.run import Run, load_trained
from training.fitting.train import train


def one_weight(value: float) -> nn.Linear:
    model = nn.Linear(1, 1, bias=False)
    nn.init.constant_(model.weight, value)
    return model


def test_the_average_is_corrected_for_its_start_at_zero() -> None:
    model = one_weight(8.0)
    average = WeightAverage(model, 0.5)
    average.update()
    with average.in_place():
        assert model.weight.item() == 8.0  # of one value, the average is that value
    nn.init.constant_(model.weight, 2.0)
    average.update()
    with average.in_place():
        # 0.5 · (0.5 · 8) + 0.5 · 2 = 3, divided by 1 − 0.5² = 0.75.
        assert model.weight.item() == pytest.approx(4.0)
    assert model.weight.item() == 2.0
    average.take()
    assert model.weight.item() == pytest.approx(4.0)


def test_without_a_decay_nothing_is_averaged_or_copied() -> None:
    model = one_weight(8.0)
    average = WeightAverage(model, 0.0)
    average.update()
    nn.init.constant_(model.weight, 2.0)
    average.take()
    assert (model.weight.item(), average.sums) == (2.0, {})


def test_what_does_not_learn_stays_as_it_is() -> None:
    model = nn.Sequential(one_weight(8.0), one_weight(4.0))
    model[1].weight.requires_grad_(False)
    average = WeightAverage(model, 0.9)
    assert list(average.sums) == ["0.weight"]


def test_an_average_goes_on_from_what_was_kept() -> None:
    model = one_weight(8.0)
    average = WeightAverage(model, 0.5)
    average.update()
    other = WeightAverage(model, 0.5)
    other.load_state_dict(average.state_dict())
    nn.init.constant_(model.weight, 2.0)
    for one in (average, other):
        one.update()
    assert torch.equal(average.sums["weight"], other.sums["weight"])
    assert other.steps == 2


def configured(workshop: Path, **changes: object) -> RunConfig:
    return changed(load_config(workshop / "run.toml"), {"optim.precision": "fp32", **changes})


def facts_of(folder: Path) -> dict[str, object]:
    facts: dict[str, object] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return facts


def test_a_run_keeps_the_average_of_its_weights(workshop: Path) -> None:
    config = configured(workshop, **{"optim.epochs": 1})
    last = train(config, workshop / "a")
    averaged = train(config.replace("optim.weight_average", 0.9), workshop / "b")
    one, two = (load_file(folder / "model.safetensors") for folder in (last, averaged))
    name = "assigned_head.weight"
    assert not torch.equal(one[name], two[name])
    # The learning rate ends at zero, so the average lags behind the last weights but is near them.
    assert (one[name] - two[name]).norm() < 0.5 * one[name].norm()


def test_a_cap_ends_a_run_within_an_epoch_and_says_so(workshop: Path) -> None:
    config = configured(workshop, **{"optim.max_minutes": 1e-9})
    heard: list[str] = []
    facts = facts_of(train(config, workshop / "capped", say=heard.append))
    assert "time limit, optim.max_minutes = 1e-09, after 0.1 epochs" in heard[-1]
    assert (facts["capped"], facts["stopped_early"]) == (True, False)
    assert (facts["steps"], facts["epochs"]) == (1, round(1 / 7, 2))
    log = (workshop / "capped" / "log.jsonl").read_text().splitlines()
    assert "dev_loss" in json.loads(log[-1])
    config = configured(workshop, **{"optim.epochs": 1})
    whole = facts_of(train(config, workshop / "whole", say=heard.append))
    assert sum("time limit" in said for said in heard) == 1
    assert (whole["capped"], whole["epochs"], whole["best_epoch"]) == (False, 1.0, 1)
    assert whole["dev_micro_f1"] is None


def test_a_run_makes_at_most_so_many_updates_and_is_not_capped(workshop: Path) -> None:
    changes = {"optim.max_steps": 3, "optim.accumulate": 2}
    facts = facts_of(train(configured(workshop, **changes), workshop / "short"))
    assert (facts["steps"], facts["epochs"], facts["capped"]) == (3, round(6 / 7, 2), False)
    # The learning rate falls to zero by the last update, as in a run of as many epochs.
    as_long = {"optim.epochs": 6 / 7, "optim.accumulate": 2}
    train(configured(workshop, **as_long), workshop / "as-long")
    one, two = (load_file(workshop / name / "model.safetensors") for name in ("short", "as-long"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_fewer_updates_at_most_than_at_least_are_refused(workshop: Path) -> None:
    changes = {"optim.min_steps": 4, "optim.max_steps": 3}
    with pytest.raises(ConfigError, match=r"optim\.min_steps = 4 is above optim\.max_steps = 3"):
        train(configured(workshop, **changes), workshop / "between")


def test_a_cap_does_not_end_in_half_an_update(workshop: Path) -> None:
    changes = {"optim.max_minutes": 1e-9, "optim.accumulate": 2}
    assert facts_of(train(configured(workshop, **changes), workshop / "half"))["steps"] == 1


def test_micro_f1_chooses_the_epoch_whose_weights_are_kept(workshop: Path) -> None:
    changes = {"optim.select": "micro_f1", "optim.patience": 2, "optim.epochs": 8}
    out = train(configured(workshop, **changes), workshop / "chosen")
    facts = facts_of(out)
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    best = max(
        (line for line in log if "dev_micro_f1" in line),
        key=lambda line: (line["dev_micro_f1"], -line["dev_loss"]),
    )
    assert facts["dev_micro_f1"] == best["dev_micro_f1"] > 0
    assert facts["dev_loss"] == best["dev_loss"]
    found = measured(configured(workshop, **changes), out)
    assert found["dev_micro_f1"] == pytest.approx(best["dev_micro_f1"], abs=2e-5)


def test_without_patience_nothing_can_be_chosen(workshop: Path) -> None:
    changes = {"optim.select": "micro_f1", "optim.patience": 0}
    with pytest.raises(ConfigError, match=r"set optim\.patience"):
        train(configured(workshop, **changes), workshop / "impatient")
    assert not (workshop / "impatient").exists()


def measured(config: RunConfig, out: Path) -> dict[str, float]:
    """On dev, with the weights that were saved, as they are."""
    config = config.replace("optim.weight_average", 0.0).replace("optim.patience", 0)
    run = Run(config, out)
    inputs = (run.inputs(run.train), run.inputs(run.corpus.dev))
    trainer = Trainer(config, load_trained(run), run.new_loss(), *inputs, out)
    return trainer._measure_dev()


@pytest.mark.parametrize(("patience", "rate"), [(0, 0.5), (3, 0.5), (3, 0.0)])
def test_what_is_reported_was_measured_with_the_weights_that_are_kept(
    workshop: Path, patience: int, rate: float
) -> None:
    changes = {"optim.patience": patience, "optim.epochs": 3, "optim.weight_average": rate}
    changes |= {"optim.head_lr": 3.0, "optim.warmup": 0.0}
    config = configured(workshop, **changes)
    out = train(config, workshop / f"kept-{patience}-{rate}")
    found = measured(config, out)["dev_loss"]
    assert facts_of(out)["dev_loss"] == pytest.approx(found, abs=2e-5)


@pytest.mark.parametrize(("capped", "steps"), [(False, 8), (True, 7)])
def test_a_cap_counts_earlier_sittings_and_after_it_nothing_is_learned(
    workshop: Path, capped: bool, steps: int
) -> None:
    changes = {"optim.max_minutes": 60.0, "optim.patience": 3, "optim.weight_average": 0.9}
    config, out = configured(workshop, **changes), workshop / f"sittings-{capped}"
    begin(config, out)
    run = Run(config, out)
    inputs = (run.inputs(run.train), run.inputs(run.corpus.dev))
    trainer = Trainer(config, run.new_model(), run.new_loss(), *inputs, out)
    trainer.run_epoch()
    trainer.end_epoch()
    state = torch.load(out / CHECKPOINT, weights_only=True)
    state["progress"] |= {"minutes": 60.0, "capped": capped}
    torch.save(state, out / CHECKPOINT)
    facts = facts_of(train(config, out))
    assert (facts["steps"], facts["capped"]) == (steps, True)
    found = measured(config, out)["dev_loss"]
    assert facts["dev_loss"] == pytest.approx(found, abs=2e-5)


def test_micro_f1_needs_a_head_to_be_measured_on(workshop: Path) -> None:
    changes = {"optim.select": "micro_f1", "optim.patience": 1, "model.assigned_head": False}
    with pytest.raises(ConfigError, match="no head for what is assigned"):
        train(configured(workshop, **changes), workshop / "headless")

"""The losses of steps are read late, and give the numbers of those that are read at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from training.config import load_config
from training.fitting.loop import Trainer
from training.fitting.progress import StepLosses
from training.fitting.train import train


def test_losses_are_read_in_order_and_once() -> None:
    losses = StepLosses()
    losses.add(torch.tensor(0.5, requires_grad=True), 8)
    losses.add(torch.tensor(0.25), 3)
    assert losses.last == 0.0
    assert losses.read() == [(0.5, 8), (0.25, 3)]
    assert losses.last == 0.25
    assert losses.read() == []


def test_a_processor_is_read_at_once_and_a_card_once_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr("training.fitting.progress.time.monotonic", lambda: now[0])
    losses = StepLosses()
    # A tensor without numbers stands for one that a card still computes.
    losses.add(torch.tensor(0.5, device="meta"), 8)
    assert not losses.are_due()
    now[0] += 1
    assert losses.are_due()
    losses = StepLosses()
    losses.add(torch.tensor(0.5), 8)
    assert losses.are_due()


@pytest.mark.usefixtures("single_thread")
def test_losses_that_are_read_late_change_no_number(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(workshop / "run.toml").replace("optim.precision", "fp32")
    config = config.replace("optim.epochs", 2).replace("optim.patience", 9)
    at_once = train(config, workshop / "at-once")
    monkeypatch.setattr(StepLosses, "are_due", lambda _: False)
    late = train(config, workshop / "late")
    monkeypatch.undo()
    one, two = (load_file(out / "model.safetensors") for out in (at_once, late))
    assert all(torch.equal(one[name], two[name]) for name in one)
    logs = [_log(out) for out in (at_once, late)]
    assert logs[0] == logs[1]
    assert all(line["train_loss"] > 0 for line in logs[0])


@pytest.mark.usefixtures("single_thread")
def test_a_checkpoint_holds_the_losses_of_all_its_steps(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(workshop / "run.toml").replace("optim.precision", "fp32")
    config, kept, steps = config.replace("checkpoint_minutes", 0.0), [], []
    step, save = Trainer.train_step, Trainer._save

    def train_step(self: Trainer, examples: list[object], number: int) -> torch.Tensor:
        loss = step(self, examples, number)
        steps.append(float(loss) * len(examples))
        return loss

    def saved(self: Trainer, path: Path, state: dict[str, dict[str, float]]) -> None:
        kept.append((state["progress"]["epoch_loss"], sum(steps)))
        save(self, path, state)  # type: ignore[arg-type]

    monkeypatch.setattr(StepLosses, "are_due", lambda _: False)
    monkeypatch.setattr(Trainer, "train_step", train_step)
    monkeypatch.setattr(Trainer, "_save", saved)
    train(config.replace("optim.epochs", 0.5), tmp_path / "run")
    assert len(kept) == len(steps) + 1  # the last after the epoch, which begins anew
    assert [found for found, _ in kept[:-1]] == [total for _, total in kept[:-1]]


def _log(out: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        del line["minutes"]
        line.pop("documents_per_second", None)
    return lines

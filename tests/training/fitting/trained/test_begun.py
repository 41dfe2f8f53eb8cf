"""What a run finds when it begins: an earlier result, half a run, or weights that are missing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from core.errors import ConfigError
from tests.support.models.network_workshop import changed
from training.__main__ import main
from training.config import RunConfig, load_config
from training.fitting.loop import CHECKPOINT, Trainer
from training.fitting.resume import begin, is_finished
from training.fitting.run import Run, load_trained
from training.fitting.train import fit, train
from training.judging.scores import Scores
from training.shipping.package import package_bundle


def short(workshop: Path, **changes: object) -> RunConfig:
    return changed(load_config(workshop / "run.toml"), {"optim.epochs": 0.4, **changes})


def test_a_fresh_run_that_is_killed_leaves_no_older_result(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, out = short(workshop, optim__patience=1), workshop / "fresh"
    train(config, out)
    (out / "metrics.json").write_text("{}", encoding="utf-8")
    assert is_finished(config, out)
    assert (out / "best.pt").is_file()

    def killed(*_: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "train_step", killed)
    with pytest.raises(KeyboardInterrupt):
        train(config, out, fresh=True)
    assert not is_finished(config, out)
    assert not {"metrics.json", "best.pt", CHECKPOINT} & {path.name for path in out.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        train(config, out)


def test_a_half_done_run_of_another_configuration_keeps_its_own(
    workshop: Path, tmp_path: Path
) -> None:
    config = short(workshop)
    begin(config, tmp_path)
    torch.save({"digest": config.digest()}, tmp_path / CHECKPOINT)
    begin(config, tmp_path)
    with pytest.raises(ConfigError, match="belongs to another configuration"):
        begin(config.replace("seed", 5), tmp_path)
    assert load_config(tmp_path / "config.toml").seed == config.seed
    begin(config.replace("seed", 5), tmp_path, fresh=True)
    assert load_config(tmp_path / "config.toml").seed == 5
    assert not (tmp_path / CHECKPOINT).exists()


def test_missing_weights_to_start_from_are_said_before_anything_is_read(
    workshop: Path, tmp_path: Path
) -> None:
    config = short(workshop, optim__start_from=str(tmp_path / "none"), data__path="nowhere")
    with pytest.raises(ConfigError, match="none to start from"):
        train(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "none").write_bytes(b"no weights")
    with pytest.raises(ConfigError, match="no weights that can be read"):
        train(short(workshop, optim__start_from=str(tmp_path / "none")), tmp_path / "out")


def test_weights_of_another_model_are_not_started_from(workshop: Path, tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    config = short(workshop, optim__start_from=str(path))
    save_file({"other": torch.zeros(2)}, path)
    with pytest.raises(ConfigError, match="no weights of this model"):
        train(config, tmp_path / "out")
    head = next(k for k in Run(config, tmp_path).new_model().state_dict() if "assigned_head" in k)
    save_file({head: torch.zeros(2)}, path)
    with pytest.raises(ConfigError, match=r"weights of another model .*size mismatch"):
        train(config, tmp_path / "out")


def test_a_result_that_is_damaged_or_lost_is_said(workshop: Path, tmp_path: Path) -> None:
    config = short(workshop)
    with pytest.raises(ConfigError, match="no weights that can be read"):
        load_trained(Run(config, tmp_path))
    (tmp_path / "run.json").write_text('{"digest": "12', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"cannot be read .* With --fresh"):
        train(config, tmp_path)
    (tmp_path / "config.toml").write_text(config.to_toml(), encoding="utf-8")
    with pytest.raises(ConfigError, match="cannot be read"):
        package_bundle(tmp_path, tmp_path / "bundle")


def test_a_run_is_scored_in_the_precision_that_it_was_trained_in(
    workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine finds another format fastest the second time.
    found = iter([torch.float32, *[torch.bfloat16] * 9])
    monkeypatch.setattr("training.fitting.devices.serving_dtype", lambda _device: next(found))
    auto = train(short(workshop), workshop / "auto")
    named = train(short(workshop, optim__precision="fp32"), workshop / "fp32")
    assert json.loads((auto / "run.json").read_text())["dtype"] == "torch.float32"
    one, two = (Scores.load(out / "scores_dev.npz").assigned for out in (auto, named))
    assert (one == two).all()
    run = Run(short(workshop), auto)
    load_trained(run)
    assert run.reading_dtype("cpu") == torch.float32


def test_nothing_to_train_on_does_not_go_on_for_ever(workshop: Path, tmp_path: Path) -> None:
    config = short(workshop, optim__min_steps=5)
    run = Run(config, tmp_path)
    nothing, dev = run.inputs([]), run.inputs(run.corpus.dev)
    with pytest.raises(ConfigError, match="no document to train on"):
        Trainer(config, run.new_model(), run.new_loss(), nothing, dev, tmp_path)
    run.corpus = replace(run.corpus, dev=())
    with pytest.raises(ConfigError, match="no document to measure the run on"):
        fit(run)
    run.train = []
    with pytest.raises(ConfigError, match="no document to train on"):
        fit(run)


def test_a_folder_that_cannot_be_written_to_is_a_sentence(
    workshop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = workshop / "run.toml" / "run"
    assert main(["train", str(workshop / "run.toml"), "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert said == f"{out}: Not a directory.\n"

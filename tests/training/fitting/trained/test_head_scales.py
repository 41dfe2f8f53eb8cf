"""Runs whose level heads read vectors of one size: measured at the start, folded in at the end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core.errors import ConfigError
from core.suggest.opening import load_suggester
from core.suggest.windows import JoinRule
from training.__main__ import main
from training.config import RunConfig, load_config
from training.fitting.loop import Trainer
from training.fitting.run import Run, load_trained
from training.fitting.start_weights import start_weights
from training.fitting.train import train
from training.judging.scores import Scores
from training.studies.utilization import load_subject


def configured(workshop: Path, kind: str) -> RunConfig:
    config = load_config(workshop / "run.toml").replace("model.head_scale", kind)
    return config.replace("optim.precision", "fp32").replace("optim.epochs", 1)


def test_a_frozen_scale_is_measured_on_the_first_inputs_of_the_first_epoch(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.fitting.start_weights._MEASURED", 10)
    run = Run(configured(workshop, "frozen"), tmp_path)
    model, inputs = run.new_model(), run.inputs(run.train)
    start_weights(run, model, inputs)
    plain = Run(configured(workshop, "none"), tmp_path).new_model().eval()
    trainer = Trainer(run.config, plain, run.new_loss(), inputs, inputs, tmp_path)
    examples = [example for batch in trainer._batches(0) for example in batch][:10]
    with torch.inference_mode():
        rows = [torch.tensor([inputs.window(*example)]) for example in examples]
        found = [plain.pooled_layers(row, torch.ones_like(row)) for row in rows]
    assert set(model.head_scales) == {"3", "4"}
    for layer, scale in model.head_scales.items():
        vectors = torch.cat([pooled[int(layer)] for pooled in found])
        torch.testing.assert_close(scale.centre, vectors.mean(0), atol=1e-5, rtol=1e-4)
        spread = vectors.var(0, correction=0).mean().sqrt()
        torch.testing.assert_close(scale.spread, spread, atol=1e-5, rtol=1e-4)


@pytest.mark.usefixtures("single_thread")
def test_a_finished_run_has_no_trace_of_a_frozen_scale(workshop: Path) -> None:
    plain = train(configured(workshop, "none"), workshop / "plain-heads")
    frozen = train(configured(workshop, "frozen"), workshop / "frozen-heads")
    weights, others = (load_file(out / "model.safetensors") for out in (frozen, plain))
    assert weights.keys() == others.keys()
    assert not torch.equal(*(w["level_heads.levels.0.weight"] for w in (weights, others)))
    run = Run(load_config(frozen / "config.toml"), frozen)
    model = load_trained(run)
    assert model.shape.head_scale == "none" and model.head_scales is None
    again = run.scores(model, run.corpus.test, JoinRule())
    kept = Scores.load(frozen / "scores_test.npz")
    assert (again.levels == kept.levels).all() and (again.assigned == kept.assigned).all()
    assert main(["bundle", str(frozen), "--out", str(workshop / "frozen-bundle")]) == 0


def test_what_is_trained_is_what_is_folded(workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []

    def scores(trainer: Trainer) -> np.ndarray:
        model = trainer.plain_model.eval()
        batch = trainer.dev.batch([(row, -1) for row in range(len(trainer.dev))])
        with torch.inference_mode():
            return model(**batch.model_inputs()).levels.numpy()

    kept = Trainer.fit

    def fit(self: Trainer, **options: bool) -> object:
        progress = kept(self, **options)
        assert self.plain_model.head_scales is not None
        seen.append(scores(self))
        trainers.append(self)
        return progress

    trainers: list[Trainer] = []
    monkeypatch.setattr(Trainer, "fit", fit)
    train(configured(workshop, "frozen"), workshop / "folded-heads")
    assert trainers[0].plain_model.head_scales is None
    np.testing.assert_allclose(scores(trainers[0]), seen[0], atol=1e-4)


def test_a_layer_norm_learns_and_stays(workshop: Path) -> None:
    out = train(configured(workshop, "layer_norm"), workshop / "norm-heads")
    weights = load_file(out / "model.safetensors")
    assert not torch.equal(weights["head_scales.3.weight"], torch.ones(32))
    run = Run(load_config(out / "config.toml"), out)
    again = run.scores(load_trained(run), run.corpus.test, JoinRule())
    assert (again.levels == Scores.load(out / "scores_test.npz").levels).all()
    assert load_subject(out, run.config.data, "test").model.shape.head_scale == "layer_norm"
    assert main(["evaluate", str(out)]) == 0
    assert main(["bundle", str(out), "--out", str(workshop / "norm-bundle")]) == 0
    served = load_suggester(workshop / "norm-bundle")
    assert served.backend.model.shape.head_scale == "layer_norm"


@pytest.mark.parametrize("kind", ["frozen", "layer_norm"])
def test_it_is_refused_where_there_are_no_level_heads(workshop: Path, kind: str) -> None:
    config = configured(workshop, kind).replace("model.plan", "none")
    with pytest.raises(ConfigError, match=r"there are none: set model\.plan"):
        Run(config, workshop / "no-levels")


def test_a_frozen_scale_is_refused_before_heads_of_another_run(workshop: Path) -> None:
    config = configured(workshop, "frozen").replace("optim.start_from", str(workshop / "run.toml"))
    with pytest.raises(ConfigError, match=r"optim\.start_from have learned without it"):
        Run(config, workshop / "other-heads")

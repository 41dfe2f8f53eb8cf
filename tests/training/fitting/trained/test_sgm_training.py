"""SGM in the one loop: it learns, is judged by its best path, and is no bundle."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import ConfigError
from core.metrics import mean_defined, micro_f1, r_precision
from core.suggest.backends.torch import padded
from tests.support.models.run_configs import sgm_config
from tests.support.models.tiny_bundle import tiny_label_space
from training.fitting.run import Run, load_trained
from training.judging.scores import Scores
from training.networks.sequence_generator import SequenceGenerator
from training.shipping.package import package_bundle


def gold_of(run: Run) -> np.ndarray:
    rows = [document.assigned for document in run.corpus.test]
    return tiny_label_space().encode(rows, augmented=False).toarray()


def figures(out: Path, gold: np.ndarray) -> tuple[float, float]:
    """R-Precision and micro-F1 at 0.5, on the test documents."""
    probs = Scores.load(out / "scores_test.npz").assigned
    assert probs is not None
    return mean_defined(r_precision(gold, probs.astype(float))), micro_f1(gold, probs.astype(float))


def test_it_learns(sgm_run: Run) -> None:
    of_ranks, of_labels = figures(sgm_run.out, gold_of(sgm_run))
    assert of_ranks > 0.9
    assert of_labels > 0.8


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("model__plan", "flat", "set model.plan = “none”, not “flat”"),
        ("model__objective", "single_label", "any number of labels"),
        ("model__assigned_head", False, "set model.assigned_head = true"),
    ],
)
def test_what_it_cannot_give_is_refused_before_a_corpus_is_read(
    workshop: Path, setting: str, value: object, said: str
) -> None:
    config = sgm_config(workshop, **{setting: value}).replace("data.path", "nowhere")
    with pytest.raises(ConfigError, match=said):
        Run(config, workshop / "refused")


def test_the_losses_of_training_and_of_dev_fall(sgm_run: Run) -> None:
    lines = [json.loads(line) for line in (sgm_run.out / "log.jsonl").read_text().splitlines()]
    for name in ("train_loss", "dev_loss"):
        curve = [line[name] for line in lines if name in line]
        assert np.isfinite(curve).all() and min(curve) < 0.5 * curve[0]
    f1 = [line["dev_micro_f1"] for line in lines if "dev_micro_f1" in line]
    assert max(f1) > 0.8


def test_scores_are_at_least_a_half_exactly_on_the_best_path(sgm_run: Run) -> None:
    model, scores = load_trained(sgm_run), Scores.load(sgm_run.out / "scores_test.npz").assigned
    assert isinstance(model, SequenceGenerator) and scores is not None
    inputs = sgm_run.inputs(sgm_run.corpus.test)
    windows = [inputs.window(row, -1) for row in range(len(inputs))]
    with torch.inference_mode():
        found = model.eval().search(*padded(windows))
    chosen = scores[:, sgm_run.assigned_columns] >= 0.5
    np.testing.assert_array_equal(chosen, found.labels.numpy())
    assert chosen.any()


def test_the_order_of_the_labels_is_that_of_the_training_documents(sgm_run: Run) -> None:
    model = load_trained(sgm_run)
    assert isinstance(model, SequenceGenerator)
    counts = sgm_run.inputs(sgm_run.train).y_assigned.sum(axis=0).A1
    by_rank = counts[model.rank.argsort().numpy()]
    assert (np.diff(by_rank) <= 0).all()
    assert model.longest.item() == 2


def test_it_is_not_served(sgm_run: Run, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="kind sgm is a baseline"):
        package_bundle(sgm_run.out, tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()

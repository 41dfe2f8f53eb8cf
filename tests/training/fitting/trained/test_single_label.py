"""One label a document, from a table to suggestions, in a run of its own and in two processes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from core.documents.document import Document
from core.errors import ConfigError
from core.model.precision import best_device, serving_dtype
from core.suggest.opening import load_suggester
from tests.support.models.run_configs import PAIRS_NAMES
from training.config import RunConfig, load_config
from training.fitting.devices import precision_name, scoring_dtype
from training.fitting.loop import CHECKPOINT, Trainer
from training.fitting.run import Run
from training.fitting.train import fit, train
from training.judging.folders import RunFolder, load_data
from training.judging.judge import judge_folders, judge_run
from training.judging.rows import ResultRow
from training.judging.scores import Scores


def test_each_document_gets_one_probability_among_all_labels(pairs_run: Path) -> None:
    scores = Scores.load(pairs_run / "scores_test.npz")
    assert scores.levels is None and scores.assigned is not None
    assert scores.assigned.dtype == np.float32
    np.testing.assert_allclose(scores.assigned.sum(axis=1), 1, atol=1e-5)


def test_unseen_pairs_are_judged_by_accuracy_and_by_class(pairs_run: Path) -> None:
    folder = RunFolder(pairs_run)
    row = judge_run(folder, load_data(folder.data()), 6, {})["test"]
    assert row.mean("accuracy") > 0.9
    assert row.threshold is None
    assert {f"f1:{name}" for name in PAIRS_NAMES} <= row.means["all"].keys()
    assert row.mean("roc_auc") > 0.9


def test_the_bundle_suggests_what_the_run_learned(pairs_bundle: Path) -> None:
    predictor = load_suggester(pairs_bundle)
    found = predictor.suggest(Document.from_text("x", "the quota bay fish", "on bay quota fish"))
    assert found.suggestions[0].concept_id == "fish"
    assert found.suggestions[0].probability > 0.5
    assert sum(suggestion.probability for suggestion in found.suggestions) == pytest.approx(
        1, abs=1e-4
    )
    assert predictor.objective == "single_label"
    assert json.loads((pairs_bundle / "bundle.json").read_text())["name"] == "pairs"


def test_words_that_are_taken_away_change_a_probability_of_the_softmax(pairs_bundle: Path) -> None:
    predictor = load_suggester(pairs_bundle)
    document = Document.from_text("x", "the quota bay fish", "on bay quota fish")
    explanation = predictor.explain(document)
    evidence = explanation.evidence(["fish", "tax"])
    known = {s.concept_id: s.probability for s in predictor.suggest(document).suggestions}
    for concept_id in ("fish", "tax"):
        alone = evidence[concept_id].sources["guided"]
        assert alone == pytest.approx(known[concept_id], abs=1e-3)


def test_a_bundle_is_judged_as_its_run_was(pairs_run: Path, pairs_bundle: Path) -> None:
    data = RunFolder(pairs_run).data()
    rows = judge_folders([pairs_run, pairs_bundle], data, split="test", depth=6)
    values = [row.mean("accuracy") for row in rows.values()]
    assert values[0] == values[1]
    assert isinstance(rows["bundle"], ResultRow)


def _curve(folder: Path, name: str) -> list[float]:
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line[name] for line in lines if name in line]


def test_small_corpora_are_gone_through_until_there_are_enough_updates(pairs_folder: Path) -> None:
    config = (
        load_config(pairs_folder / "run.toml").replace("data.cut", 8).replace("optim.min_steps", 45)
    )
    out = train(config, pairs_folder / "small")
    facts = json.loads((out / "run.json").read_text())
    assert facts["steps"] == 45
    assert facts["training_documents"] == 8
    # 45 epochs of one batch: dev is read twenty times at most, and at the end.
    assert len(_curve(out, "train_loss")) == 45
    assert 1 <= len(_curve(out, "dev_loss")) <= 20


def precise(desk: Path, precision: str) -> RunConfig:
    config = load_config(desk / "run.toml").replace("optim.precision", precision)
    return config.replace("optim.epochs", 1)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_half_precision_trains_with_finite_losses_or_says_why_not(
    pairs_folder: Path, precision: str
) -> None:
    config = precise(pairs_folder, precision)
    if precision == "fp16" and best_device() == "cpu":
        with pytest.raises(ConfigError, match="fp16 needs a GPU"):
            train(config, pairs_folder / precision)
        return
    out = train(config, pairs_folder / precision)
    losses = _curve(out, "train_loss") + _curve(out, "dev_loss")
    assert np.isfinite(losses).all()
    assert json.loads((out / "run.json").read_text())["dtype"].endswith("float16")


def test_a_run_goes_on_in_the_precision_that_it_began_in(
    pairs_folder: Path, tmp_path: Path
) -> None:
    for precision in ("fp32", "bf16"):
        config = precise(pairs_folder, "auto")
        begun = {"digest": config.digest(), "precision": precision}
        torch.save(begun, tmp_path / CHECKPOINT)
        run = Run(config, tmp_path)
        dev = run.inputs(run.corpus.dev)
        trainer = Trainer(config, run.new_model(), run.new_loss(), dev, dev, tmp_path)
        assert precision_name(trainer.dtype) == precision


def test_training_takes_denormals_for_zero(pairs_folder: Path, tmp_path: Path) -> None:
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot")
    run = Run(precise(pairs_folder, "fp32"), tmp_path)
    dev = run.inputs(run.corpus.dev)
    try:
        torch.set_flush_denormal(False)
        assert (torch.full((64,), 1e-40) * 1.0).count_nonzero() == 64
        Trainer(run.config, run.new_model(), run.new_loss(), dev, dev, tmp_path)
        assert (torch.full((64,), 1e-40) * 1.0).count_nonzero() == 0
    finally:
        torch.set_flush_denormal(False)


def test_what_was_trained_in_fp16_is_read_where_there_is_no_gpu() -> None:
    assert scoring_dtype("fp16", "cpu") == serving_dtype("cpu")
    assert scoring_dtype("bf16", "cpu") == torch.bfloat16


def test_one_label_without_a_head_to_learn_it_is_refused(pairs_folder: Path) -> None:
    config = load_config(pairs_folder / "run.toml").replace("model.assigned_head", False)
    with pytest.raises(ConfigError, match="assigned_head = true"):
        fit(Run(config, pairs_folder / "refused"))


def test_several_labels_are_refused_as_one(pairs_folder: Path, tmp_path: Path) -> None:
    table = (pairs_folder / "pairs.csv").read_text().replace(",label,", ",labels,")
    (tmp_path / "several.csv").write_text(table.replace(",fish,", ",fish;tax,"))
    config = load_config(pairs_folder / "run.toml").replace(
        "data.path", str(tmp_path / "several.csv")
    )
    with pytest.raises(ConfigError, match="exactly one label a document, and 13"):
        fit(Run(config, tmp_path))

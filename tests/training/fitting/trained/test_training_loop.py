"""The loop on twenty invented documents: it learns, and repeats itself."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from core.errors import ConfigError
from tests.support.models.network_workshop import changed
from tests.support.models.tiny_bundle import tiny_label_space
from training.config import load_config
from training.fitting.train import train
from training.judging.scores import Scores


def test_the_loss_falls_and_the_run_learns_what_unseen_documents_get(workshop, act_run):
    log = [json.loads(line) for line in (act_run / "log.jsonl").read_text().splitlines()]
    losses = [line["dev_loss"] for line in log if "dev_loss" in line]
    assert losses[-1] < 0.7 * losses[0]
    scores = Scores.load(act_run / "scores_test.npz")
    space = tiny_label_space()
    acts = [json.loads(x) for x in (workshop / "corpus/test.jsonl").read_text().splitlines()]
    gold = space.encode([act["concepts"] for act in acts], augmented=False).toarray() > 0
    top_two = np.argsort(-scores.assigned.astype(float), axis=1)[:, :2]
    hits = np.take_along_axis(gold, top_two, axis=1).mean()
    assert hits > 0.8
    shuffled = np.take_along_axis(np.roll(gold, 1, axis=0), top_two, axis=1).mean()
    assert shuffled < 0.3


def test_a_finished_run_says_what_made_it(act_run):
    facts = json.loads((act_run / "run.json").read_text())
    assert facts["steps"] == 6 * 7  # 40 titles and 14 windows in batches of 8
    assert facts["documents_seen"] == 6 * 54
    assert set(facts["data_sha256"]) == {"train.jsonl", "dev.jsonl", "test.jsonl"}
    assert facts["versions"]["torch"]
    assert (act_run / "config.toml").exists()
    config = load_config(act_run / "config.toml")
    assert config.digest() == facts["digest"]


def test_levels_beyond_the_depth_and_divisions_are_not_scored(act_run):
    space = tiny_label_space()
    scores = Scores.load(act_run / "scores_dev.npz")
    assert np.isneginf(scores.levels[:, space.levels > 3]).all()
    assert np.isneginf(scores.assigned[:, ~space.assignable]).all()
    assert np.isfinite(scores.levels[:, space.levels <= 3]).all()


def test_the_same_seed_gives_the_same_weights_and_another_does_not(workshop, act_run):
    config = load_config(workshop / "run.toml").replace("optim.epochs", 1)
    one = load_file(train(config, workshop / "one") / "model.safetensors")
    two = load_file(train(config, workshop / "two") / "model.safetensors")
    assert all(torch.equal(one[name], two[name]) for name in one)
    other = train(config.replace("seed", 2), workshop / "three") / "model.safetensors"
    assert any(not torch.equal(one[name], tensor) for name, tensor in load_file(other).items())


def test_a_folder_of_another_run_is_refused_unless_fresh(workshop, act_run):
    config = load_config(workshop / "run.toml").replace("optim.epochs", 1).replace("seed", 5)
    with pytest.raises(ConfigError, match="another run"):
        train(config, act_run)


def test_gradient_accumulation_makes_fewer_updates(workshop):
    config = load_config(workshop / "run.toml").replace("optim.epochs", 2)
    out = train(config.replace("optim.accumulate", 2), workshop / "accumulated")
    # Two epochs of 7 batches: the odd one of the first makes an update with the next epoch's first.
    assert json.loads((out / "run.json").read_text())["steps"] == 7


def test_early_stopping_keeps_the_best_weights(workshop):
    changes = {"optim.patience": 1, "optim.epochs": 12, "optim.encoder_lr": 0.2}
    config = changed(load_config(workshop / "run.toml"), changes)
    out = train(config, workshop / "early")
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    losses = [line["dev_loss"] for line in log if "dev_loss" in line]
    assert len(losses) < 12
    assert min(losses) < losses[-1]


def test_the_papers_preset_reads_cls_with_adam_and_the_mean_loss(workshop):
    path = workshop / "paper.toml"
    path.write_text((workshop / "run.toml").read_text().replace('"small"', '"paper"'))
    config = load_config(path)
    assert (config.model.pooling, config.optim.optimizer, config.optim.loss_scale) == (
        "cls",
        "adam",
        "mean",
    )
    assert (config.reading.mode, config.model.assigned_head) == ("first", False)
    out = train(config.replace("optim.epochs", 1), workshop / "paper")
    scores = Scores.load(out / "scores_dev.npz")
    assert scores.assigned is None and scores.levels is not None

"""A run with a teacher, from its configuration to a student that agrees with it."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from core.errors import ConfigError
from tests.support.models.network_workshop import network_config
from tests.support.models.tiny_model import tiny_tokenizer
from tests.support.transfer_documents import documents
from training.config import RunConfig, load_config
from training.distill import teacher_data as lessons
from training.distill.student import KeptLogits, Rows
from training.distill.teacher import teacher_identity
from training.distill.teacher_data import FOLDER, learned_documents
from training.fitting.loop import Trainer
from training.fitting.run import Run
from training.fitting.train import note_origins, train
from training.judging.folders import RunFolder


def student(shop: Path, **settings: object) -> RunConfig:
    """A guided student, which labels alone would make surer than its teacher is."""
    defaults = {
        "distill__teacher": str(shop / "runs" / "teacher"),
        "optim__epochs": 8,
        "optim__weight_average": 0.0,
        "optim__patience": 0,
        "optim__select": "loss",
    }
    return network_config(shop, **{**defaults, **settings})


def distance(run: Path, teacher: Path) -> float:
    """Mean difference between what both say of test documents, over both heads."""
    mine, theirs = RunFolder(run).scores("test"), RunFolder(teacher).scores("test")
    gaps = []
    for own, other in ((mine.levels, theirs.levels), (mine.assigned, theirs.assigned)):
        known = np.isfinite(own) & np.isfinite(other)
        gaps.append(np.abs(own[known] - other[known]).mean())
    return float(np.mean(gaps))


def test_a_student_agrees_with_its_teacher_better_than_one_that_has_none(taught_workshop, tmp_path):
    teacher = taught_workshop / "runs" / "teacher"
    taught = train(student(taught_workshop, distill__weight=10.0), tmp_path / "taught")
    alone = train(student(taught_workshop, distill__teacher=""), tmp_path / "alone")
    assert distance(taught, teacher) < 0.8 * distance(alone, teacher)


def test_a_weight_of_zero_is_a_student_without_a_teacher(taught_workshop, tmp_path):
    short = {"optim__epochs": 1}
    taught = train(student(taught_workshop, distill__weight=0.0, **short), tmp_path / "taught")
    alone = train(student(taught_workshop, distill__teacher="", **short), tmp_path / "alone")
    found = [(run / "model.safetensors").read_bytes() for run in (taught, alone)]
    assert found[0] == found[1]


def test_a_transfer_set_is_learned_with_and_without_a_teacher(taught_workshop, tmp_path):
    settings = {"distill__copies": 3, "optim__epochs": 1}
    for name, teacher in (("taught", str(taught_workshop / "runs" / "teacher")), ("alone", "")):
        run = train(student(taught_workshop, distill__teacher=teacher, **settings), tmp_path / name)
        facts = json.loads((run / "run.json").read_text())
        assert facts["training_documents"] == 40
        assert 90 < facts["learned_documents"] <= 120
        assert facts["documents_seen"] == facts["learned_documents"]
    (kept,) = (tmp_path / FOLDER).iterdir()
    assert json.loads((kept / "kept.json").read_text())["n_done"] == facts["learned_documents"]


def test_a_transformer_can_be_the_student_too(taught_workshop, tmp_path):
    config = load_config(taught_workshop / "run.toml").replace("optim.epochs", 1)
    config = config.replace("distill.teacher", str(taught_workshop / "runs" / "teacher"))
    run = train(config.replace("distill.copies", 2), tmp_path / "run")
    assert RunFolder(run).scores("test").levels is not None


class CutOffError(Exception):
    """Ends a run where nothing was prepared for it."""


@pytest.mark.usefixtures("single_thread")
def test_a_killed_run_reads_no_document_twice_and_ends_as_an_unbroken_one(
    taught_workshop, tmp_path, monkeypatch
):
    monkeypatch.setattr(lessons, "_DOCUMENTS_AT_A_TIME", 30)
    config = student(taught_workshop, optim__epochs=2, distill__copies=2, checkpoint_minutes=0.0)
    whole = train(config, tmp_path / "whole" / "run")
    killed = tmp_path / "killed" / "run"
    append, step, began = KeptLogits.append, Trainer.train_step, []

    def cut_off_reading(self: KeptLogits, rows: Rows, *, minutes: float = 0.0) -> None:
        append(self, rows, minutes=minutes)
        raise CutOffError

    def noted_reading(self: KeptLogits, rows: Rows, *, minutes: float = 0.0) -> None:
        began.append(self.n_done)
        append(self, rows, minutes=minutes)

    def cut_off_training(self: Trainer, examples: Sequence[object], number: int) -> float:
        if (self.at.epoch, number) == (1, 3):
            raise CutOffError
        return step(self, examples, number)

    with monkeypatch.context() as patched:
        patched.setattr(KeptLogits, "append", cut_off_reading)
        with pytest.raises(CutOffError):
            train(config, killed)
    monkeypatch.setattr(KeptLogits, "append", noted_reading)
    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "train_step", cut_off_training)
        with pytest.raises(CutOffError):
            train(config, killed)
    assert began == [30, 60]
    train(config, killed)
    assert began == [30, 60]
    ends = [(run / "model.safetensors").read_bytes() for run in (whole, killed)]
    assert ends[0] == ends[1]


def test_another_teacher_in_the_same_folder_is_told_from_the_first(taught_workshop, tmp_path):
    teacher = tmp_path / "teacher"
    shutil.copytree(taught_workshop / "runs" / "teacher", teacher)
    config = student(taught_workshop, optim__epochs=1, distill__teacher=str(teacher))
    out = train(config, tmp_path / "run")
    facts = RunFolder(out).facts
    assert facts["origins"] == {"teacher": teacher_identity(teacher)}
    assert facts["teacher_minutes"] > 0
    said: list[str] = []
    assert train(config, out, say=said.append) == out and said == []
    weights = load_file(teacher / "model.safetensors")
    weights["assigned_head.bias"] += 1
    save_file(weights, teacher / "model.safetensors")
    train(config, out, say=said.append)
    assert "was trained when distill.teacher had other contents" in said[0]
    (out / "run.json").unlink()
    (out / "checkpoint.pt").touch()
    with pytest.raises(ConfigError, match=r"started when distill\.teacher had other contents"):
        note_origins(config, out)


def test_a_teacher_of_another_fold_is_refused(taught_workshop, tmp_path):
    with pytest.raises(ConfigError, match="name a teacher of the same fold"):
        train(student(taught_workshop, data__fold="1/5"), tmp_path / "folded")


def test_every_seed_has_the_same_transfer_set(taught_workshop):
    made = []
    for seed in (1, 2):
        config = student(taught_workshop, distill__copies=2, seed=seed)
        rows, _ = learned_documents(documents(), config, tiny_tokenizer())
        made.append([row.document.text for row in rows])
    assert made[0] == made[1] and len(made[0]) > 6


def test_a_finished_student_needs_its_teacher_no_more(taught_workshop, tmp_path):
    shutil.copytree(taught_workshop / "runs" / "teacher", tmp_path / "teacher")
    config = student(taught_workshop, optim__epochs=1, distill__teacher=str(tmp_path / "teacher"))
    out = train(config, tmp_path / "run")
    shutil.rmtree(tmp_path / "teacher")
    assert Run(load_config(out / "config.toml"), out).config.distill.copies == 1
    with pytest.raises(ConfigError, match="holds no finished run"):
        train(config, tmp_path / "another")
    assert not (tmp_path / "another").exists()

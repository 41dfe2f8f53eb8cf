"""Toxic comments from Kaggle's files to a submission, on invented rows."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.models.workshop import TOPICS, write_encoder
from training.__main__ import main
from training.config import load_config
from training.fitting.train import train
from training.judging.folders import RunFolder, load_data
from training.judging.judge import judge_run
from training.shipping.submission import best_labels, write_submission

LABELS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
HEADER = ("id", "comment_text", *LABELS)


@pytest.fixture(scope="module")
def comments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kaggle's three files with harmless words, an encoder and a configuration."""
    folder = tmp_path_factory.mktemp("comments")
    data = folder / "data"
    data.mkdir()
    train = [(f"t{n}", *_comment(n)) for n in range(60)]
    test = [(f"u{n}", *_comment(n)) for n in range(12)]
    _write(data / "train.csv", [HEADER, *train])
    # One comment is nothing but a blank: it cannot be read, and has to be in the submission.
    _write(data / "test.csv", [HEADER[:2], *(row[:2] for row in test), ("blank", " ")])
    not_scored = ("blank", *["-1"] * len(LABELS))
    _write(
        data / "test_labels.csv",
        [("id", *LABELS), *((row[0], *row[2:]) for row in test), not_scored],
    )
    write_encoder(folder / "encoder")
    (folder / "run.toml").write_text(
        """
name = "toxic"
preset = "multi-label"
[data]
format = "toxic"
path = "data"
[model]
encoder = "encoder"
dropout = 0.0
encoder_dropout = 0.0
[reading]
max_length_tokens = 24
[optim]
batch_size = 8
epochs = 6
encoder_lr = 5e-3
head_lr = 2e-2
precision = "fp32"
"""
    )
    return folder


def _comment(number: int) -> tuple[str, ...]:
    topic = number % len(TOPICS)
    words = " ".join(np.roll(TOPICS[topic].split(), number))
    has = {0: ("toxic",), 1: ("toxic", "obscene"), 2: ("insult",), 3: ()}[topic]
    return (f"the {words}", *("1" if label in has else "0" for label in LABELS))


def _write(path: Path, rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.fixture(scope="module")
def run(comments: Path, single_thread: None) -> Path:
    """The run, trained to its end."""
    return train(load_config(comments / "run.toml"), comments / "run")


def test_a_submission_has_every_comment_and_six_probabilities(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "submission.csv"
    assert main(["submit", str(run), "--out", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == ("id", *LABELS)
    assert [row[0] for row in rows] == [*(f"u{n}" for n in range(12)), "blank"]
    probs = np.array([[float(p) for p in row[1:]] for row in rows])
    assert ((probs >= 0) & (probs <= 1)).all()
    toxic, insult = probs[:12, 0], probs[:12, 4]
    assert toxic[[0, 1, 4, 5]].min() > 0.5 > toxic[[2, 3, 6, 7]].max()
    assert insult[2] > 0.5 > insult[3]


def test_a_submission_to_glue_names_the_most_probable_label_of_each() -> None:
    probs = np.array([[0.2, 0.8], [0.5, 0.5]])
    rows = best_labels(["0", "7"], ["entailment", "not_entailment"], probs)
    assert list(rows) == [["0", "not_entailment"], ["7", "entailment"]]


def test_several_labels_a_document_are_no_submission_of_one(
    run: Path, tmp_path: Path, capsys
) -> None:
    assert main(["submit", str(run), "--out", str(tmp_path / "toxic.tsv")]) == 1
    assert "would hold one label a document" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_comments_are_judged_by_areas_and_cells(run: Path) -> None:
    folder = RunFolder(run)
    means = judge_run(folder, load_data(folder.data()), 6, {})["test"].means["all"]
    assert means["roc_auc"] > 0.95
    assert means["roc_auc:toxic"] > 0.95
    # Nobody is threatened in these comments: there is no area to measure.
    assert np.isnan(means["roc_auc:threat"])
    assert means["cell_accuracy"] > 0.9


def test_a_corpus_whose_labels_are_all_known_has_nothing_to_submit(
    comments: Path, run: Path, tmp_path: Path
) -> None:
    config = (run / "config.toml").read_text()
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.csv").write_bytes((comments / "data" / "train.csv").read_bytes())
    (tmp_path / "config.toml").write_text(config.replace(str(comments / "data"), str(data)))
    with pytest.raises(ConfigError, match=r"made of its test\.csv"):
        write_submission(tmp_path, tmp_path / "out.csv")

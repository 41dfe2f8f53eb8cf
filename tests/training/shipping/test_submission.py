"""Toxic comments from Kaggle's files to a submission, on invented rows."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.files.toxic_labels import TOXIC_LABELS
from training.__main__ import main
from training.judging.folders import RunFolder, load_data
from training.judging.judge import judge_run
from training.shipping.submission import best_labels, write_submission


def test_a_submission_has_every_comment_and_six_probabilities(
    toxic_run: Path, tmp_path: Path
) -> None:
    out = tmp_path / "submission.csv"
    assert main(["submit", str(toxic_run), "--out", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == ("id", *TOXIC_LABELS)
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
    toxic_run: Path, tmp_path: Path, capsys
) -> None:
    assert main(["submit", str(toxic_run), "--out", str(tmp_path / "toxic.tsv")]) == 1
    assert "would hold one label a document" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_comments_are_judged_by_areas_and_cells(toxic_run: Path) -> None:
    folder = RunFolder(toxic_run)
    means = judge_run(folder, load_data(folder.data()), 6, {})["test"].means["all"]
    assert means["roc_auc"] > 0.95
    assert means["roc_auc:toxic"] > 0.95
    # Nobody is threatened in these comments: there is no area to measure.
    assert np.isnan(means["roc_auc:threat"])
    assert means["cell_accuracy"] > 0.9


def test_a_corpus_whose_labels_are_all_known_has_nothing_to_submit(
    comments: Path, toxic_run: Path, tmp_path: Path
) -> None:
    config = (toxic_run / "config.toml").read_text()
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.csv").write_bytes((comments / "data" / "train.csv").read_bytes())
    (tmp_path / "config.toml").write_text(config.replace(str(comments / "data"), str(data)))
    with pytest.raises(ConfigError, match=r"made of its test\.csv"):
        write_submission(tmp_path, tmp_path / "out.csv")

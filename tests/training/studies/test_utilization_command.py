"""`python -m training utilization` on a run and on a bundle, and its tables."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace

import numpy as np
import pytest

from tests.support.attention_layers import two_layers
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.tables import unpadded
from training.__main__ import main
from training.studies.utilization import (
    PAPER,
    load_figures,
    neighbours,
    pairs,
    save_figures,
    table_2,
    write_tables,
)


def test_both_query_rows_of_every_layer_and_head_are_kept(measured, finished_run):
    for query in ("cls", "mean"):
        (figures,) = load_figures(measured, query)
        assert figures.name == "tiny"
        assert (figures.query, figures.n_documents) == (query, 12)
        assert figures.head_entropy.shape == (4, 4)
        assert figures.about["split"] == "dev"
        assert figures.about["command"].startswith("python -m training utilization")
        assert str(finished_run.parent) not in figures.about["command"]
        # Titles of six word pieces, of which three are the topic's, and two special tokens.
        assert figures.uniform_entropy == pytest.approx(math.log(8))


def test_the_table_stands_beside_the_papers(measured):
    page = (measured / "table-mean.md").read_text("utf-8")
    assert "the mean over the query rows of all word pieces" in page
    assert "| paper: FLAT | 4.7 / 1.3 |" in unpadded(page)
    assert "| tiny | " in unpadded(page)


def test_the_papers_figures_average_to_those_of_its_discussion():
    means = {name: [round(float(np.mean(row)), 2) for row in rows] for name, rows in PAPER.items()}
    assert means["FLAT"] == [3.05, 1.82]
    assert means["LAST-SIX"] == [3.74, 2.27]
    assert {len(row) for rows in PAPER.values() for row in rows} == {12}


def test_a_bundle_is_measured_with_at_most_some_documents(tmp_path, workshop):
    bundle, out = tmp_path / "bundle", tmp_path / "out"
    write_tiny_bundle(bundle)
    arguments = ["--data", str(workshop / "corpus"), "--query", "cls", "--documents", "5"]
    assert main(["utilization", str(bundle), *arguments, "--out", str(out)]) == 0
    (figures,) = load_figures(out)
    assert (figures.query, figures.n_documents, figures.n_layers) == ("cls", 5, 6)


def test_the_encoder_is_measured_as_it_was_before_training(tmp_path, finished_run):
    arguments = [
        "utilization",
        str(finished_run),
        "--query",
        "cls",
        "--before",
        "--documents",
        "3",
    ]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    before, after = load_figures(tmp_path)
    assert (before.name, after.name) == ("before-encoder", "tiny")
    assert before.about["plan"] == "none: before training"
    assert before.n_documents == after.n_documents == 3
    assert not np.allclose(before.angular, after.angular, atol=1e-4)


def test_two_models_of_one_name_are_refused(tmp_path, finished_run, capsys):
    shutil.copytree(finished_run, tmp_path / "copy")
    folders = [str(finished_run), str(tmp_path / "copy")]
    assert main(["utilization", *folders, "--query", "cls", "--out", str(tmp_path / "out")]) == 1
    assert "both called" in capsys.readouterr().err


def test_tables_are_made_from_the_files_alone(tmp_path):
    figures = replace(two_layers(), about={"split": "dev", "command": "made by hand"})
    save_figures(figures, tmp_path)
    save_figures(replace(figures, name="another"), tmp_path)
    pages = write_tables(tmp_path, ["cls", "mean"])
    assert list(pages) == ["cls"]
    assert pages["cls"] == (tmp_path / "table-cls.md").read_text("utf-8")
    assert "- `made by hand`" in pages["cls"]


def test_averages_over_layers():
    matrix = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 3.0], [6.0, 4.0, 0.0]])
    assert neighbours(matrix) == pytest.approx((1 + 3 + 2 + 4) / 4)
    assert pairs(matrix) == pytest.approx(21 / 6)
    assert math.isnan(neighbours(np.zeros((1, 1))))
    row = table_2([two_layers()]).splitlines()[2].split(" | ")
    assert len(row) == 14 and not row[3].strip()

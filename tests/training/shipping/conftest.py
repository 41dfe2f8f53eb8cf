"""Runs and the bundles made of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.support.files.report_words import REPORTS_TREE, report
from tests.support.models.network_workshop import network_config
from tests.support.models.tiny_bundle import tiny_label_space
from tests.support.models.workshop import make_workshop, write_encoder
from training.__main__ import main
from training.config import load_config
from training.fitting.train import train
from training.judging.recorded import note_command
from training.shipping.package import package_bundle

COMMAND = "python -m training train mine/run.toml"


REPORTS_CONFIG = """
name = "reports"
preset = "small"
[data]
format = "cmc2007"
path = "reports"
vocabulary = "tree.tsv"
labels = "coded"
fold = "all"
[model]
encoder = "encoder"
plan = "flat"
frozen = "words"
label_attention = "label_wise"
[reading]
mode = "first"
max_length_tokens = 48
[optim]
epochs = 0
min_steps = 60
batch_size = 8
encoder_lr = 5e-3
head_lr = 3e-2
"""


@pytest.fixture(scope="module")
def reports_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reports")
    (folder / "reports").mkdir()
    (folder / "reports" / "reports.xml").write_text(
        f"<docs>{''.join(map(report, range(60)))}</docs>", "utf-8"
    )
    (folder / "tree.tsv").write_text(REPORTS_TREE, "utf-8")
    write_encoder(folder / "encoder")
    config = folder / "run.toml"
    config.write_text(REPORTS_CONFIG, "utf-8")
    linear, trained, out = folder / "linear", folder / "run", folder / "models" / "reports"
    assert (
        main(["baseline", "linear", "--config", str(config), "--names", "--out", str(linear)]) == 0
    )
    assert main(["train", str(config), "--out", str(trained)]) == 0
    shared = ["--shared", str(folder / "models" / "shared")]
    packaged = ["bundle", str(trained), "--linear", str(linear), "--name", "reports", *shared]
    assert main([*packaged, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def student_run(workshop: Path) -> Path:
    path = workshop / "student.toml"
    path.write_text(network_config(workshop).to_toml(), encoding="utf-8")
    assert main(["train", str(path), "--out", str(workshop / "student")]) == 0
    return workshop / "student"


@pytest.fixture(scope="module")
def student_bundle(workshop: Path, student_run: Path) -> Path:
    out = workshop / "bundle"
    assert main(["bundle", str(student_run), "--out", str(out), "--name", "student"]) == 0
    return out


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """A trained run and the bundle made of it."""
    folder = make_workshop(tmp_path_factory.mktemp("workshop"))
    run = train(load_config(folder / "run.toml"), folder / "run")
    note_command(run, COMMAND)
    return run, package_bundle(run, folder / "bundle", name="tiny")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """A table of the vocabulary's concepts, in a column of its own."""
    space = tiny_label_space()
    ids = [i for i, ok in zip(space.concept_ids, space.assignable, strict=True) if ok]
    path = tmp_path / "mail.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "about"])
        rows.writerows([f"the fish quota {n}", ids[n % 3]] for n in range(30))
    return path

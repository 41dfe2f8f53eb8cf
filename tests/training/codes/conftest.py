"""Invented reports, the names of their codes, and linear suggesters of two folds."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.__main__ import main as core
from tests.support.files.report_words import REPORTS_TREE, report
from tests.support.models.workshop import write_encoder
from training.__main__ import main

N_REPORTS = 60
CONFIG = """
name = "reports"
[data]
format = "cmc2007"
path = "reports"
vocabulary = "tree.tsv"
labels = "coded"
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, single_thread: None) -> Path:
    """A folder with reports, and a bundle of each of two folds of them."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "reports").mkdir()
    # A name that is no code of its report, now and then.
    said = ["noise, tax" if number % 5 == 0 else "noise" for number in range(N_REPORTS)]
    written = "".join(report(n).replace("noise", words) for n, words in enumerate(said))
    (folder / "reports" / "reports.xml").write_text(f"<docs>{written}</docs>", "utf-8")
    (folder / "tree.tsv").write_text(REPORTS_TREE, "utf-8")
    (folder / "run.toml").write_text(CONFIG, "utf-8")
    for number in (1, 2):
        words = ["--config", str(folder / "run.toml"), "--names"]
        out = folder / f"linear-{number}"
        assert main(["baseline", "linear", *words, "--fold", f"{number}/2", "--out", str(out)]) == 0
        assert main(["bundle", str(out), "--out", str(folder / f"fold-{number}")]) == 0
    return folder


@pytest.fixture
def home(tmp_path: Path, reports: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which the tree of the reports' codes is imported."""
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / "home"))
    assert core(["vocabulary", str(reports / "tree.tsv"), "--id", "icd9cm", "--import"]) == 0
    return tmp_path / "home"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoder")
    write_encoder(folder)
    return folder

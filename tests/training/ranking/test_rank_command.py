"""A ranker from runs to a bundle, and to the twin that has learned from everything."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.model.bundle.bundle import rewrite_checksums
from core.model.bundle.manifest import MANIFEST, read_manifest, write_json
from core.suggest.opening import load_suggester
from core.suggest.ranking.suggester import RankedSuggester
from training.__main__ import main

N_TRAIN, N_DEV, N_TEST = 40, 12, 12


def test_the_bundle_has_a_ranker(workshop: Path) -> None:
    suggester = load_suggester(workshop / "bundle")
    assert isinstance(suggester, RankedSuggester)
    assert suggester.features.indexed.assigned.shape[0] == N_TRAIN
    found = suggester.suggest(Document.from_text("x", "regulation on the fish quota bay", ""))
    assert found.suggestions[0].probability > 0.3


def test_the_refitted_bundle_knows_all_documents_and_ranks_like_its_twin(workshop: Path) -> None:
    twin, refitted = (load_suggester(workshop / name) for name in ("bundle", "refitted"))
    assert isinstance(twin, RankedSuggester)
    assert isinstance(refitted, RankedSuggester)
    assert refitted.features.indexed.assigned.shape[0] == N_TRAIN + N_DEV + N_TEST
    for has_text in (True, False):
        first, second = (one.ranker.scorer(has_text=has_text) for one in (twin, refitted))
        assert first.platt == second.platt
        np.testing.assert_array_equal(first.logistic.weights, second.logistic.weights)
        np.testing.assert_array_equal(first.trees.value, second.trees.value)
    manifests = [read_manifest(workshop / name) for name in ("bundle", "refitted")]
    assert manifests[0]["join"] == manifests[1]["join"]
    assert manifests[0]["reading"] == manifests[1]["reading"]
    assert manifests[0]["reading"]["max_windows"] == 2


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_refitted_bundle_is_not_judged_by_what_it_has_seen(
    workshop: Path, split: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--data", str(workshop / "corpus"), "--split", split]
    assert main(["evaluate", str(workshop / "refitted"), *words]) == 1
    assert "has learned from" in capsys.readouterr().err


def test_a_twin_with_other_suggesters_is_refused(
    workshop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(workshop / "whole"), "--twin", str(workshop / "bundle")]
    assert main(["bundle", *words, "--out", str(tmp_path / "alone")]) == 1
    assert "other suggesters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["whole", "--twin", "bundle"], "--windows are those of the twin"),
        (["linear"], "linear is a linear suggester, without windows"),
        (["run"], "a linear suggester has to read the rest"),
    ],
)
def test_windows_that_would_not_be_read_are_refused(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(workshop)
    assert main(["bundle", *words, "--windows", "2", "--out", str(tmp_path / "made")]) == 1
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


def test_a_twin_that_reads_otherwise_is_refused(
    workshop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(workshop / "bundle", twin)
    manifest = read_manifest(twin)
    reading = manifest["reading"] | {"overlap_tokens": 0}
    write_json(twin / MANIFEST, {**manifest, "reading": reading})
    rewrite_checksums(twin)
    words = [str(workshop / "whole"), "--linear", str(workshop / "linear-whole")]
    assert main(["bundle", *words, "--twin", str(twin), "--out", str(tmp_path / "made")]) == 1
    assert "is no twin: it reads documents otherwise" in capsys.readouterr().err


def test_an_origin_without_a_date_is_refused(
    workshop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", "ranker", str(workshop / "bundle"), "--origin", "elsewhere"]) == 1
    assert "write a date and a bundle" in capsys.readouterr().err


def test_a_bundle_is_ranked_by_dev_alone_where_no_earlier_one_is_named(
    workshop: Path, tmp_path: Path
) -> None:
    runs = [str(workshop / "run"), "--linear", str(workshop / "linear")]
    alone = tmp_path / "alone"
    assert main(["bundle", *runs, "--out", str(alone)]) == 0
    assert main(["fit", "ranker", str(alone), "--data", str(workshop / "corpus")]) == 0
    assert isinstance(load_suggester(alone), RankedSuggester)

"""A network from its run to the served bundle, through the commands that a person types."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import ConfigError
from core.model.bundle.cards import read_card
from core.suggest.opening import load_suggester
from core.suggest.windows import JoinRule
from tests.support.models.network_workshop import network_config
from training.__main__ import main
from training.config import DataConfig
from training.fitting.run import Run, load_trained
from training.judging.scores import Scores
from training.studies.utilization import load_subject

pytestmark = pytest.mark.usefixtures("single_thread")


def test_the_bundle_suggests_what_the_network_learned(
    student_run: Path, student_bundle: Path
) -> None:
    predictor = load_suggester(student_bundle)
    fish = Document.from_text("x", "regulation on the fish quota bay", "fish quota bay " * 5)
    tax = Document.from_text("x", "regulation on the tax loan bank", "tax loan bank " * 5)
    of_fish, of_tax = (predictor.suggest(one, limit=2).suggestions for one in (fish, tax))
    assert {s.concept_id for s in of_fish}.isdisjoint(s.concept_id for s in of_tax)
    assert of_fish[0].probability > 0.3
    evidence = predictor.explain(fish).evidence([of_fish[0].concept_id])
    words = {passage.text for one in evidence.values() for passage in one.passages}
    assert any(word in " ".join(words) for word in ("fish", "quota", "bay"))


def test_the_bundle_ranks_as_the_run_did(
    student_run: Path, student_bundle: Path, workshop: Path
) -> None:
    scores = Scores.load(student_run / "scores_test.npz")
    predictor = load_suggester(student_bundle)
    documents = Run(network_config(workshop), student_run).corpus.test
    served = [one.assigned for one in predictor.probabilities_of(d.document for d in documents)]
    best = np.argsort(-np.stack(served), axis=1)[:, :2]
    before = np.argsort(-scores.assigned.astype(float), axis=1)[:, :2]
    assert (np.sort(best) == np.sort(before)).mean() > 0.9


def test_the_manifest_and_the_card_say_what_it_is(student_bundle: Path) -> None:
    manifest = json.loads((student_bundle / "bundle.json").read_text())
    assert manifest["training"]["network"] == "lstm_reg"
    assert "teacher" not in manifest["training"]
    assert manifest["licence"]["encoder"] == "none: its weights began at random"
    card = read_card(student_bundle)
    assert card.encoder.startswith("LSTM_reg, a network over ")
    assert card.n_layers == 1 and card.hidden_size == 32
    assert card.size_bytes < 200_000


def test_layers_of_a_network_are_not_looked_into(student_run: Path, student_bundle: Path) -> None:
    for folder in (student_run, student_bundle):
        with pytest.raises(ConfigError, match=r"small network \(lstm_reg\)"):
            load_subject(folder, DataConfig(format=""), "dev")


def test_a_loaded_network_gives_the_scores_that_were_kept(
    student_run: Path, workshop: Path
) -> None:
    again = Run(network_config(workshop), student_run)
    model = load_trained(again)
    found = again.scores(model, again.corpus.dev, JoinRule())
    np.testing.assert_array_equal(
        found.assigned, Scores.load(student_run / "scores_dev.npz").assigned
    )


def test_windows_of_what_reads_none_are_refused(
    student_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(student_run), "--windows", "2", "--out", str(tmp_path / "made")]
    assert main(["bundle", *words]) == 1
    assert "reads no windows of a text" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()

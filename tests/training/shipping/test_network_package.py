"""A network from its run to the served bundle, through the commands that a person types."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import ConfigError
from core.model.bundles import read_card
from core.suggest.predictor import Predictor
from core.suggest.scoring import JoinRule
from tests.support.models.network_workshop import network_config
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import DataConfig
from training.fitting.run import Run, load_trained
from training.judging.scores import Scores
from training.studies.subjects import load_subject

pytestmark = pytest.mark.usefixtures("single_thread")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workshop(tmp_path_factory.mktemp("workshop"))


@pytest.fixture(scope="module")
def run(workshop: Path) -> Path:
    path = workshop / "student.toml"
    path.write_text(network_config(workshop).to_toml(), encoding="utf-8")
    assert main(["train", str(path), "--out", str(workshop / "student")]) == 0
    return workshop / "student"


@pytest.fixture(scope="module")
def bundle(workshop: Path, run: Path) -> Path:
    out = workshop / "bundle"
    assert main(["bundle", str(run), "--out", str(out), "--name", "student"]) == 0
    return out


def test_the_bundle_suggests_what_the_network_learned(run: Path, bundle: Path) -> None:
    predictor = Predictor.load(bundle)
    fish = Document.from_text("x", "regulation on the fish quota bay", "fish quota bay " * 5)
    tax = Document.from_text("x", "regulation on the tax loan bank", "tax loan bank " * 5)
    of_fish, of_tax = (predictor.suggest(one, limit=2).suggestions for one in (fish, tax))
    assert {s.concept_id for s in of_fish}.isdisjoint(s.concept_id for s in of_tax)
    assert of_fish[0].probability > 0.3
    evidence = predictor.explain(fish).evidence([of_fish[0].concept_id])
    words = {passage.text for one in evidence.values() for passage in one.passages}
    assert any(word in " ".join(words) for word in ("fish", "quota", "bay"))


def test_the_bundle_ranks_as_the_run_did(run: Path, bundle: Path, workshop: Path) -> None:
    scores = Scores.load(run / "scores_test.npz")
    predictor = Predictor.load(bundle)
    documents = Run(network_config(workshop), run).corpus.test
    served = [one.assigned for one in predictor.probabilities_of(d.document for d in documents)]
    best = np.argsort(-np.stack(served), axis=1)[:, :2]
    before = np.argsort(-scores.assigned.astype(float), axis=1)[:, :2]
    assert (np.sort(best) == np.sort(before)).mean() > 0.9


def test_the_manifest_and_the_card_say_what_it_is(bundle: Path) -> None:
    manifest = json.loads((bundle / "bundle.json").read_text())
    assert manifest["training"]["network"] == "lstm_reg"
    assert "teacher" not in manifest["training"]
    assert manifest["licence"]["encoder"] == "none: its weights began at random"
    card = read_card(bundle)
    assert card.encoder.startswith("LSTM_reg, a network over ")
    assert card.n_layers == 1 and card.hidden_size == 32
    assert card.size_bytes < 200_000


def test_a_bundle_of_a_network_is_judged_like_its_run(run: Path, bundle: Path, capsys) -> None:
    data = ["--data", str(run.parent / "corpus")]
    assert main(["evaluate", str(run), "--split", "test"]) == 0
    assert main(["evaluate", str(bundle), "--split", "test", *data]) == 0
    assert "ndcg@5" in capsys.readouterr().out.lower()


def test_layers_of_a_network_are_not_looked_into(run: Path, bundle: Path) -> None:
    for folder in (run, bundle):
        with pytest.raises(ConfigError, match=r"small network \(lstm_reg\)"):
            load_subject(folder, DataConfig(format=""), "dev")


def test_a_loaded_network_gives_the_scores_that_were_kept(run: Path, workshop: Path) -> None:
    again = Run(network_config(workshop), run)
    model = load_trained(again)
    found = again.scores(model, again.corpus.dev, JoinRule())
    np.testing.assert_array_equal(found.assigned, Scores.load(run / "scores_dev.npz").assigned)

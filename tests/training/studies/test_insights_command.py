"""`python -m training insights` on a tiny bundle."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.insights.confusion import RELATIONS
from core.insights.report import load_insights
from core.model.bundle.bundle import load_bundle
from core.suggest.calibration import Platt
from core.suggest.guided import GuidedSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from tests.support.places import TINY_SKOS
from training.__main__ import main
from training.corpora.corpus import LabelledDocument, evenly
from training.corpora.readers import read_corpus
from training.judging.scoring import bundle_scores
from training.studies.insights import scores_both_ways

pytestmark = pytest.mark.usefixtures("single_thread")


def documents(corpus: Path) -> list[LabelledDocument]:
    return list(read_corpus("acts_jsonl", corpus).dev)


def test_the_command_writes_figures_and_no_text_beside_a_bundle(tiny_bundle, corpus, capsys):
    before = load_bundle(tiny_bundle).sha256
    places = ["--data", str(corpus), "--vocabulary", str(TINY_SKOS)]
    assert main(["insights", str(tiny_bundle), *places, "--split", "test", "--documents", "5"]) == 0
    path = tiny_bundle / "insights" / "insights-test.json"
    assert capsys.readouterr().out.strip() == str(path)
    found = load_insights(path)
    assert found.facts["n_documents"] == 5
    assert (found.facts["n_of_split"], found.facts["n_training_documents"]) == (12, 40)
    assert found.facts["hash"] == before[:16]
    assert [curve.name for curve in found.curves] == ["assigned", "uncalibrated", "branch"]
    assert found.confusion is not None
    assert set(found.confusion.counts) == set(RELATIONS)
    assert sum(found.confusion.counts.values()) == sum(row.n_gold for row in found.frequency)
    written = path.read_text()
    assert "regulation" not in written
    assert str(corpus.parent) not in written  # the command names no folder of this machine
    assert "training insights …/bundle --data …/corpus" in found.facts["command"]
    assert load_bundle(tiny_bundle).sha256 == before


def scaled(suggester, kind, **scalings):
    """A copy in which the calibration of one part is another."""

    def change(part):
        changed = copy(part)
        if isinstance(part, kind):
            changed.calibration = replace(part.calibration, **scalings)
        return changed

    return suggester.changed(change)


def test_scores_come_with_and_without_calibration(tiny_bundle, corpus):
    loaded, dev = load_suggester(tiny_bundle), documents(corpus)
    plain = scaled(loaded, LinearSuggester, assigned=Platt(), assigned_text=Platt())
    predictor = scaled(loaded, GuidedSuggester, assigned=Platt(0.5, -1.0))
    scores, uncalibrated = scores_both_ways(predictor, dev)
    assert scores.document_ids == tuple(row.document_id for row in dev)
    # Batches of other sizes are other sums: the last digit of a float differs on some processors.
    np.testing.assert_allclose(scores.assigned, bundle_scores(predictor, dev).assigned, rtol=1e-5)
    np.testing.assert_allclose(uncalibrated, bundle_scores(plain, dev).assigned, rtol=1e-5)
    assert not np.allclose(scores.assigned, uncalibrated, rtol=1e-2)


def test_a_folder_without_a_bundle_is_a_sentence(tmp_path, capsys):
    assert main(["insights", str(tmp_path)]) == 1
    assert "no model bundle in" in capsys.readouterr().err


def test_some_documents_are_spread_over_all(corpus):
    dev = documents(corpus)
    assert evenly(dev, 3) == [dev[0], dev[6], dev[11]]
    assert evenly(dev, 0) == dev

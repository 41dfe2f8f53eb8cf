"""Default weights for vocabularies without a model, fitted and judged on a small corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.suggest.cold_start import suggester
from core.suggest.ranking.features import COLD_START_FEATURES as FEATURES
from core.suggest.ranking.ranker import Ranker
from tests.support.tables import unpadded
from training.judging.folders import JudgedData
from training.ranking.cold_start import FEWEST_WORDS, ColdStarts, passages
from training.studies.cold_start_study import (
    TEXTS,
    TITLES,
    CurvePoint,
    curve,
    record_expected,
    study_page,
)


def test_a_passage_has_the_title_and_some_of_the_text(data: JudgedData) -> None:
    whole = data.corpus.train
    found = passages(whole)
    for row, cut in zip(whole, found, strict=True):
        assert cut.document.text in " ".join(row.document.text.split())
        assert len(cut.document.text.split()) >= FEWEST_WORDS
        assert (cut.document.title, cut.assigned) == (row.document.title, row.assigned)
    assert len({len(cut.document.text) for cut in found}) > 10


def test_candidates_are_those_of_what_was_decided_before(data: JudgedData) -> None:
    starts = ColdStarts.drawn(data.label_space, data.corpus.train)
    nothing, all_of_it = starts.of([]), starts.of(starts.decided)
    assert (nothing.n_documents, all_of_it.n_documents) == (0, 60)
    documents = [row.title_alone() for row in data.corpus.dev]
    before, after = starts.examples(documents, nothing), starts.examples(documents, all_of_it)
    assert before.is_assigned.sum() < after.is_assigned.sum() == len(documents)
    assert after.n_assigned.tolist() == [1] * len(documents)


def test_the_weights_rank_what_was_decided_first(data: JudgedData, ranker: Ranker) -> None:
    assert ranker.features == FEATURES
    points = list(curve(data, "test", ranker, say=lambda line: None))
    last = {point.documents: point for point in points if point.n_decided == 60}
    assert {name: point.ndcg for name, point in last.items()} == {TITLES: 100, TEXTS: 100}
    first = next(point for point in points if point.n_decided == 0)
    assert first.ndcg < 100
    assert last[TITLES].n_judged == 6


def test_signs_for_a_concept_never_speak_against_it_in_texts(ranker: Ranker) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(50, len(FEATURES))).astype(np.float32)
    more = rows.copy()
    more[:, FEATURES.index("votes")] += 3
    assert (ranker.text.trees(more) >= ranker.text.trees(rows) - 1e-6).all()


def test_the_page_and_what_the_program_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [
        CurvePoint(name, n_decided, 7, ndcg, ndcg / 20, 0.1)
        for name in (TITLES, TEXTS)
        for n_decided, ndcg in ((0, 40.0), (1_000, 70.0))
    ]
    page = study_page(points, command="the command", split="dev")
    assert "| | 0 | 1,000 |" in unpadded(page)
    assert "| nDCG@5 | 40.0 | 70.0 |" in unpadded(page)
    assert "    the command" in page
    monkeypatch.setattr("training.studies.cold_start_study.EXPECTED", tmp_path / "expected.json")
    monkeypatch.setattr(suggester, "EXPECTED", tmp_path / "expected.json")
    record_expected(points)
    assert suggester.expected() == [(0, (2.0, 2.0)), (1_000, (3.5, 3.5))]
    (tmp_path / "expected.json").write_text("[[1]]", "utf-8")
    assert suggester.expected() == []

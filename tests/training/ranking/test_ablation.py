"""What the parts of a ranker are worth: arms that do without one, on the same candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.suggest.opening import load_suggester
from core.suggest.ranking.features import FEATURES, KINDS, Candidates
from core.suggest.ranking.suggester import RankedSuggester
from training.__main__ import main
from training.config import DataConfig
from training.judging.rows import ResultRow
from training.ranking.ablation import (
    ARMS,
    MEAN,
    READINGS,
    Ablation,
    ReadCandidates,
    first_words,
    fitted,
    found_candidates,
    last_words,
    masked,
    ranked_scores,
    without_annexes,
    without_recitals,
)

ACT = """Having regard to the Treaty,
(1) The Annex to Regulation 7 should be amended.
HAS ADOPTED THIS REGULATION:
Article 1. Annex I is replaced.
ANNEX
Herring, 300 tonnes"""


def test_each_part_has_an_arm(ablation_rows: dict[str, ResultRow]) -> None:
    assert set(ablation_rows) == {*ARMS, *READINGS, MEAN}
    assert {row.facts["arm"] for row in ablation_rows.values()} == set(ablation_rows)
    assert len({row.documents for row in ablation_rows.values()}) == 1
    assert {arm.without for arm in ARMS.values()} - {""} == set(KINDS) - {"suggesters"}


def test_the_whole_ranks_as_the_bundle_does(workshop: Path) -> None:
    suggester = load_suggester(workshop / "bundle")
    assert isinstance(suggester, RankedSuggester)
    data = DataConfig(path=str(workshop / "corpus"))
    origins = {"2014": workshop / "bundle"}
    ablation = Ablation.of(workshop / "bundle", origins, data, split="test", say=lambda _: None)
    ranker = fitted(ARMS["ranked"], ablation.examples)
    documents = ablation.source.data.corpus.test
    read = [suggester.read(row.document) for row in documents]
    served = suggester.score(read)
    found = found_candidates(suggester.mean, suggester.features, documents)
    for scores, some in zip(served, found, strict=True):
        assigned = scores.assigned[suggester.assigned_columns]
        platt = suggester.ranker.scorer(has_text=some.has_text).platt
        ranked = platt(ranked_scores(some, ranker))[some.candidates.positions]
        np.testing.assert_allclose(ranked, assigned[some.candidates.positions], atol=1e-5)


def test_what_is_no_candidate_comes_behind_in_the_order_of_the_mean(workshop: Path) -> None:
    suggester = load_suggester(workshop / "bundle")
    assert isinstance(suggester, RankedSuggester)
    rows = np.zeros((1, len(FEATURES)), dtype=np.float32)
    mean = np.array([0.9, 0.1, 0.5], dtype=np.float32)
    found = ReadCandidates(Candidates(np.array([1]), rows), mean, has_text=False)
    assert np.argsort(-ranked_scores(found, suggester.ranker)).tolist() == [1, 0, 2]


def test_a_part_of_the_text_leaves_titles_as_they_are(ablation_rows: dict[str, ResultRow]) -> None:
    titles = {name: ablation_rows[name].mean("ndcg@5", "titles") for name in ("ranked", *READINGS)}
    assert len(set(titles.values())) == 1


def test_a_kind_of_features_says_nothing() -> None:
    rows = np.ones((2, len(FEATURES)), dtype=np.float32)
    left = masked(rows, "branch")
    silent = {FEATURES[n] for n in np.flatnonzero(left[0] == 0)}
    assert silent == {"branch", "broader"}
    assert rows.all()  # what was given stays as it is


def test_parts_of_a_text() -> None:
    assert first_words(3)(ACT) == "Having regard to"
    assert last_words(2)(ACT) == "300 tonnes"
    assert without_recitals(ACT).startswith("HAS ADOPTED THIS REGULATION:\nArticle 1")
    assert without_annexes(ACT).endswith("Annex I is replaced.\n")
    assert without_recitals("No formula") == without_annexes("No formula") == "No formula"


def test_a_bundle_is_not_judged_by_what_it_has_learned_from(
    workshop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(workshop / "refitted"), "--data", str(workshop / "corpus")]
    assert main(["ablate", *words]) == 1
    assert "has learned from" in capsys.readouterr().err

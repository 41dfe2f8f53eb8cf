"""What a candidate is: who makes it one, and by which numbers it is described."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp

from core.paths import PROJECT_ROOT
from core.suggest.branches import LabelScores
from core.suggest.ranking.candidates import CandidateGenerator, Source, Suggested
from core.suggest.ranking.decided import LearnedDocument, LearnedDocuments, SimilarRows, SparseRow
from core.suggest.ranking.features import (
    COLD_START_FEATURES,
    CORRECTION_FEATURES,
    RANKER_FEATURES,
    TABLE,
)
from core.suggest.ranking.indexed import IndexedDocuments, LabelCounts
from core.suggest.ranking.label_matcher import LabelMatch, LabelMatches
from core.suggest.ranking.ranker import Ranker
from tests.support.labelled import tiny_label_space

SPACE = tiny_label_space()
GENERATOR = CandidateGenerator(SPACE)
N = len(GENERATOR)
N_TERMS = 8


def positions(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def of_labels() -> Source:
    """Return the first concept in the title, and it and the second in a text of nine words."""
    title = LabelMatches({0: LabelMatch(2, 1, True, 2, 1)}, 4)
    text = LabelMatches({0: LabelMatch(3, 2, False, 3, 3), 1: LabelMatch(0, 1, True, 1, 0)}, 9)
    return GENERATOR.of_labels(title, text)


def of_suggesters() -> Source:
    assigned = np.linspace(0.1, 0.9, len(SPACE), dtype=np.float32)
    scores = LabelScores(assigned.copy(), assigned, np.zeros(len(SPACE), np.int8))
    return GENERATOR.of_suggesters([scores, scores], scores)


def of_indexed() -> Source:
    zeros = np.zeros(N, np.float32)
    counts = LabelCounts(2, 2, zeros, zeros, zeros, zeros)
    assigned = sp.csr_matrix(np.eye(2, N, dtype=np.float32))
    vectors = sp.csr_matrix(np.eye(2, N_TERMS, dtype=np.float32))
    indexed = IndexedDocuments(assigned, vectors, np.array([True, False]), counts)
    similar = SimilarRows(positions(0, 1), np.array([0.6, 0.2], np.float32))
    scores = LabelScores(np.zeros(len(SPACE)), np.full(len(SPACE), 0.5), np.zeros(len(SPACE)))
    return GENERATOR.of_indexed(indexed, similar, scores)


def finished(number: int, assigned: int, rejected: int) -> LearnedDocument:
    terms = SparseRow(positions(number % N_TERMS), np.ones(1, np.float32))
    suggested = SparseRow(positions(assigned), np.array([0.25], np.float32))
    rows = positions(assigned), positions(rejected)
    return LearnedDocument(f"d{number}", 0, *rows, {}, terms, suggested)


def of_finished(n_documents: int = 2) -> tuple[Source, Source]:
    """Return finished documents, the first with the first concept, all others with the second; and a
    model that suggests the third.
    """
    known = LearnedDocuments(N, N_TERMS)
    known.add(finished(n, min(n, 1), 2) for n in range(n_documents))
    experience = known.experience()
    similar = SimilarRows(positions(0, 1), np.array([0.6, 0.2], np.float32))
    suggested = Suggested(positions(2, 0), np.array([0.7, 0.2], np.float32))
    return (
        GENERATOR.of_finished(experience, similar),
        GENERATOR.of_model(suggested, experience, similar),
    )


# ---------------------------------------------------------------------- the table


def test_each_feature_of_the_table_is_in_a_set_and_has_a_sentence() -> None:
    names = [feature.name for feature in TABLE]
    assert len(set(names)) == len(names)
    assert set(names) == {*RANKER_FEATURES, *CORRECTION_FEATURES}
    assert CORRECTION_FEATURES[: len(COLD_START_FEATURES)] == COLD_START_FEATURES
    assert all(feature.meaning.endswith(".") for feature in TABLE)
    assert len({feature.meaning for feature in TABLE}) == len(TABLE)


def test_sources_know_what_the_table_says_that_they_know() -> None:
    by_source = {
        "text": {*of_labels().columns},
        "suggesters": {*of_suggesters().columns},
        "documents": {*of_indexed().columns, *of_finished()[0].columns},
        "model": {*of_finished()[1].columns},
    }
    known = {name: {row.name for row in TABLE if row.source == name} for name in by_source}
    assert known == by_source
    of_tree = tuple(row.name for row in TABLE if row.source == "tree")
    assert GENERATOR(of_tree, of_labels()).rows.shape == (2, len(of_tree))


@pytest.mark.parametrize("folder", ["models/eurovoc", "cold_start", "correction"])
def test_weights_that_ship_are_of_one_of_the_sets(folder: str) -> None:
    path = PROJECT_ROOT / "assets" / folder  # those of the correction have an earlier name
    ranker = Ranker.load(path, RANKER_FEATURES, COLD_START_FEATURES, CORRECTION_FEATURES)
    assert ranker.features in (RANKER_FEATURES, COLD_START_FEATURES, CORRECTION_FEATURES)


# ---------------------------------------------------------------------- who makes candidates


def test_a_candidate_is_whatever_any_source_chooses() -> None:
    candidates = GENERATOR(("standing", "words"), of_labels(), Source({2}, {}))
    assert candidates.positions.tolist() == [0, 1, 2]
    assert candidates.column("standing").tolist() == [3, 2, 0]


def test_places_of_labels_are_counted() -> None:
    columns = of_labels().columns
    title = [float(columns[f"title_{name}"][0]) for name in ("count", "alone", "words")]
    assert title == [2, 1, 1]
    assert columns["title_preferred"].tolist()[:2] == [1, 0]
    assert columns["text_first"][0] == pytest.approx(math.log(4))
    assert columns["text_first_share"][:3].tolist() == pytest.approx([3 / 9, 0, 1.5])
    assert columns["text_density"][0] == pytest.approx(1000 * 3 / 9)
    assert columns["length"][0] == pytest.approx(math.log(14))


def test_indexed_documents_vote_by_how_similar_they_are() -> None:
    source = of_indexed()
    assert source.columns["votes"][:3].tolist() == pytest.approx([0.75, 0.25, 0])
    assert source.columns["nearest"][:3].tolist() == pytest.approx([0.6, 0.2, 0])
    assert sorted(source.chosen) == [0, 1]


def test_of_few_finished_documents_a_concept_needs_more_alike_ones() -> None:
    source, _ = of_finished()
    # The others reject the third one; the nearest quarter is the first document alone.
    assert source.columns["votes"][:3].tolist() == pytest.approx([0.75, 0.25, -1])
    assert source.columns["votes_of_nearest"][:3].tolist() == pytest.approx([1, 0, -1])
    assert sorted(source.chosen) == [0], "0.2 is less than 0.4 · (1 - 2 / 10)"
    assert {0, 1} <= {*of_finished(12)[0].chosen}


def test_what_a_model_suggests_is_a_candidate_with_its_rank() -> None:
    _, source = of_finished()
    assert list(source.chosen) == [2, 0]
    assert source.columns["model"][[2, 0]].tolist() == pytest.approx(
        [math.log(0.7 / 0.3), math.log(0.25)], rel=1e-5
    )
    assert source.columns["model_rank"][[2, 0, 1]].tolist() == pytest.approx(
        [0, math.log(2), math.log(301)]
    )
    surplus = (0.6 * 0.75) / 0.8  # the first document has it, where 0.25 was expected
    assert source.columns["surplus_of_similar"][0] == pytest.approx(surplus)

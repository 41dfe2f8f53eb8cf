"""A bundle with a ranker, as it is served."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import rewrite_checksums
from core.suggest.ensemble import MeanEnsemble
from core.suggest.evidence.spans import DocumentWords
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from core.suggest.ranking.features import KINDS, NOTICED, RANKER_FEATURES, kinds_of_features
from core.suggest.ranking.ranker import Ranker
from core.suggest.ranking.suggester import RankedSuggester
from tests.support.models.tiny_ranker import tiny_ranker, write_ranked_bundle

DOCUMENTS = [
    Document.from_text("1", "Spades and the fish quota", ""),
    Document.from_text("2", "Fishing", "The quota of the bay, and a garden shovel. " * 5),
    Document.from_text("3", "", "A meal of honey"),
]


def row_of(suggester: RankedSuggester, document: Document, concept_id: str) -> dict[str, float]:
    """Return the features of one concept."""
    read = suggester.read(document)
    (members_and_mean,) = suggester.mean.score_apart([read])
    candidates = suggester.features(read, *members_and_mean)
    position = suggester.assigned_column(concept_id)
    row = candidates.rows[candidates.positions.tolist().index(position)]
    return dict(zip(RANKER_FEATURES, row.tolist(), strict=True))


def test_features_of_labels_are_as_counted_by_hand(suggester: RankedSuggester) -> None:
    row = row_of(suggester, DOCUMENTS[1], "106")
    # “The quota of the bay, and a garden shovel.”: nine words, and the label is the last two.
    assert row["title_count"] == 0
    assert row["text_count"] == pytest.approx(np.log1p(5))
    assert row["text_first"] == pytest.approx(np.log1p(7))
    assert row["text_first_share"] == pytest.approx(7 / 45)
    assert row["text_density"] == pytest.approx(1000 * 5 / 45)
    assert (row["text_words"], row["text_preferred"], row["standing"]) == (2, 0, 2)
    assert row["frequency"] == pytest.approx(np.log1p(2))
    assert row["level"] == 2 + 2
    assert row["length"] == pytest.approx(np.log1p(46))


def test_features_of_neighbours_are_as_counted_by_hand(suggester: RankedSuggester) -> None:
    row = row_of(suggester, DOCUMENTS[0], "106")
    query = suggester.mean.members[1].vector("Spades and the fish quota", "")  # type: ignore[attr-defined]
    similarities = (suggester.features.indexed.vectors @ query.T).toarray().ravel()
    assert row["votes"] == pytest.approx((similarities[0] + similarities[1]) / similarities.sum())
    assert row["nearest"] == pytest.approx(max(similarities[:2]))


def test_a_label_in_the_title_comes_first(suggester: RankedSuggester) -> None:
    found = suggester.suggest(DOCUMENTS[0], limit=20)
    by_id = {suggestion.concept_id: suggestion.probability for suggestion in found.suggestions}
    (scored,) = suggester.mean.score([suggester.read(DOCUMENTS[0])])
    p = scored.assigned[suggester.label_space.column("106")]
    log_odds = 0.25 * 0.5 + 0.75 * (np.log(p / (1 - p)) + 4 - 1)
    assert by_id["106"] == pytest.approx(1 / (1 + np.exp(-log_odds)), rel=1e-5)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_branches_are_never_less_than_what_is_below(
    suggester: RankedSuggester, document: Document
) -> None:
    (found,) = suggester.probabilities_of([document])
    pairs = suggester.label_space.broader_pairs
    assert (found.branch[pairs[:, 1]] >= found.branch[pairs[:, 0]]).all()
    assert (found.branch >= found.assigned).all()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_order_is_that_of_the_probability(
    suggester: RankedSuggester, document: Document
) -> None:
    shown = [suggestion.probability for suggestion in suggester.suggest(document).suggestions]
    assert shown == sorted(shown, reverse=True)
    assert all(0 <= probability <= 1 for probability in shown)


def test_many_at_a_time_are_as_one_at_a_time(suggester: RankedSuggester) -> None:
    together = [replace(found, seconds=0) for found in suggester.suggest_batch(DOCUMENTS)]
    alone = [replace(suggester.suggest(document), seconds=0) for document in DOCUMENTS]
    for first, second in zip(together, alone, strict=True):
        assert [s.concept_id for s in first.suggestions] == [
            s.concept_id for s in second.suggestions
        ]
        np.testing.assert_allclose(
            [s.probability for s in first.suggestions],
            [s.probability for s in second.suggestions],
            rtol=1e-5,
        )


def test_the_label_in_the_text_is_evidence(suggester: RankedSuggester) -> None:
    explained = suggester.explain(DOCUMENTS[0])
    evidence = explained.evidence(["106", "203"])
    assert any(passage.text.startswith("Spades") for passage in evidence["106"].passages)
    assert evidence["106"].sources["names"] == pytest.approx(
        suggester.features.indexed.labels.right()["title"][suggester.assigned_column("106")]
    )
    assert "names" not in evidence["203"].sources


def test_what_indexed_documents_say_is_counted(suggester: RankedSuggester) -> None:
    evidence = suggester.explain(DOCUMENTS[0]).evidence(["106", "102"])
    counted = {concept_id: one.grounds for concept_id, one in evidence.items()}
    numbers = {i: (g.n_assigned, g.n_similar, g.n_compared) for i, g in counted.items() if g}
    assert numbers == {"106": (2, 2, 2), "102": (0, 0, 2)}


def test_what_counts_for_a_concept_is_what_moves_its_log_odds(suggester: RankedSuggester) -> None:
    document = suggester.read(DOCUMENTS[0])
    columns = np.array([suggester.assigned_column("106"), suggester.assigned_column("102")])
    scorer = suggester.ranker.scorer(has_text=document.n_characters_read > 0)
    (members_and_mean,) = suggester.mean.score_apart([document])
    candidates = suggester.features(document, *members_and_mean)
    words = DocumentWords(document.document, document.n_characters_read, suggester.skipped)
    explained = suggester.explained(document, words)
    for column, grounds in zip(columns, explained.grounds(columns), strict=True):
        row = candidates.rows[candidates.positions == column]
        added = dict(zip(RANKER_FEATURES, scorer.contributions(row)[0], strict=True))
        sums = {kind: sum(added.get(name, 0) for name in names) for kind, names in KINDS.items()}
        assert grounds is not None
        assert set(grounds.counted_for) == {
            kind for kind, added in sums.items() if added >= NOTICED
        }
        against = sorted((k for k in sums if sums[k] <= -NOTICED), key=lambda kind: sums[kind])
        assert list(grounds.counted_against) == against


def test_kinds_of_features_are_added_up_and_the_strongest_comes_first() -> None:
    row = dict.fromkeys(RANKER_FEATURES, 0.0)
    row |= {"title_words": 0.2, "standing": 0.2, "votes": 0.29, "mean": 2, "rank": -0.5}
    row |= {"branch": -0.5, "frequency": -0.7, "recent_frequency": 0.1}
    contributions = np.array([list(row.values())], dtype=np.float32)
    assert kinds_of_features(contributions, RANKER_FEATURES) == [
        (("suggesters", "label"), ("habit", "branch"))
    ]


def test_without_the_label_the_probability_falls(suggester: RankedSuggester) -> None:
    explained = suggester.explain(DOCUMENTS[0])
    passage = next(p for p in explained.evidence(["106"])["106"].passages if "Spades" in p.text)
    after, before = explained.without("106", passage.spans)
    assert after < before


def test_a_ranker_comes_back_from_its_files(tmp_path: Path) -> None:
    ranker = tiny_ranker()
    ranker.save(tmp_path)
    rows = np.random.default_rng(1).normal(size=(5, len(RANKER_FEATURES))).astype(np.float32)
    for has_text in (True, False):
        found = Ranker.load(tmp_path, RANKER_FEATURES).scorer(has_text=has_text)
        np.testing.assert_array_equal(found(rows), ranker.scorer(has_text=has_text)(rows))


def test_contributions_add_up_to_the_log_odds() -> None:
    scorer = tiny_ranker().text
    rows = np.random.default_rng(1).normal(size=(5, len(RANKER_FEATURES))).astype(np.float32)
    nothing = np.zeros((1, len(RANKER_FEATURES)), dtype=np.float32)
    differences = scorer.log_odds(rows) - scorer.log_odds(nothing)
    np.testing.assert_allclose(
        scorer.contributions(rows).sum(axis=1), scorer.platt.slope * differences, rtol=1e-4
    )


def test_a_ranker_of_other_features_is_refused(tmp_path: Path) -> None:
    tiny_ranker().save(tmp_path)
    settings = json.loads((tmp_path / "ranker.json").read_text())
    settings["features"][0] = "weather"
    (tmp_path / "ranker.json").write_text(json.dumps(settings))
    with pytest.raises(BundleError, match="not those of this version"):
        Ranker.load(tmp_path, RANKER_FEATURES)


def test_a_ranker_needs_both_suggesters(tmp_path: Path) -> None:
    write_ranked_bundle(tmp_path)
    manifest = json.loads((tmp_path / "bundle.json").read_text())
    (tmp_path / "bundle.json").write_text(
        json.dumps(manifest | {"suggesters": ["guided", "ranked"]})
    )
    rewrite_checksums(tmp_path)
    with pytest.raises(BundleError, match="guided and linear"):
        load_suggester(tmp_path)


def test_the_mean_is_a_part_of_it(suggester: RankedSuggester) -> None:
    assert find_part(suggester, MeanEnsemble) is suggester.mean

"""The predictor on a tiny real bundle: order, coherence, batches, threads, caps."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest
import torch

from core.documents.document import Document
from core.errors import BundleError, ConfigError
from core.suggest.branches import TreeConsistency
from core.suggest.opening import load_suggester
from core.suggest.registry import suggester_of
from core.suggest.windows import JoinRule
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle

FISH = Document.from_text("1", "Regulation on the fish quota", "fishing bay " * 60)
HONEY = Document.from_text("2", "Decision on honey label", "")
TRAIN = Document.from_text("3", "", "railway ticket price " * 9)


def test_suggestions_come_best_first_and_only_what_can_be_assigned(predictor):
    suggestions = predictor.suggest(FISH, limit=5).suggestions
    assert [s.rank for s in suggestions] == [1, 2, 3, 4, 5]
    probabilities = [s.probability for s in suggestions]
    assert probabilities == sorted(probabilities, reverse=True)
    hierarchy = predictor.label_space.hierarchy
    assert all(hierarchy[s.concept_id].assignable for s in suggestions)
    assert all(s.pref_label == hierarchy[s.concept_id].label() for s in suggestions)


def test_branch_probabilities_are_coherent_along_the_tree(predictor):
    prediction = predictor.suggest(FISH, limit=100)
    hierarchy, branch = predictor.label_space.hierarchy, prediction.branch_probability
    for suggestion in prediction.suggestions:
        assert suggestion.branch_probability >= suggestion.probability
        assert branch[suggestion.concept_id] == suggestion.branch_probability
    for concept_id in branch:
        for broader in hierarchy.broader(concept_id):
            assert branch[broader] >= branch[concept_id]


def test_broader_concepts_that_can_be_assigned_have_a_probability_of_their_own(predictor):
    hierarchy = predictor.label_space.hierarchy
    everything = predictor.suggest(FISH, limit=1000)
    probability = {s.concept_id: s.probability for s in everything.suggestions}
    few = predictor.suggest(FISH, limit=3)
    above = {i for s in few.suggestions for i in hierarchy.ancestors(s.concept_id)}
    assert few.own_probability == {i: probability[i] for i in above if hierarchy[i].assignable}
    assert few.own_probability


def test_threshold_and_limit_cut_the_list(predictor):
    everything = predictor.suggest(HONEY, limit=1000).suggestions
    middle = everything[len(everything) // 2].probability
    cut = predictor.suggest(HONEY, limit=1000, threshold=middle).suggestions
    assert cut == tuple(s for s in everything if s.probability >= middle)
    assert len(predictor.suggest(HONEY, limit=2).suggestions) == 2


def test_a_batch_gives_what_single_documents_give_in_order(predictor):
    documents = [FISH, HONEY, TRAIN, HONEY, FISH] * 3
    batch = list(predictor.suggest_batch(documents, limit=4, batch_size=2))
    for document, prediction in zip(documents, batch, strict=True):
        alone = predictor.suggest(document, limit=4)
        assert [s.concept_id for s in prediction.suggestions] == [
            s.concept_id for s in alone.suggestions
        ]
        np.testing.assert_allclose(
            [s.probability for s in prediction.suggestions],
            [s.probability for s in alone.suggestions],
            atol=1e-5,
        )


def test_a_group_holds_few_long_documents_and_ends_where_a_part_of_a_batch_may(predictor, groups):
    documents = [FISH] * 9 + [HONEY] * 7
    list(predictor.probabilities_of(documents, batch_size=2))
    found = [groups.get_nowait() for _ in range(groups.qsize())]
    assert [read.document for group in found for read in group] == documents
    assert len(found[0]) < 8
    assert all(sum(read.n_windows for read in group[:-1]) < 8 for group in found)
    assert 8 in accumulate(map(len, found))


def test_the_next_group_is_scored_while_one_is_ranked(predictor, groups):
    probabilities = predictor.probabilities_of([HONEY] * 9, batch_size=2)
    next(probabilities)
    assert [len(groups.get(timeout=60)) for _ in range(2)] == [8, 1]


def test_what_goes_wrong_in_a_later_group_is_raised_after_those_before(predictor, monkeypatch):
    def score(documents, **options):
        if documents[0].document is FISH:
            raise BundleError("damaged")
        yield from whole(documents, **options)

    whole = predictor.score
    monkeypatch.setattr(predictor, "score", score)
    found = []
    with pytest.raises(BundleError, match="damaged"):
        found.extend(predictor.probabilities_of([HONEY] * 8 + [FISH], batch_size=2))
    assert len(found) == 8


def test_threads_share_one_predictor(predictor):
    expected = predictor.suggest(FISH).suggestions
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: predictor.suggest(FISH).suggestions, range(8)))
    assert all(result == expected for result in results)


def test_progress_and_the_cap_are_told(tmp_path):
    write_tiny_bundle(tmp_path, max_tokens=100)
    predictor = load_suggester(tmp_path)
    heard: list[tuple[int, int]] = []
    long = Document.from_text("x", "fish quota", "honey " * 1000)
    prediction = predictor.suggest(long, on_progress=lambda done, all_: heard.append((done, all_)))
    assert prediction.truncated
    assert prediction.n_tokens_read == 100
    assert heard[-1] == (prediction.n_windows, prediction.n_windows)


def test_other_texts_get_other_probabilities_and_zeroed_heads_the_same(predictor):
    one, two = predictor.suggest(FISH).suggestions, predictor.suggest(HONEY).suggestions
    assert [s.probability for s in one] != [s.probability for s in two]


def test_the_precision_of_the_environment_is_served(tmp_path, monkeypatch):
    write_tiny_bundle(tmp_path)
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        monkeypatch.setenv("STRATA_PRECISION", name)
        backend = load_suggester(tmp_path).backend
        assert backend.dtype == dtype
    monkeypatch.setenv("STRATA_PRECISION", "fp8")
    with pytest.raises(
        ConfigError, match="STRATA_PRECISION is “fp8”; set it to fp32, bf16, int8 or auto"
    ):
        load_suggester(tmp_path)


def test_a_bundle_without_an_assigned_head_cannot_suggest(tmp_path):
    write_tiny_bundle(tmp_path)
    from core.model.bundle.bundle import load_bundle

    bundle = load_bundle(tmp_path)
    bundle.model.shape = replace(bundle.model.shape, n_assigned=0)
    with pytest.raises(BundleError, match="cannot suggest"):
        suggester_of(bundle)


def test_consistency_raises_parents_to_their_best_child_by_hand():
    space = tiny_label_space()
    probs = np.zeros((1, len(space)), dtype=np.float32)
    deepest = int(np.argmax(space.levels))
    probs[0, deepest] = 0.7
    raised = TreeConsistency(space)(probs)
    above = {space.column(i) for i in space.hierarchy.ancestors(space.concept_ids[deepest])}
    assert {int(c) for c in np.flatnonzero(raised[0])} == above | {deepest}
    assert set(raised[0][sorted(above)].tolist()) == {np.float32(0.7)}
    assert probs.sum() == np.float32(0.7)


def test_join_rule_by_hand():
    logits = np.array([[4.0, 0.0], [2.0, -2.0], [0.0, 6.0]], dtype=np.float32)
    np.testing.assert_allclose(JoinRule(0.5, 0.0)(logits), [2.5, 1.0])
    np.testing.assert_allclose(JoinRule(0.5, 1.0)(logits), [3.0, 3.0])
    np.testing.assert_allclose(JoinRule(0.5, 0.5)(logits), [2.75, 2.0])
    np.testing.assert_allclose(JoinRule(1.0, 0.5)(logits), [4.0, 0.0])
    np.testing.assert_allclose(JoinRule(0.2, 0.5)(logits[:1]), [4.0, 0.0])

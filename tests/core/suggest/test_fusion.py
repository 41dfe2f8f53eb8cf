"""Fused probabilities by hand, and the weights that dev documents choose."""

from __future__ import annotations

import json

import numpy as np
import pytest

from core.metrics import r_precision
from core.suggest.branches import BranchUnion
from core.suggest.calibration import Platt, logits
from core.suggest.fusion import Fusion
from tests.support.labelled import act, tiny_label_space
from training.shipping.fit_fusion import best_weight, fit_fusion

FUSION = Fusion(
    title_weight=0.25,
    text_weight=0.75,
    level_weights=(1.0, 0.5),
    linear=Platt(2.0, 1.0),
    linear_text=Platt(1.0, 0.0),
    linear_levels=(Platt(), Platt()),
)


def test_titles_and_texts_have_weights_of_their_own() -> None:
    guided, linear = np.array([0.8, 0.0]), np.array([0.4, 1.0])
    assert np.allclose(FUSION.assigned([guided, linear], has_text=False), [0.5, 0.75])
    assert np.allclose(FUSION.assigned([guided, linear], has_text=True), [0.7, 0.25])


def test_margins_become_probabilities() -> None:
    margins = np.array([-0.5, 0.0], dtype=np.float32)
    calibration = FUSION.linear_calibration
    titles, texts = (calibration.scaling(has_text=has_text)(margins) for has_text in (False, True))
    assert np.allclose(titles, [0.5, 1 / (1 + np.exp(-1))])
    assert np.allclose(texts[1], 0.5)


def test_a_branch_is_the_union_of_what_is_in_it() -> None:
    # farm, sea, crops (of farm), fish (of sea), grape and wheat (of crops)
    assigned = np.array([[0, 0, 0.1, 0.3, 0.5, 0.2]], dtype=np.float32)
    union = BranchUnion(tiny_label_space())(assigned)[0]
    crops = 1 - 0.9 * 0.5 * 0.8
    assert np.allclose(union, [crops, 0.3, crops, 0.3, 0.5, 0.2], atol=1e-5)
    assert np.array_equal(assigned[0, :2], [0, 0])


def test_certainty_stays_a_number() -> None:
    union = BranchUnion(tiny_label_space())(np.ones((1, 6), dtype=np.float32))
    assert np.isfinite(union).all()
    assert np.isfinite(logits(np.array([0.0, 1.0], dtype=np.float32))).all()


def test_levels_are_mixed_where_the_heads_learn_and_nowhere_else() -> None:
    space = tiny_label_space()
    guided = np.array([0.2, 0.4, 0.6, 0.8, -np.inf, -np.inf], dtype=np.float32)
    union = np.array([0.9, 0.9, 0.2, 0.2, 0.9, 0.9], dtype=np.float32)
    fused = FUSION.branches([guided, union], space.levels)
    assert np.allclose(fused[:4], [0.2, 0.4, 0.4, 0.5], atol=1e-6)
    assert np.isneginf(fused[4:]).all()
    assert guided[2] == pytest.approx(0.6)
    rows = FUSION.branches([guided[None], union[None]], space.levels)
    assert np.array_equal(rows[0], fused)


def test_a_fusion_survives_the_manifest() -> None:
    assert Fusion.from_dict(json.loads(json.dumps(FUSION.to_dict()))) == FUSION


def test_the_best_weight_is_found_and_an_even_mean_wins_ties() -> None:
    assert best_weight(lambda w: -abs(w - 0.3)) == 0.3
    assert best_weight(lambda w: 1.0) == 0.5


def test_dev_documents_choose_the_suggester_that_is_right() -> None:
    space = tiny_label_space()
    titles = [act(f"t{i}", name) for i, name in enumerate(["fish", "grape", "wheat"] * 4)]
    texts = [act(f"x{i}", name, text="A text.") for i, name in enumerate(["fish", "grape"] * 4)]
    documents = [*titles, *texts]
    assigned = space.encode([row.assigned for row in documents], augmented=False)
    right = 0.1 + 0.8 * assigned.toarray()
    wrong = 1 - right
    n = len(titles)
    # The guided encoder is right on titles, the linear classifier on texts.
    guided = np.concatenate([right[:n], wrong[n:]]).astype(np.float32)
    margins = np.random.default_rng(0).normal(0, 0.3, guided.shape).astype(np.float32)
    margins[n:] += 4 * right[n:] - 2
    margins = margins[:, space.assignable]
    levels = right.astype(np.float32)
    levels[:, space.level_columns(3)] = -np.inf
    are_texts = np.array([row.is_full_text for row in documents])
    fusion = fit_fusion(guided, levels, margins, documents, space, has_text=are_texts)
    assert fusion.title_weight >= 0.5 >= fusion.text_weight
    assert len(fusion.level_weights) == len(fusion.linear_levels) == 2

    for rows, has_text in ((slice(0, n), False), (slice(n, None), True)):
        linear = fusion.linear_calibration.scaling(has_text=has_text)(margins[rows])
        fused = fusion.assigned([guided[rows][:, space.assignable], linear], has_text=has_text)
        y_true = assigned[rows][:, np.flatnonzero(space.assignable)]
        assert r_precision(y_true, fused).mean() == 1.0


def test_texts_that_are_read_as_one_input_choose_the_weight_that_serves_them() -> None:
    space = tiny_label_space()
    texts = [act(f"x{i}", name, text="A text.") for i, name in enumerate(["fish", "grape"] * 4)]
    right = space.encode([row.assigned for row in texts], augmented=False).toarray()
    margins = (4 * right - 2)[:, space.assignable].astype(np.float32)
    wrong, nothing = np.float32(1) - right, np.full(right.shape, -np.inf, dtype=np.float32)
    are_texts = np.ones(len(texts), dtype=bool)
    in_windows = fit_fusion(wrong, nothing, margins, texts, space, has_text=are_texts)
    assert in_windows.title_weight == 0.5  # no title was there to choose by
    as_one = np.zeros(len(texts), dtype=bool)
    fusion = fit_fusion(wrong, nothing, margins, texts, space, has_text=as_one)
    assert fusion.title_weight < 0.5
    assert fusion.level_weights == ()

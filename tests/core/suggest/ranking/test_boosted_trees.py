"""Two small trees, walked by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.suggest.ranking.boosted_trees import BoostedTrees

# The first asks feature 1 (at most 0.5), then on its right feature 0 (at most 2); the second is a
# leaf alone.
TREES = BoostedTrees(
    roots=np.array([0, 5], dtype=np.int32),
    feature=np.array([1, 0, 0, 0, 0, 0], dtype=np.int32),
    threshold=np.array([0.5, 0, 2, 0, 0, 0], dtype=np.float32),
    left=np.array([1, 1, 3, 3, 4, 5], dtype=np.int32),
    right=np.array([2, 1, 4, 3, 4, 5], dtype=np.int32),
    value=np.array([0.5, -1, 2, 1, 3, 0.25], dtype=np.float32),
    bias=np.array([-2], dtype=np.float32),
)
ROWS = np.array([[9, 0.5], [2, 0.6], [2.1, 7]], dtype=np.float32)


def test_a_row_gets_the_sum_of_its_leaves() -> None:
    assert TREES(ROWS).tolist() == [-2.75, -0.75, 1.25]


def test_contributions_say_which_feature_made_the_difference() -> None:
    # Root 0.5; left −1: feature 1 took 1.5. Right 2: it gave 1.5, then feature 0 took or gave 1.
    assert TREES.contributions(ROWS).tolist() == [[0, -1.5], [-1, 1.5], [1, 1.5]]


def test_contributions_and_means_at_the_roots_add_up() -> None:
    base = TREES.value[TREES.roots].sum() + TREES.bias[0]
    np.testing.assert_allclose(TREES.contributions(ROWS).sum(axis=1) + base, TREES(ROWS))


def test_no_rows_are_no_log_odds() -> None:
    assert TREES(np.empty((0, 2), dtype=np.float32)).shape == (0,)


@pytest.mark.parametrize(
    ("name", "number", "value"),
    [
        ("left", 0, 0),
        ("right", 2, 1),
        ("right", 0, 6),
        ("feature", 0, 2),
        ("roots", 1, 6),
        ("left", 2, 5),
        ("right", 0, 3),
    ],
)
def test_nodes_that_are_no_trees_are_refused(name: str, number: int, value: int) -> None:
    changed = getattr(TREES, name).copy()
    changed[number] = value
    with pytest.raises(ValueError, match="trees"):
        replace(TREES, **{name: changed}).check(2)


def test_trees_that_are_whole_pass() -> None:
    TREES.check(2)

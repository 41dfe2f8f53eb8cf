"""Agreement of people: values computed by hand, published examples, and libraries beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from nltk.metrics import masi_distance
from nltk.metrics.agreement import AnnotationTask
from scipy import sparse
from sklearn.metrics import cohen_kappa_score

from core import metrics


def rows(*sets: str) -> sparse.csr_matrix:
    """Sets of letters, one a row: "ab" is {a, b}, "" is empty."""
    return sparse.csr_matrix([[letter in chosen for letter in "abcdefgh"] for chosen in sets])


def alpha(units: list[list[str]], distance, times: list[int] | None = None) -> float:
    sets = rows(*(chosen for unit in units for chosen in unit))
    sizes = np.array([len(unit) for unit in units])
    document = np.repeat(np.arange(len(units)), sizes)
    distances = metrics.distances_of_documents(sets, document, distance)
    weights = np.array([times or [1] * len(units)])
    return float(metrics.krippendorff_alpha(distances, sizes, weights)[0])


@pytest.mark.parametrize(
    ("first", "second", "masi", "jaccard"),
    [
        # Passonneau (2006): 1 for identical sets, 2/3 where one holds the other, 1/3 where they
        # overlap, 0 where they are disjoint; times the share of the union that both have.
        ("ab", "ab", 0, 0),
        ("ab", "abcd", 1 - 2 / 4 * 2 / 3, 1 - 2 / 4),
        ("abc", "ab", 1 - 2 / 3 * 2 / 3, 1 - 2 / 3),
        ("ab", "bc", 1 - 1 / 3 * 1 / 3, 1 - 1 / 3),
        ("abc", "bcd", 1 - 2 / 4 * 1 / 3, 1 - 2 / 4),
        ("ab", "cd", 1, 1),
        ("", "a", 1, 1),
        ("", "", 0, 0),  # identical, though 0 / 0
    ],
)
def test_distances_of_two_sets(first, second, masi, jaccard) -> None:
    a, b = rows(first), rows(second)
    assert metrics.masi_distances(a, b) == pytest.approx(np.array([[masi]]))
    assert metrics.masi_distances(b, a) == pytest.approx(np.array([[masi]]))
    assert metrics.jaccard_distances(a, b) == pytest.approx(np.array([[jaccard]]))
    if first or second:  # nltk divides by 0 between two empty sets
        assert masi_distance(set(first), set(second)) == pytest.approx(masi)


def test_siblings_are_half_as_far_apart_as_strangers_on_a_tree() -> None:
    # a > b > (c, d): {c} is a-b-c, {d} is a-b-d; they share a, b of a, b, c, d.
    closure = metrics.ancestor_closure(np.array([[1, 0], [2, 1], [3, 1]]), 8)
    paths = metrics.augment(rows("c", "d", "b", "e"), closure)
    expected = [1 - 3 / 3, 1 - 2 / 4, 1 - 2 / 3, 1 - 0 / 4]
    assert metrics.jaccard_distances(paths, paths)[0] == pytest.approx(expected)


def test_alpha_of_krippendorffs_nominal_example_with_missing_data() -> None:
    """Krippendorff (2011), four observers of twelve units: 0.743.

    40 values in 11 units of two or more. Within: unit 2 has 6 unequal pairs of 4 values, unit 6
    has 12, unit 8 has 6, so (6 + 12 + 6) / 3 / 40 = 0.2. Values 1 to 5 occur 9, 13, 10, 5 and 3
    times: (40² − 81 − 169 − 100 − 25 − 9) / (40 · 39) = 1216 / 1560. 1 − 0.2 · 1560 / 1216 = 0.7434.
    """
    columns = ["aaa", "bbcb", "cccc", "cccc", "bbbb", "abcd", "dddd", "aaba", "bbbb", "eee", "aa"]
    assert sum(len(column) for column in columns) == 40
    value = alpha([list(column) for column in columns], metrics.jaccard_distances)
    assert value == pytest.approx(1 - 0.2 * 1560 / 1216)
    assert round(value, 3) == 0.743


def test_alpha_of_krippendorffs_binary_example() -> None:
    """Krippendorff (2011), two observers, ten units, 0.095.

    Four units differ: 4 · 2 / 20 = 0.4. 14 zeros, 6 ones: 2 · 14 · 6 / (20 · 19) = 0.442.
    """
    units = [["a", "b"], ["b", "b"], *[["a", "b"]] * 2, ["b", "a"], *[["a", "a"]] * 5]
    assert round(alpha(units, metrics.jaccard_distances), 3) == 0.095


def test_alpha_with_masi_by_hand() -> None:
    """Two documents, two people each: {a}, {a, b} and {c}, {c}.

    {a} to {a, b} is 1 − 1/2 · 2/3 = 2/3, all others are 1 but {c} to {c}, 0. Within: 2 · 2/3 / 4 =
    1/3. Among all twelve ordered pairs: (2 · 2/3 + 8 · 1 + 2 · 0) / 12 = 7/9. 1 − (1/3) / (7/9) =
    4/7.
    """
    assert alpha([["a", "ab"], ["c", "c"]], metrics.masi_distances) == pytest.approx(4 / 7)


def test_a_document_drawn_twice_is_not_compared_with_itself() -> None:
    """{a}, {a, b} drawn twice and {c}, {c} once: six annotations.

    Within: 2 · (2 · 2/3) / 6 = 4/9. Of 30 ordered pairs, 6 are within documents, with 2 · (2 · 2/3)
    together, and 24 between documents, each 1 as all that were compared: (8/3 + 24) / 30 = 8/9.
    """
    drawn = alpha([["a", "ab"], ["c", "c"]], metrics.masi_distances, [2, 1])
    assert drawn == pytest.approx(1 - (4 / 9) / (8 / 9))


def test_alpha_is_that_of_nltk() -> None:
    rng = np.random.default_rng(3)
    letters = np.array(list("abcdefgh"))
    units = [
        ["".join(letters[rng.random(8) < 0.3]) or "a" for _ in range(rng.integers(2, 5))]
        for _ in range(40)
    ]
    triples = [(i, u, frozenset(s)) for u, unit in enumerate(units) for i, s in enumerate(unit)]
    peer = AnnotationTask(triples, distance=masi_distance).alpha()
    assert alpha(units, metrics.masi_distances) == pytest.approx(peer)


def test_alpha_is_undefined_where_all_sets_are_the_same() -> None:
    assert np.isnan(alpha([["a", "a"], ["a", "a"]], metrics.masi_distances))


def two_by_two(both: int, first: int, second: int, neither: int) -> tuple[Any, Any]:
    a = [1] * both + [1] * first + [0] * second + [0] * neither
    b = [1] * both + [0] * first + [1] * second + [0] * neither
    return np.array(a)[:, None], np.array(b)[:, None]


def kappa(a, b, pair=None, times=None) -> np.ndarray:
    pair = np.zeros(len(a), int) if pair is None else pair
    times = np.ones((1, len(a))) if times is None else times
    return metrics.cohen_kappa(a, b, pair, times)[0]


@pytest.mark.parametrize(
    ("cells", "published"),
    [
        # Feinstein and Cicchetti (1990): both pairs agree on 85 of 100, and chance on
        # (49·46 + 51·54) / 100² = 0.5008 or (90·85 + 10·15) / 100² = 0.78 of them.
        ((40, 9, 6, 45), (0.85 - 0.5008) / (1 - 0.5008)),
        ((80, 10, 5, 5), (0.85 - 0.78) / (1 - 0.78)),
        # One uses it always, the other never: they agree on none of ten, and so would chance.
        ((0, 10, 0, 0), 0.0),
    ],
)
def test_kappa_of_two_by_two_tables(cells, published) -> None:
    a, b = two_by_two(*cells)
    assert kappa(a, b) == pytest.approx(published)
    assert kappa(a, b)[0] == pytest.approx(cohen_kappa_score(a[:, 0], b[:, 0]))


def test_kappa_of_the_published_tables_rounds_to_what_was_published() -> None:
    assert round(kappa(*two_by_two(40, 9, 6, 45))[0], 2) == 0.70
    assert round(kappa(*two_by_two(80, 10, 5, 5))[0], 2) == 0.32


@pytest.mark.parametrize("cells", [(0, 0, 0, 7), (7, 0, 0, 0)])
def test_kappa_is_undefined_where_both_use_a_concept_always_or_never(cells) -> None:
    assert np.isnan(kappa(*two_by_two(*cells)))


def test_kappa_of_two_pairs_averages_what_chance_would_agree_on() -> None:
    """Pair 0 as in the first table, pair 1 never used the concept: on its 100 documents it agrees,
    and by chance would on all. (85 − 50.08 + 100 − 100) / (100 − 50.08 + 100 − 100): pair 0's own.
    """
    a, b = two_by_two(40, 9, 6, 145)
    pair = np.repeat([0, 1], 100)
    assert kappa(a, b, pair) == pytest.approx(0.3492 / 0.4992)
    both = np.concatenate([two_by_two(40, 9, 6, 45)[0], two_by_two(80, 10, 5, 5)[0]])
    other = np.concatenate([two_by_two(40, 9, 6, 45)[1], two_by_two(80, 10, 5, 5)[1]])
    expected = (0.85 - 0.5008 + 0.85 - 0.78) / (1 - 0.5008 + 1 - 0.78)
    assert kappa(both, other, pair) == pytest.approx(expected)


def test_kappa_counts_a_comparison_as_often_as_it_was_drawn() -> None:
    a, b = two_by_two(1, 1, 1, 1)
    drawn = kappa(a, b, times=np.array([[80, 10, 5, 5]]))
    assert drawn == pytest.approx((0.85 - 0.78) / (1 - 0.78))


def test_pairwise_f1() -> None:
    # {a, b} and {b, c, d}: 2 · 1 / 5; two empty sets agree; an empty and a full one do not.
    first, second = rows("ab", "", "a", "ab"), rows("bcd", "", "", "ab")
    assert metrics.pairwise_f1(first, second) == pytest.approx([0.4, 1, 0, 1])
    assert metrics.pairwise_f1(second, first) == pytest.approx([0.4, 1, 0, 1])

"""What is counted over indexed documents, by hand, and kept in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from core.errors import BundleError
from core.suggest.ranking.indexed import FILE, IndexedDocuments, LabelCounts

ASSIGNED = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


def counts(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float32)


def indexed() -> IndexedDocuments:
    vectors = sp.csr_matrix(np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 1]], dtype=np.float32))
    labels = LabelCounts(4, 1, counts(2, 0, 1), counts(2, 0, 0), counts(1, 1, 0), counts(0, 1, 0))
    recent = np.array([False, False, True, True])
    return IndexedDocuments(sp.csr_matrix(np.array(ASSIGNED, np.float32)), vectors, recent, labels)


def test_concepts_are_counted() -> None:
    assert indexed().n_assigned.tolist() == [3, 3, 0]
    assert np.expm1(indexed().columns["recent_frequency"]) == pytest.approx([1e5 / 3, 2e5 / 3, 0])


def test_what_goes_together_is_a_share_of_the_first() -> None:
    # Two documents have both; concept 0 has three, and five more are thought to have it alone.
    np.testing.assert_allclose(
        indexed().together.toarray(), [[0, 2 / 8, 0], [2 / 8, 0, 0], [0, 0, 0]]
    )


def test_shares_are_drawn_to_the_mean() -> None:
    labels = indexed().labels
    mean = (2 + 1) / (3 + 10)
    wanted = [(2 + 4 * mean) / 6, mean, 4 * mean / 5]
    np.testing.assert_allclose(labels.right()["title"], wanted, rtol=1e-6)


def test_it_comes_back_from_its_file(tmp_path: Path) -> None:
    indexed().save(tmp_path)
    found = IndexedDocuments.load(tmp_path, n_concepts=3, n_terms=2)
    assert found.assigned.toarray().tolist() == ASSIGNED
    np.testing.assert_allclose(found.vectors.toarray(), indexed().vectors.toarray(), atol=0.005)
    assert found.is_recent.tolist() == [False, False, True, True]
    assert found.labels.n_titles == 4
    assert found.labels.in_titles.tolist() == [2, 0, 1]


@pytest.mark.parametrize("sizes", [(4, 2), (3, 3)])
def test_an_index_of_other_concepts_or_terms_is_refused(
    tmp_path: Path, sizes: tuple[int, int]
) -> None:
    indexed().save(tmp_path)
    with pytest.raises(BundleError, match=r"indexed documents .* damaged"):
        IndexedDocuments.load(tmp_path, n_concepts=sizes[0], n_terms=sizes[1])


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    indexed().save(tmp_path)
    (tmp_path / FILE).write_bytes(b"\x08\0\0\0\0\0\0\0{}")
    with pytest.raises(BundleError, match="Get the bundle again"):
        IndexedDocuments.load(tmp_path, n_concepts=3, n_terms=2)

"""What a ranker is fitted on is what a bundle keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from core.suggest.ranking.indexed import IndexedDocuments
from tests.support.models.tiny_bundle import tiny_label_space
from tests.support.models.tiny_ranker import INDEXED
from training.ranking.indexing import KEPT_TERMS, index_documents

N_TERMS = 100


def falling_weights(_title: str, _text: str) -> sp.csr_matrix:
    """Return a vector of length 1 whose terms weigh the less the later they come."""
    weights = np.arange(N_TERMS, 0, -1, dtype=np.float32)
    return sp.csr_matrix(weights / np.linalg.norm(weights))


def test_documents_have_as_many_terms_before_they_are_saved_as_after(tmp_path: Path) -> None:
    space = tiny_label_space()
    made = index_documents(INDEXED, space, falling_weights)
    made.save(tmp_path)
    kept = IndexedDocuments.load(
        tmp_path, n_concepts=made.assigned.shape[1], n_terms=made.vectors.shape[1]
    )
    assert made.vectors.indices.tolist() == list(range(KEPT_TERMS)) * len(INDEXED)
    assert kept.vectors.indices.tolist() == made.vectors.indices.tolist()
    lengths = sp.linalg.norm(made.vectors, axis=1)
    np.testing.assert_allclose(lengths, 1, rtol=1e-6)
    # Eight bits: half a 255th a weight, and what bringing the rows to length 1 again makes of that.
    np.testing.assert_allclose(kept.vectors.data, made.vectors.data, atol=0.5 / 255 + 1e-3)

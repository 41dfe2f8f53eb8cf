"""Fitting the linear suggester on invented acts: it learns, and it stays within its size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from core.model.terms import TermVectors
from tests.support.labelled import act, tiny_label_space
from tests.support.tiny_corpora import tiny_data
from training.baselines.linear import LinearConfig, fit_linear, pruned, strongest_by_row
from training.baselines.linear_run import run_linear
from training.judging.evaluate import evaluate
from training.judging.folders import RunFolder

CONFIG = LinearConfig(n_near=10, n_random=5)


def fitted(config: LinearConfig = CONFIG) -> SparseLinear:
    data = tiny_data()
    labels = data.label_space.encode([row.assigned for row in data.corpus.train], augmented=False)
    assignable = np.flatnonzero(data.label_space.assignable)
    documents = [row.document for row in data.corpus.train]
    return fit_linear(documents, labels[:, assignable].tocsr(), config)


def test_it_learns_the_subjects_and_fills_a_runs_folder(tmp_path: Path) -> None:
    data = tiny_data()
    run = RunFolder.finished(run_linear(CONFIG, data, tmp_path / "linear"))
    for split in ("dev", "test"):
        documents = data.corpus.split(split)
        means = evaluate(run.scores(split), documents, data.label_space, depth=3).means["all"]
        assert means["ndcg@5"] == 1.0
        assert means["r_precision_macro"] == 1.0
    alone = run.title_alone("test")
    assert alone is not None
    assert alone.document_ids == ("full",)
    served = SparseLinear.load(run.path, data.label_space)
    assert run.facts["terms"] == len(served.vectors)
    assert np.argmax(served.margins("", "herring and cod")) == 1


def test_the_same_seed_gives_the_same_weights() -> None:
    first, second = fitted(), fitted()
    assert first.vectors.terms == second.vectors.terms
    assert np.array_equal(first.weights.toarray(), second.weights.toarray())


def test_a_concept_without_documents_is_suggested_last() -> None:
    linear = fitted()
    crops = 0
    assert not linear.weights[:, [crops]].nnz
    assert linear.bias[crops] == linear.bias.min()


def test_pruning_keeps_the_strongest_weights_and_their_terms() -> None:
    linear = fitted()
    few = pruned(linear, max_bytes=1300)
    assert 0 < few.weights.nnz < linear.weights.nnz
    strongest = np.sort(np.abs(linear.weights.data))[::-1]
    assert np.allclose(np.sort(np.abs(few.weights.data))[::-1], strongest[: few.weights.nnz])
    assert len(few.vectors) == few.weights.shape[0] < len(linear.vectors)
    assert few.weights.getnnz(axis=1).min() > 0
    assert pruned(linear, max_bytes=10**6).weights.nnz == linear.weights.nnz


def test_pruned_weights_fit_where_concepts_take_four_bytes(tmp_path: Path) -> None:
    n_concepts, most = 70_000, 900_000
    weights = sp.random(
        200, n_concepts, density=0.01, dtype=np.float32, format="csr", random_state=1
    )
    vectors = TermVectors([f"t{n}" for n in range(200)], np.ones(200, dtype=np.float32))
    whole = SparseLinear(vectors, weights, np.zeros(n_concepts, dtype=np.float32), 0.4)
    pruned(whole, max_bytes=most).save(tmp_path)
    assert 0.95 * most < sum(file.stat().st_size for file in tmp_path.iterdir()) <= most


def test_the_strongest_of_a_row_may_be_negative() -> None:
    matrix = sp.csr_matrix(np.array([[1.0, -3.0, 2.0], [0, 0, 0.5]]))
    assert strongest_by_row(matrix, 2).toarray().tolist() == [[0, -3, 2], [0, 0, 0.5]]


def test_what_cannot_be_learned_is_said() -> None:
    documents = [act(str(i), title=f"{i} %").document for i in range(3)]
    with pytest.raises(ConfigError, match="no term in common"):
        fit_linear(documents, sp.csr_matrix((3, 4)), CONFIG)
    documents = [act(str(i), title="vines").document for i in range(3)]
    with pytest.raises(ConfigError, match="2 training documents with a term"):
        fit_linear(documents, sp.csr_matrix((3, 4)), CONFIG)
    assert tiny_label_space().assignable.sum() == 4

"""The linear suggester as served: terms, margins by hand, a way through the disk, damage refused."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import scipy.sparse as sp
from safetensors.numpy import load_file, save_file

from core.errors import BundleError
from core.model.sparse_linear import FORMAT, TERMS_FILE, WEIGHTS_FILE, SparseLinear
from core.model.terms import StemmedTerms, TermVectors, title_and_text
from core.vocabulary.labels import LabelSpace
from tests.support.labelled import tiny_label_space

TERMS = ("cod", "vine", "vine grow", "wheat")
IDF = np.array([1.0, 2.0, 3.0, 1.0], dtype=np.float32)


def tiny_linear(title_share: float = 0.6) -> SparseLinear:
    # Columns are the assignable concepts: crops, fish, grape, wheat.
    weights = np.array(
        [[0, 2.54, 0, 0], [0.5, 0, 1.27, 0], [0, -1.0, 0.01, 0], [0.25, 0, 0, 1.0]],
        dtype=np.float32,
    )
    bias = np.array([-1, -1.5, -2, -1], dtype=np.float32)
    return SparseLinear(TermVectors(TERMS, IDF), sp.csr_matrix(weights), bias, title_share)


def test_terms_are_stemmed_words_and_pairs_of_neighbours() -> None:
    assert StemmedTerms()("The 27 growing vines") == [
        "the",
        "grow",
        "vine",
        "the grow",
        "grow vine",
    ]
    assert StemmedTerms()("12 %") == []


def test_a_vector_weighs_terms_by_rarity_and_has_length_one() -> None:
    vector = TermVectors(TERMS, IDF)("Vines, cod, cod and unknown words").toarray()[0]
    cod = 1 + np.log(2)
    expected = np.array([cod, 2.0, 0, 0]) / np.hypot(cod, 2.0)
    assert np.allclose(vector, expected)


def test_a_text_without_known_terms_gets_the_bias() -> None:
    linear = tiny_linear()
    for title, text in (("", ""), ("zzz", "qqq")):
        assert np.array_equal(linear.margins(title, text), linear.bias)


def test_margins_are_the_weighted_sum_of_terms() -> None:
    margins = tiny_linear().margins("cod", "")
    assert margins.dtype == np.float32
    assert np.allclose(margins, [-1, 2.54 - 1.5, -2, -1])


def test_title_and_text_share_one_vector_and_either_may_be_missing() -> None:
    linear = tiny_linear(title_share=0.8)
    both = linear.vector("cod", "wheat").toarray()[0]
    assert np.allclose(both, np.array([0.8, 0, 0, 0.2]) / np.hypot(0.8, 0.2))
    assert np.allclose(linear.margins("", "wheat"), linear.margins("wheat", ""))


def test_rows_are_joined_one_by_one() -> None:
    title = sp.csr_matrix(np.array([[1.0, 0], [0, 0], [0, 0]]))
    text = sp.csr_matrix(np.array([[0, 1.0], [0, 1.0], [0, 0]]))
    joined = title_and_text(title, text, 0.5).toarray()
    assert np.allclose(joined, [[0.5**0.5, 0.5**0.5], [0, 1], [0, 0]])


def test_saved_and_loaded_agree_to_seven_bits(tmp_path: Path) -> None:
    linear, space = tiny_linear(), tiny_label_space()
    linear.save(tmp_path)
    loaded = SparseLinear.load(tmp_path, space)
    assert loaded.vectors.terms == TERMS
    assert loaded.title_share == linear.title_share
    difference = np.abs((loaded.weights - linear.weights).toarray())
    assert (difference <= np.array([0.5, 2.54, 1.27, 1.0]) / 127 / 2 + 1e-6).all()
    assert np.allclose(loaded.margins("cod", "vines"), linear.margins("cod", "vines"), atol=0.02)
    # What was loaded loses nothing more by being saved again.
    loaded.save(tmp_path / "again")
    again = SparseLinear.load(tmp_path / "again", space)
    assert np.allclose(again.weights.toarray(), loaded.weights.toarray(), atol=1e-6)


@pytest.mark.parametrize(("n_concepts", "bytes_each"), [(65_535, 2), (65_536, 4), (70_000, 4)])
def test_the_last_concept_of_a_large_vocabulary_keeps_its_weights(
    tmp_path: Path, n_concepts: int, bytes_each: int
) -> None:
    # `cod` supports the last concept, and `wheat` has a weight for all.
    weights = sp.lil_matrix((len(TERMS), n_concepts), dtype=np.float32)
    weights[0, n_concepts - 1], weights[3, :] = 2.0, 1.0
    bias = np.zeros(n_concepts, dtype=np.float32)
    linear = SparseLinear(TermVectors(TERMS, IDF), sp.csr_matrix(weights), bias, 0.6)
    linear.save(tmp_path)
    space = cast(LabelSpace, SimpleNamespace(assignable=np.ones(n_concepts, dtype=bool)))
    loaded = SparseLinear.load(tmp_path, space)
    assert loaded.weights[0].indices.tolist() == [n_concepts - 1]
    assert loaded.margins("cod", "")[-1] == pytest.approx(2.0)
    assert loaded.weights[3].nnz == n_concepts
    assert load_file(tmp_path / WEIGHTS_FILE)["concept"].itemsize == bytes_each


def test_a_long_act_takes_no_time(tmp_path: Path) -> None:
    text = "growing vines and wheat, cod " * 1100
    tiny_linear().margins("", text)
    started = time.process_time()
    tiny_linear().margins("Regulation on vines", text)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize("name", [TERMS_FILE, WEIGHTS_FILE])
def test_a_missing_or_broken_file_is_refused(tmp_path: Path, name: str) -> None:
    tiny_linear().save(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(BundleError, match="damaged"):
        SparseLinear.load(tmp_path, tiny_label_space())
    path.unlink()
    with pytest.raises(BundleError, match="damaged"):
        SparseLinear.load(tmp_path, tiny_label_space())


@pytest.mark.parametrize(
    ("tensor", "value", "message"),
    [
        ("concept", np.array([9] * 7, np.uint16), "concepts that the vocabulary does not have"),
        ("bias", np.array([np.nan] * 4, np.float32), "no numbers"),
        ("scale", np.ones(3, np.float32), "shape"),
        ("weight", np.ones(7, np.int32), "another type"),
        ("concepts_of_term", np.array([7, 0, 0, 1], np.uint16), "shape"),
    ],
)
def test_tensors_that_cannot_be_are_refused(
    tmp_path: Path, tensor: str, value: np.ndarray, message: str
) -> None:
    tiny_linear().save(tmp_path)
    tensors = {**load_file(tmp_path / WEIGHTS_FILE), tensor: value}
    facts = {"format": FORMAT, "title_share": "0.6"}
    save_file(tensors, tmp_path / WEIGHTS_FILE, metadata=facts)
    with pytest.raises(BundleError, match=message):
        SparseLinear.load(tmp_path, tiny_label_space())


def test_another_format_is_refused(tmp_path: Path) -> None:
    tiny_linear().save(tmp_path)
    save_file(load_file(tmp_path / WEIGHTS_FILE), tmp_path / WEIGHTS_FILE)
    with pytest.raises(BundleError, match="format is None"):
        SparseLinear.load(tmp_path, tiny_label_space())

"""The linear suggester: one weighted sum of TF-IDF terms a concept, pruned and kept in int8.

On disk it is two files: `linear_terms.txt`, a term a line, and `linear.safetensors`, in which each
term has the concepts that it supports or opposes, as pairs of a position and an int8 weight.
Positions take two bytes, and four in vocabularies of more than 65,535 assignable concepts.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from safetensors import safe_open
from safetensors.numpy import save_file

from core.model.bundle.manifest import BUNDLE
from core.model.terms import TermVectors, one_row, unit_length
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]

WEIGHTS_FILE = "linear.safetensors"
TERMS_FILE = "linear_terms.txt"
FORMAT = "strata-linear-1"
_POSITIONS = (np.uint16, np.uint32)
DTYPES = {
    "idf": (np.float32,),
    "concepts_of_term": _POSITIONS,
    "concept": _POSITIONS,
    "weight": (np.int8,),
    "scale": (np.float32,),
    "bias": (np.float32,),
}
"""Tensor -> types that it may have; `concept` and `weight` run through the terms one after the
other."""


@dataclass(frozen=True, slots=True)
class SparseLinear:
    """A linear classifier for every assignable concept, over the terms of title and text.

    Attributes:
        weights: shape (n_terms, n_assignable), columns in the order of the assignable concepts.
        bias: the margin of a document without a known term, shape (n_assignable,).
        title_share: how much of a document's vector is its title, the rest its text.
    """

    vectors: TermVectors
    weights: sp.csr_matrix
    bias: Array
    title_share: float

    def margins(self, title: str, text: str) -> Array:
        """Return how strongly a document supports each assignable concept, shape
        (n_assignable,).
        """
        margins: Array = self.margins_of(self.vector(title, text))[0]
        return margins

    def vector(self, title: str, text: str) -> sp.csr_matrix:
        """Return the document's TF-IDF vector, shape (1, n_terms), of length 1."""
        in_title, in_text = self.vectors.row(title), self.vectors.row(text)
        both = np.concatenate([self.title_share * in_title[1], (1 - self.title_share) * in_text[1]])
        columns, place = np.unique(np.concatenate([in_title[0], in_text[0]]), return_inverse=True)
        weights = np.bincount(place, both, minlength=len(columns)).astype(np.float32)
        return one_row(columns, unit_length(weights), n_columns=len(self.vectors))

    def margins_of(self, vectors: sp.csr_matrix) -> Array:
        """Return margins of rows of vectors, shape (n_documents, n_assignable)."""
        margins: Array = (vectors @ self.weights).toarray() + self.bias
        return margins

    def save(self, directory: Path) -> None:
        """Write `linear.safetensors` and `linear_terms.txt`; weights lose all but seven bits."""
        weights = sp.csr_matrix(self.weights)
        scale = _largest_by_column(weights) / 127
        whole = np.rint(weights.data / scale[weights.indices])
        position = position_type(len(self.bias))
        tensors = {
            "idf": self.vectors.idf.astype(np.float32),
            "concepts_of_term": np.diff(weights.indptr).astype(position),
            "concept": weights.indices.astype(position),
            "weight": whole.astype(np.int8),
            "scale": scale.astype(np.float32),
            "bias": self.bias.astype(np.float32),
        }
        lines = "".join(f"{term}\n" for term in self.vectors.terms).encode()
        facts = {
            "format": FORMAT,
            "title_share": repr(self.title_share),
            # Weights that meet other terms would be wrong without a sign of it.
            "terms_sha256": hashlib.sha256(lines).hexdigest(),
        }
        directory.mkdir(parents=True, exist_ok=True)
        (directory / TERMS_FILE).write_bytes(lines)
        save_file(
            {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()},
            directory / WEIGHTS_FILE,
            metadata=facts,
        )

    @classmethod
    def load(cls, directory: Path, label_space: LabelSpace) -> SparseLinear:
        """Read what `save` wrote.

        Raises:
            BundleError: a file is missing or damaged, or is of another vocabulary.
        """
        with BUNDLE.translated(
            "The linear classifier in {directory} is damaged ({reason}). Get the bundle again.",
            directory=directory,
        ):
            lines = (directory / TERMS_FILE).read_bytes()
            terms = lines.decode().splitlines()
            with safe_open(directory / WEIGHTS_FILE, framework="numpy") as file:
                facts = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            _check(facts, tensors, n_terms=len(terms), n_concepts=int(label_space.assignable.sum()))
            if facts["terms_sha256"] != hashlib.sha256(lines).hexdigest():
                raise ValueError(f"{TERMS_FILE} is not what it was when it was made")
            title_share = float(facts["title_share"])
        return cls(
            TermVectors(terms, tensors["idf"]),
            _weights(tensors),
            tensors["bias"],
            title_share,
        )


def position_type(n_concepts: int) -> np.dtype[np.generic]:
    """Return the type of positions among so many concepts, and of how many of them a term has."""
    # The smallest that holds all: a position that does not fit would be another concept's.
    return np.result_type(_POSITIONS[0], np.min_scalar_type(n_concepts))


def _largest_by_column(weights: sp.csr_matrix) -> Array:
    largest = np.zeros(weights.shape[1], dtype=np.float32)
    np.maximum.at(largest, weights.indices, np.abs(weights.data))
    return np.maximum(largest, 1e-12)


def _check(
    facts: dict[str, str],
    tensors: dict[str, npt.NDArray[np.generic]],
    *,
    n_terms: int,
    n_concepts: int,
) -> None:
    if facts.get("format") != FORMAT:
        raise ValueError(f"its format is {facts.get('format')}, not {FORMAT}")
    for name, dtypes in DTYPES.items():
        if name not in tensors or tensors[name].dtype not in dtypes:
            raise ValueError(f"{name} is missing or of another type")
    n_weights = int(tensors["concepts_of_term"].sum(dtype=np.int64))
    sizes = {"idf": n_terms, "concepts_of_term": n_terms, "concept": n_weights}
    sizes |= {"weight": n_weights, "scale": n_concepts, "bias": n_concepts}
    for name, size in sizes.items():
        if tensors[name].shape != (size,):
            raise ValueError(f"{name} has shape {tensors[name].shape}, not ({size},)")
    if n_weights and int(tensors["concept"].max()) >= n_concepts:
        raise ValueError("it weighs concepts that the vocabulary does not have")
    for name in ("idf", "scale", "bias"):
        if not np.isfinite(tensors[name]).all():
            raise ValueError(f"{name} holds values that are no numbers")


def _weights(tensors: dict[str, npt.NDArray[np.generic]]) -> sp.csr_matrix:
    concept = tensors["concept"].astype(np.int32)
    values = tensors["weight"].astype(np.float32) * tensors["scale"].astype(np.float32)[concept]
    ends = np.concatenate(([0], np.cumsum(tensors["concepts_of_term"], dtype=np.int64)))
    shape = (len(tensors["idf"]), len(tensors["bias"]))
    return sp.csr_matrix((values, concept, ends), shape=shape)

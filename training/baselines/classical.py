"""A classical model from documents to scores, saved in two files that hold no code.

Logistic regression and the linear support vector machine are scikit-learn's classes on liblinear,
one classifier a label, with its defaults otherwise. Those of the paper's version, 0.19.2: liblinear
for both (later versions solve logistic regression with L-BFGS and leave the intercept unpenalised),
C = 1, the squared hinge in its dual for the machine.

Source: Adhikari et al. (2019), section 4.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from json import dumps, loads
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from core.documents.document import Document
from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from training.baselines.features import Features, StemFeatures, features_named
from training.baselines.linear import NEGLIGIBLE, Progress, pruned

Array = npt.NDArray[np.float32]
Weights: TypeAlias = Array | sp.csr_matrix

ALL_KEPT = 50_000_000
"""Models of more weights than this lose those of no more than `NEGLIGIBLE`."""
NEVER, ALWAYS = -30.0, 30.0
"""Margins of a label that no document has, or all: there is nothing to learn."""


@dataclass(slots=True)
class OneVsRest:
    """A weighted sum of a row's terms for every label.

    Attributes:
        weights: shape (n_terms, n_labels).
        bias: shape (n_labels,).
        n_unfinished: labels at which the solver stopped before it had converged.
    """

    weights: Weights
    bias: Array
    n_unfinished: int = 0

    def margins(self, x: sp.csr_matrix) -> Array:
        """Return how far each row is on the side of each label, shape (n_documents, n_labels)."""
        # Of another type, scipy would copy all weights at every call: 16 MB for each document.
        product = x.astype(self.weights.dtype, copy=False) @ self.weights
        dense = product.toarray() if sp.issparse(product) else product
        return np.asarray(dense + self.bias, dtype=np.float32)

    def scores(self, x: sp.csr_matrix) -> Array:
        """Return σ(margin), in [0, 1]: the probability of logistic regression.

        Of a support vector machine it is no probability, but decides alike at one half: its
        decision at margin 0. Of one label a document the best scored is that of the best margin.
        """
        odds = np.exp(-np.clip(self.margins(x), NEVER, ALWAYS))
        return np.asarray(1 / (1 + odds), dtype=np.float32)

    @property
    def n_parameters(self) -> int:
        """Weights and biases, zeros counted."""
        return int(np.prod(self.weights.shape)) + len(self.bias)


def fit_one_vs_rest(
    x: sp.csr_matrix,
    y: sp.csr_matrix,
    loss: str,
    *,
    c: float = 1.0,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> OneVsRest:
    """Learn each label against all documents without it.

    Args:
        x: rows of features; y: ones where a document has a label, shape (n_documents, n_labels).
        on_progress: is called with (labels done, labels).
    Raises:
        ConfigError: no document has both a label and a term.
    """
    if not (sp.diags((x.getnnz(axis=1) > 0) * 1.0) @ y).nnz:
        raise ConfigError("No training document has both a label and a word.")
    wide, by_label = x.astype(np.float64), sp.csc_matrix(y)
    n_labels = y.shape[1]
    least = 0.0 if x.shape[1] * n_labels <= ALL_KEPT else NEGLIGIBLE
    columns: list[sp.csc_matrix] = []
    bias = np.full(n_labels, NEVER, dtype=np.float32)
    unfinished = 0
    for label in range(n_labels):
        has_it = np.zeros(x.shape[0], dtype=bool)
        has_it[by_label[:, [label]].indices] = True
        weights, bias[label], finished = _separate(wide, has_it, _machine(loss, c, seed))
        columns.append(_column(weights, least))
        unfinished += not finished
        if on_progress:
            on_progress(label + 1, n_labels)
    stacked = sp.csr_matrix(sp.hstack(columns), dtype=np.float32)
    return OneVsRest(stacked if least else stacked.toarray(), bias, unfinished)


def _machine(loss: str, c: float, seed: int) -> LogisticRegression | LinearSVC:
    if loss == "lr":
        return LogisticRegression(C=c, solver="liblinear", random_state=seed)
    return LinearSVC(C=c, dual=True, random_state=seed)


def _separate(
    x: sp.csr_matrix, has_it: npt.NDArray[np.bool_], machine: LogisticRegression | LinearSVC
) -> tuple[npt.NDArray[np.float64], float, bool]:
    """Return weights and bias of one label, and whether the solver had converged."""
    if has_it.all() or not has_it.any():
        return np.zeros(x.shape[1]), ALWAYS if has_it.all() else NEVER, True
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        machine.fit(x, has_it)
    finished = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    return machine.coef_[0], float(machine.intercept_[0]), finished


def _column(weights: npt.NDArray[np.float64], least: float) -> sp.csc_matrix:
    strong = np.where(np.abs(weights) > least, weights, 0.0)
    return sp.csc_matrix(strong[:, None])


ROWS_AT_A_TIME = 128


@dataclass(slots=True)
class NearestNeighbours:
    """The training documents, kept as they are.

    Attributes:
        x: their rows of length 1, shape (n_training_documents, n_terms).
        y: their labels, shape (n_training_documents, n_labels).
        k: neighbours that vote.
        votes: "alike", or "by_similarity".
    """

    x: sp.csr_matrix
    y: sp.csr_matrix
    k: int = 5
    votes: str = "alike"
    by_term: sp.csr_matrix = field(init=False, repr=False)
    """The rows as what each term stands in, turned once rather than for every document."""

    def __post_init__(self) -> None:
        self.x = sp.csr_matrix(self.x, dtype=np.float32)
        self.y = sp.csr_matrix(self.y, dtype=np.float64)
        self.by_term = sp.csr_matrix(self.x.T)

    def scores(self, x: sp.csr_matrix) -> Array:
        """Return the share of the votes that each label gets, in [0, 1], (n_documents, n_labels).

        From 0.5 on a label has the majority. A document that shares no term with another is no
        neighbour of it: where fewer than k are, the empty seats count against every label.
        """
        parts = [
            self._of_rows(x[start : start + ROWS_AT_A_TIME])
            for start in range(0, x.shape[0], ROWS_AT_A_TIME)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.y.shape[1]), np.float32)

    def _of_rows(self, x: sp.csr_matrix) -> Array:
        similarity = (x.astype(np.float32, copy=False) @ self.by_term).toarray()
        n_rows, n_known = similarity.shape
        k = min(self.k, n_known)
        nearest = np.argpartition(-similarity, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(similarity, nearest, axis=1)
        weights = near.astype(np.float64) if self.votes == "by_similarity" else (near > 0) * 1.0
        ends = np.arange(0, n_rows * k + 1, k)
        cast = sp.csr_matrix((weights.ravel(), nearest.ravel(), ends), shape=(n_rows, n_known))
        whole = weights.sum(axis=1) if self.votes == "by_similarity" else np.full(n_rows, k)
        votes = (cast @ self.y).toarray() / np.maximum(whole, 1e-12)[:, None]
        return np.asarray(votes, dtype=np.float32)

    @property
    def n_parameters(self) -> int:
        """Numbers that are kept: a weight for every term of every training document, and labels."""
        return int(self.x.nnz + self.y.nnz)


MODEL_FILE = "classical.safetensors"
TERMS_FILE = "classical_terms.txt"


@dataclass(frozen=True, slots=True)
class ClassicalConfig:
    """What decides a classical model; the defaults are scikit-learn's, as in the paper.

    Attributes:
        model: "lr" (logistic regression), "svm" (linear, squared hinge) or "knn" (cosine).
        features: "words", or "stems": stemmed words and pairs, with which a bundle can be made.
        title_share: of stems, how much of a document is its title.
        c: of lr and svm; more trusts the training documents more.
        k: neighbours of knn that vote, and `votes`: "alike" or "by_similarity".
        seed: of the order in which the solver of svm takes the documents.
    """

    model: str = "svm"
    features: str = "words"
    title_share: float = 0.25
    c: float = 1.0
    k: int = 5
    votes: str = "alike"
    seed: int = 1


@dataclass(slots=True)
class Classical:
    """A fitted model with the features that it reads."""

    config: ClassicalConfig
    features: Features
    model: OneVsRest | NearestNeighbours

    def scores(self, documents: Sequence[Document]) -> Array:
        """Return scores in [0, 1], predicted from 0.5 on, shape (n_documents, n_labels)."""
        return self.model.scores(self.features.transform(documents))

    @property
    def n_unfinished(self) -> int:
        """Labels at which the solver stopped before it had converged."""
        return self.model.n_unfinished if isinstance(self.model, OneVsRest) else 0

    def linear(self, *, max_bytes: int) -> SparseLinear | None:
        """Return the linear suggester of a bundle, pruned to a size; None where there is none."""
        model, features = self.model, self.features
        if not isinstance(model, OneVsRest) or not isinstance(features, StemFeatures):
            return None
        weights = sp.csr_matrix(model.weights)
        weights.data[np.abs(weights.data) <= NEGLIGIBLE] = 0
        weights.eliminate_zeros()
        whole = SparseLinear(features.vectors, weights, model.bias, features.title_share)
        return pruned(whole, max_bytes=max_bytes)

    def save(self, folder: Path) -> int:
        """Write the two files; returns their bytes."""
        terms, idf = self.features.learned()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / TERMS_FILE).write_text("".join(f"{t}\n" for t in terms), encoding="utf-8")
        save_file(
            {"idf": np.asarray(idf, dtype=np.float64), **_tensors(self.model)},
            folder / MODEL_FILE,
            metadata={"config": dumps(asdict(self.config))},
        )
        return sum((folder / name).stat().st_size for name in (TERMS_FILE, MODEL_FILE))

    @classmethod
    def load(cls, folder: Path) -> Classical:
        """Read what `save` wrote.

        Raises:
            ConfigError: a file is missing or damaged.
        """
        try:
            terms = (folder / TERMS_FILE).read_text("utf-8").split("\n")[:-1]
            with safe_open(folder / MODEL_FILE, framework="numpy") as file:
                config = ClassicalConfig(**loads((file.metadata() or {})["config"]))
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            features = features_named(config.features, title_share=config.title_share)
            features.restore(terms, tensors["idf"])
            return cls(config, features, _model(config, tensors))
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise ConfigError(f"{folder} holds no classical model ({error}).") from error


def fit_classical(
    config: ClassicalConfig,
    features: Features,
    x: sp.csr_matrix,
    y: sp.csr_matrix,
    *,
    on_progress: Progress | None = None,
) -> Classical:
    """Learn from rows of features that were fitted before, and labels; both by document."""
    if config.model == "knn":
        return Classical(config, features, NearestNeighbours(x, y, config.k, config.votes))
    machine = fit_one_vs_rest(
        x, y, config.model, c=config.c, seed=config.seed, on_progress=on_progress
    )
    return Classical(config, features, machine)


def _tensors(model: OneVsRest | NearestNeighbours) -> dict[str, npt.NDArray[np.generic]]:
    if isinstance(model, NearestNeighbours):
        return {**_taken_apart("x", model.x), **_taken_apart("y", model.y)}
    if sp.issparse(model.weights):
        return {**_taken_apart("weights", model.weights), "bias": model.bias}
    return {"weights": np.ascontiguousarray(model.weights), "bias": model.bias}


def _model(
    config: ClassicalConfig, tensors: dict[str, npt.NDArray[np.generic]]
) -> OneVsRest | NearestNeighbours:
    if config.model == "knn":
        x, y = _put_together("x", tensors), _put_together("y", tensors)
        return NearestNeighbours(x, y, config.k, config.votes)
    dense = tensors.get("weights")
    weights = _put_together("weights", tensors) if dense is None else dense.astype(np.float32)
    return OneVsRest(weights, tensors["bias"].astype(np.float32))


def _taken_apart(name: str, matrix: sp.csr_matrix) -> dict[str, npt.NDArray[np.generic]]:
    rows = sp.csr_matrix(matrix)
    return {
        f"{name}.data": rows.data.astype(np.float32),
        f"{name}.indices": rows.indices.astype(np.int32),
        f"{name}.indptr": rows.indptr.astype(np.int64),
        f"{name}.shape": np.array(rows.shape, dtype=np.int64),
    }


def _put_together(name: str, tensors: dict[str, npt.NDArray[np.generic]]) -> sp.csr_matrix:
    parts = tuple(tensors[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_matrix(parts, shape=tuple(tensors[f"{name}.shape"].tolist()))

"""A classical model from documents to scores, saved in two files that hold no code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from json import dumps, loads
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from core.documents.document import Document
from core.errors import ConfigError
from core.model.sparse_linear import SparseLinear
from training.baselines.features import Features, StemFeatures, features_named
from training.baselines.linear import NEGLIGIBLE, pruned
from training.baselines.neighbours import NearestNeighbours
from training.baselines.one_vs_rest import OneVsRest, Progress, fit_one_vs_rest

Array = npt.NDArray[np.float32]

MODELS = ("lr", "svm", "knn")
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

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise ConfigError(f"There is no model “{self.model}”: take one of {', '.join(MODELS)}.")
        if self.c <= 0 or not 0 <= self.title_share <= 1:
            raise ConfigError("C must be more than 0, and the title's share between 0 and 1.")


@dataclass(slots=True)
class Classical:
    """A fitted model with the features that it reads."""

    config: ClassicalConfig
    features: Features
    model: OneVsRest | NearestNeighbours

    def scores(self, documents: Sequence[Document]) -> Array:
        """In [0, 1], from 0.5 on for a label that it gives; shape (n_documents, n_labels)."""
        return self.model.scores(self.features.transform(documents))

    @property
    def n_unfinished(self) -> int:
        """Labels at which the solver stopped before it had converged."""
        return self.model.n_unfinished if isinstance(self.model, OneVsRest) else 0

    def linear(self, *, max_bytes: int) -> SparseLinear | None:
        """The linear suggester of a bundle, pruned to a size; None where it cannot be one."""
        model, features = self.model, self.features
        if not isinstance(model, OneVsRest) or not isinstance(features, StemFeatures):
            return None
        weights = sp.csr_matrix(model.weights)
        weights.data[np.abs(weights.data) <= NEGLIGIBLE] = 0
        weights.eliminate_zeros()
        assert features.vectors is not None
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

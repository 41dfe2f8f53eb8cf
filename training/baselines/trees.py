"""Trees of linear classifiers over TF-IDF (omikuji), the peer that a guided encoder must beat.

Source: Prabhu et al. (2018), Parabel; Khandagale et al. (2020), Bonsai; settings as in Annif.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import omikuji
import scipy.sparse as sp

from core.documents.document import Document
from core.errors import ConfigError
from training.baselines.tfidf import TextFeatures
from training.corpora.corpus import LabelledDocument
from training.judging.scores import Matrix

TREES: Mapping[str, Mapping[str, float | bool]] = {
    "parabel": {"cluster_balanced": True, "cluster_k": 2, "max_depth": 20},
    "bonsai": {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3},
}
"""Name -> the hyper-parameters in which it differs from omikuji's defaults."""

TREES_FOLDER = "trees"
"""Where a run's folder keeps them."""

LABELS_FILE = "n_labels.txt"


@dataclass(frozen=True, slots=True)
class Search:
    """How far the tree is searched: wider finds more labels to rank, and takes longer."""

    beam_size: int = 10
    top_k: int = 1000


class TreeBaseline:
    """One forest of three trees, from texts to a score for each label."""

    def __init__(self, tree: str, *, n_threads: int = 1, features: TextFeatures | None = None):
        if tree not in TREES:
            raise ConfigError(f"There is no baseline {tree!r}: name one of {', '.join(TREES)}.")
        self._tree = tree
        self._n_threads = n_threads
        self._features = features or TextFeatures()
        self._model: omikuji.Model | None = None
        self._n_labels = 0

    def fit(self, documents: Sequence[LabelledDocument], labels: sp.csr_matrix) -> TreeBaseline:
        """Learn from documents and their labels, shape (n_documents, n_labels).

        Raises:
            ConfigError: no document has both a label and a word.
        """
        x = self._features.fit([row.document for row in documents])
        return self.fit_features(x, labels)

    def fit_features(self, x: sp.csr_matrix, labels: sp.csr_matrix) -> TreeBaseline:
        """Learn from features that were computed before."""
        params = omikuji.Model.default_hyper_param()
        for name, value in TREES[self._tree].items():
            setattr(params, name, value)
        self._n_labels = int(labels.shape[1])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.txt"
            if not write_extreme_classification(path, x, labels):
                raise ConfigError("No training document has both a label and a word.")
            self._model = omikuji.Model.train_on_data(str(path), params, n_threads=self._n_threads)
        self._model.init_prediction_thread_pool(self._n_threads)
        return self

    def save(self, folder: Path) -> int:
        """Write the trees, the terms and the number of labels; returns their bytes."""
        model, place = self._fitted(), folder / TREES_FOLDER
        if place.exists():
            shutil.rmtree(place)
        model.save(str(place))
        self._features.save(place)
        (place / LABELS_FILE).write_text(f"{self._n_labels}\n", encoding="ascii")
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())

    @classmethod
    def load(cls, folder: Path, tree: str, *, n_threads: int = 1) -> TreeBaseline:
        """Read what `save` wrote.

        Raises:
            ConfigError: the trees are not there, or damaged.
        """
        place = folder / TREES_FOLDER
        baseline = cls(tree, n_threads=n_threads, features=TextFeatures.load(place))
        try:
            baseline._n_labels = int((place / LABELS_FILE).read_text("ascii"))
            baseline._model = omikuji.Model.load(str(place))
        except (RuntimeError, OSError, ValueError) as error:
            raise ConfigError(f"{place} holds no trees ({error}).") from error
        baseline._model.init_prediction_thread_pool(n_threads)
        return baseline

    def predict(self, documents: Sequence[LabelledDocument], search: Search) -> Matrix:
        """Scores of shape (n_documents, n_labels); 0 where the search did not come."""
        return self.read([row.document for row in documents], search)

    def read(self, documents: Sequence[Document], search: Search) -> Matrix:
        """The same of documents without labels."""
        return self.predict_features(self._features.transform(documents), search)

    def predict_features(self, x: sp.csr_matrix, search: Search) -> Matrix:
        """Scores from features that were computed before."""
        model = self._fitted()
        scores = np.zeros((x.shape[0], self._n_labels), dtype=np.float16)
        for row in range(x.shape[0]):
            start, end = x.indptr[row], x.indptr[row + 1]
            pairs = list(
                zip(x.indices[start:end].tolist(), x.data[start:end].tolist(), strict=True)
            )
            if not pairs:
                continue
            found = model.predict(pairs, beam_size=search.beam_size, top_k=search.top_k)
            columns, values = zip(*found, strict=True)
            scores[row, list(columns)] = values
        return scores

    def _fitted(self) -> omikuji.Model:
        if self._model is None:
            raise ConfigError("The baseline must be fitted before it predicts.")
        return self._model


def write_extreme_classification(path: Path, x: sp.csr_matrix, labels: sp.csr_matrix) -> int:
    """Write features and labels as the Extreme Classification Repository has them.

    Returns:
        How many rows were written; those without a label or without a word are left out.
    """
    x, labels = sp.csr_matrix(x), sp.csr_matrix(labels)
    x.sort_indices()
    rows = np.flatnonzero((np.diff(x.indptr) > 0) & (np.diff(labels.indptr) > 0))
    with path.open("w", encoding="ascii") as file:
        file.write(f"{len(rows)} {x.shape[1]} {labels.shape[1]}\n")
        for row in rows:
            columns = labels.indices[labels.indptr[row] : labels.indptr[row + 1]]
            span = slice(x.indptr[row], x.indptr[row + 1])
            words = zip(x.indices[span].tolist(), x.data[span].tolist(), strict=True)
            file.write(",".join(map(str, columns.tolist())))
            file.write("".join(f" {column}:{value:.6g}" for column, value in words) + "\n")
    return len(rows)

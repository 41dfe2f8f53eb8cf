"""Trees of linear classifiers (omikuji) over TF-IDF: the peer that a guided encoder must beat.

Source: Prabhu et al. (2018), Parabel; Khandagale et al. (2020), Bonsai; settings as in Annif, whose
TF-IDF mixin (https://annif.org) was read, not copied: stemmed words and pairs of them; min_df 2.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import omikuji
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from core.boundaries import MEASUREMENT_FILES
from core.documents.document import Document
from core.errors import ConfigError
from core.model.terms import StemmedWords
from training.corpora.corpus import LabelledDocument
from training.judging.scores import Matrix


class TextFeatures:
    """TF-IDF features, fitted on the training documents alone.

    Args:
        max_words: 2 counts pairs of neighbouring words too.
        max_characters: how much of title and text is read; 0 for all.
    """

    def __init__(self, *, max_words: int = 2, max_characters: int = 0) -> None:
        self._max_words = max_words
        self._max_characters = max_characters or None
        self._vectorizer = TfidfVectorizer(
            tokenizer=StemmedWords(),
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, max_words),
            min_df=2,
        )

    def fit(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Learn the words and their weights; shape (n_documents, n_features), rows of length 1."""
        return sp.csr_matrix(self._vectorizer.fit_transform(self._texts(documents)))

    def transform(self, documents: Sequence[Document]) -> sp.csr_matrix:
        """Return the features of other documents; words that were not learned are left out."""
        return sp.csr_matrix(self._vectorizer.transform(self._texts(documents)))

    def save(self, folder: Path) -> None:
        """Write the terms and their weights, without code: words.txt, idf.npy, reading.json."""
        folder.mkdir(parents=True, exist_ok=True)
        terms = self._vectorizer.get_feature_names_out().tolist()
        (folder / "words.txt").write_text("".join(f"{t}\n" for t in terms), encoding="utf-8")
        np.save(folder / "idf.npy", self._vectorizer.idf_, allow_pickle=False)
        reading = {"max_words": self._max_words, "max_characters": self._max_characters or 0}
        (folder / "reading.json").write_text(json.dumps(reading) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> TextFeatures:
        """Read what `save` wrote.

        Raises:
            ConfigError: a file is missing or damaged.
        """
        no_words = "{folder} holds no words of a baseline ({reason})."
        with MEASUREMENT_FILES.translated(no_words, folder=folder):
            features = cls(**json.loads((folder / "reading.json").read_text("utf-8")))
            terms = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
            features._vectorizer.set_params(vocabulary=terms)
            features._vectorizer.idf_ = np.load(folder / "idf.npy", allow_pickle=False)
        return features

    def _texts(self, documents: Iterable[Document]) -> Iterable[str]:
        """Yield title and text of each document, one below the other."""
        for document in documents:
            yield f"{document.title}\n\n{document.text}"[: self._max_characters]


TREES: Mapping[str, Mapping[str, float | bool]] = {
    "parabel": {"cluster_balanced": True, "cluster_k": 2, "max_depth": 20},
    "bonsai": {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3},
}
"""Name -> the hyper-parameters in which it differs from omikuji's defaults."""

TREES_FOLDER = "trees"
"""Where a run's folder keeps them."""

LABELS_FILE = "n_labels.txt"


@dataclass(frozen=True, slots=True)
class TreeSearch:
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

    def predict(self, documents: Sequence[LabelledDocument], search: TreeSearch) -> Matrix:
        """Return scores of shape (n_documents, n_labels); 0 where the search did not come."""
        return self.read([row.document for row in documents], search)

    def read(self, documents: Sequence[Document], search: TreeSearch) -> Matrix:
        """Return the same of documents without labels."""
        return self.predict_features(self._features.transform(documents), search)

    def predict_features(self, x: sp.csr_matrix, search: TreeSearch) -> Matrix:
        """Return scores from features that were computed before."""
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

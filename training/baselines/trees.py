"""Trees of linear classifiers (omikuji) over TF-IDF: the peer that a guided encoder must beat.

Source: Prabhu et al. (2018), Parabel; Khandagale et al. (2020), Bonsai; settings as in Annif, whose
TF-IDF mixin (https://annif.org) was read, not copied: stemmed words and pairs of them; min_df 2.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import omikuji
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

from core.boundaries import MEASUREMENT_FILES
from core.documents.document import Document
from core.errors import ConfigError
from core.model.terms import StemmedWords
from training.baselines.features import WordFeatures
from training.baselines.run_folder import clear, judged_documents, write_baseline_facts
from training.corpora.sampling import training_documents
from training.judging.folders import JudgedData
from training.judging.scores import Matrix, Scores


class TextFeatures(WordFeatures):
    """TF-IDF features of stemmed words and pairs, fitted on the training documents alone.

    Args:
        max_characters: how much of title and text is read; 0 for all.
    """

    def __init__(self, max_characters: int = 0) -> None:
        self._max_characters = max_characters
        self._vectorizer = TfidfVectorizer(
            tokenizer=StemmedWords(),
            token_pattern=None,
            lowercase=False,
            ngram_range=(1, 2),
            min_df=2,
        )

    def save(self, folder: Path) -> None:
        """Write the terms and their weights, without code: words.txt, idf.npy, reading.json."""
        terms, idf = self.learned()
        (folder / "words.txt").write_text("".join(f"{t}\n" for t in terms), encoding="utf-8")
        np.save(folder / "idf.npy", idf, allow_pickle=False)
        reading = {"max_characters": self._max_characters}
        (folder / "reading.json").write_text(json.dumps(reading) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> TextFeatures:
        """Read what `save` wrote.

        Raises:
            ConfigError: a file is missing or damaged.
        """
        no_words = "{folder} holds no words of a baseline ({reason})."
        with MEASUREMENT_FILES.translated(no_words, folder=folder):
            features = cls(
                json.loads((folder / "reading.json").read_text("utf-8"))["max_characters"]
            )
            terms = (folder / "words.txt").read_text("utf-8").split("\n")[:-1]
            features.restore(terms, np.load(folder / "idf.npy", allow_pickle=False))
        return features

    def _texts(self, documents: Sequence[Document]) -> list[str]:
        return [text[: self._max_characters or None] for text in super()._texts(documents)]


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


@dataclass(frozen=True, slots=True)
class TreeBaseline:
    """One forest of three trees, from texts to a score for each label."""

    features: TextFeatures
    model: omikuji.Model
    n_labels: int

    @classmethod
    def fitted(
        cls,
        tree: str,
        features: TextFeatures,
        x: sp.csr_matrix,
        labels: sp.csr_matrix,
        *,
        n_threads: int = 1,
    ) -> TreeBaseline:
        """Learn from rows of features that were fitted before, and labels; both by document.

        Args:
            tree: a key of `TREES`.
        Raises:
            ConfigError: no document has both a label and a word.
        """
        params = omikuji.Model.default_hyper_param()
        for name, value in TREES[tree].items():
            setattr(params, name, value)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "train.txt"
            if not write_extreme_classification(path, x, labels):
                raise ConfigError("No training document has both a label and a word.")
            model = omikuji.Model.train_on_data(str(path), params, n_threads=n_threads)
        model.init_prediction_thread_pool(n_threads)
        return cls(features, model, int(labels.shape[1]))

    def save(self, folder: Path) -> int:
        """Write the trees, the terms and the number of labels; returns their bytes."""
        place = folder / TREES_FOLDER
        if place.exists():
            shutil.rmtree(place)
        self.model.save(str(place))
        self.features.save(place)
        (place / LABELS_FILE).write_text(f"{self.n_labels}\n", encoding="ascii")
        return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())

    @classmethod
    def load(cls, folder: Path) -> TreeBaseline:
        """Read what `save` wrote.

        Raises:
            ConfigError: the trees are not there, or damaged.
        """
        place = folder / TREES_FOLDER
        features = TextFeatures.load(place)
        try:
            n_labels = int((place / LABELS_FILE).read_text("ascii"))
            model = omikuji.Model.load(str(place))
        except (RuntimeError, OSError, ValueError) as error:
            raise ConfigError(f"{place} holds no trees ({error}).") from error
        model.init_prediction_thread_pool(1)
        return cls(features, model, n_labels)

    def predict(self, documents: Sequence[Document], search: TreeSearch) -> Matrix:
        """Return scores of shape (n_documents, n_labels); 0 where the search did not come."""
        x = self.features.transform(documents)
        scores = np.zeros((x.shape[0], self.n_labels), dtype=np.float16)
        for row in range(x.shape[0]):
            start, end = x.indptr[row], x.indptr[row + 1]
            pairs = list(
                zip(x.indices[start:end].tolist(), x.data[start:end].tolist(), strict=True)
            )
            if not pairs:
                continue
            predictions = self.model.predict(pairs, beam_size=search.beam_size, top_k=search.top_k)
            columns, values = zip(*predictions, strict=True)
            scores[row, list(columns)] = values
        return scores


def write_extreme_classification(path: Path, x: sp.csr_matrix, labels: sp.csr_matrix) -> int:
    """Write features and labels as the Extreme Classification Repository has them.

    Returns:
        How many rows were written; those without a label or without a word are left out.
    """
    x, labels = sp.csr_matrix(x), sp.csr_matrix(labels)
    x.sort_indices()
    rows = np.flatnonzero((np.diff(x.indptr) > 0) & (np.diff(labels.indptr) > 0))
    with path.open("wb") as file:
        file.write(f"{len(rows)} {x.shape[1]} {labels.shape[1]}\n".encode("ascii"))
        if len(rows):
            dump_svmlight_file(x[rows], labels[rows], file, multilabel=True)
    return len(rows)


# ---------------------------------------------------------------------- a run

MATRIX_OF_LABELS = {"assigned": "assigned", "augmented": "levels"}
"""Labels that are learned -> the matrix of the scores that they fill."""

SEARCHES = {"assigned": TreeSearch(beam_size=10, top_k=100), "augmented": TreeSearch(beam_size=20)}


@dataclass(frozen=True, slots=True)
class BaselineConfig:
    """What decides a baseline.

    Attributes:
        tree: "parabel" or "bonsai".
        labels: "assigned", "augmented" (with all that is broader), or both.
        max_characters: how much of title and text is read; 0 for all. 5,000 is better on the full
            texts of dev than all (nDCG@5 0.672 against 0.631) and the same on titles.
        seed: of what is drawn from the corpus where it is cut; omikuji itself takes none, so two
            runs differ by a few tenths of a point.
    """

    tree: str = "bonsai"
    labels: tuple[str, ...] = ("assigned", "augmented")
    depth: int = 6
    max_characters: int = 5000
    n_threads: int = 1
    seed: int = 1


def run_baseline(config: BaselineConfig, data: JudgedData, out: Path, *, command: str = "") -> Path:
    """Fit on train, score dev and test.

    Writes the trees of the assigned labels, scores_dev.npz and scores_test.npz, the same with
    _title_alone for full texts read by their titles alone, and, last, run.json.
    """
    clear(out)
    started = time.monotonic()
    features = TextFeatures(config.max_characters)
    learned = training_documents(data.corpus, data.source, config.seed)
    x = features.fit([row.document for row in learned])
    minutes = {"features": _minutes_since(started)}
    documents = judged_documents(data.corpus)
    matrices: dict[str, dict[str, Matrix]] = {name: {} for name in documents}
    scores_kept: dict[str, int] = {}
    for labels in config.labels:
        started = time.monotonic()
        y = _labels(data, [row.assigned for row in learned], labels, config.depth)
        baseline = TreeBaseline.fitted(config.tree, features, x, y, n_threads=config.n_threads)
        for name, rows in documents.items():
            matrix = baseline.predict([row.document for row in rows], SEARCHES[labels])
            matrices[name][MATRIX_OF_LABELS[labels]] = matrix
            # Saved after each kind: the second takes many times longer than the first.
            ids = tuple(row.document_id for row in rows)
            Scores(ids, **matrices[name]).save(out / f"scores_{name}.npz")
        minutes[labels] = _minutes_since(started)
        if labels == "assigned":
            scores_kept["bytes"] = baseline.save(out)
    facts = {
        "name": f"omikuji-{config.tree}",
        "command": command,
        "config": asdict(config),
        "minutes": round(sum(minutes.values()), 2),
        "minutes_by_part": minutes,
        "documents_seen": len(learned),
        "training_documents": len(learned),
        **scores_kept,
    }
    write_baseline_facts(out, data, facts, packages=("omikuji", "scikit-learn", "PyStemmer"))
    return out


def _labels(
    data: JudgedData, assigned: Sequence[Sequence[str]], labels: str, depth: int
) -> sp.csr_matrix:
    label_space = data.label_space
    if labels == "assigned":
        return label_space.encode(assigned, augmented=False)
    learned = sp.diags((label_space.levels <= depth).astype("float32"))
    matrix = sp.csr_matrix(label_space.encode(assigned, augmented=True) @ learned)
    matrix.eliminate_zeros()
    return matrix


def _minutes_since(started: float) -> float:
    return round((time.monotonic() - started) / 60, 2)

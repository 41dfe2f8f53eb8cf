"""The scores of every document of a split, and the threshold from which a label is predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core import metrics
from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError
from core.vocabulary.labels import LabelSpace
from training.judging.recorded import replacing

Matrix = npt.NDArray[np.float16] | npt.NDArray[np.float32]

FEW_COLUMNS = 1_000
"""Scores of up to so many columns stay in fp32: areas under the ROC curve need the digits."""

MATRICES = ("levels", "assigned", "branch")


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of documents for concepts: bigger is better, 0 to 1 like a probability.

    Every matrix has shape (n_documents, n_columns), columns in label-space order, and -inf where
    the head does not score a column. float16 keeps three digits, which rank thousands of columns as
    well as more do; where there are few columns, float32 costs nothing.

    Attributes:
        document_ids: one a row.
        levels: of the level heads, for augmented labels.
        assigned: of the assigned head.
        branch: coherent branch probabilities, where they were computed.
    """

    document_ids: tuple[str, ...]
    levels: Matrix | None = None
    assigned: Matrix | None = None
    branch: Matrix | None = None

    def __post_init__(self) -> None:
        matrices = self.matrices()
        if not matrices:
            raise ConfigError("Scores need at least one matrix: levels, assigned or branch.")
        shapes = {matrix.shape for matrix in matrices.values()}
        if len(shapes) > 1 or next(iter(shapes))[0] != len(self.document_ids):
            raise ConfigError(
                f"Scores of {len(self.document_ids)} documents have matrices of shapes "
                f"{sorted(shapes)}: they must agree."
            )

    def matrices(self) -> dict[str, Matrix]:
        """Return the matrices that are there, by name."""
        matrices = {name: getattr(self, name) for name in MATRICES}
        return {name: matrix for name, matrix in matrices.items() if matrix is not None}

    def rows(self, document_ids: Sequence[str]) -> Scores:
        """Return the scores of some documents, in the order asked for.

        Raises:
            ConfigError: a document has no scores.
        """
        row_of = {document_id: row for row, document_id in enumerate(self.document_ids)}
        missing = [document_id for document_id in document_ids if document_id not in row_of]
        if missing:
            raise ConfigError(
                f"{len(missing):,} documents have no scores, the first is {missing[0]}: "
                "the scores were made from other data."
            )
        rows = np.array([row_of[document_id] for document_id in document_ids], dtype=np.intp)
        picked = {name: matrix[rows] for name, matrix in self.matrices().items()}
        return Scores(tuple(document_ids), **picked)

    def save(self, path: Path) -> None:
        """Write a compressed .npz, whole or not at all."""
        with replacing(path) as part, part.open("wb") as file:
            np.savez_compressed(
                file,
                document_ids=np.array(self.document_ids, dtype=np.str_),
                allow_pickle=False,
                **self.matrices(),
            )

    @classmethod
    def load(cls, path: Path) -> Scores:
        """Read what `save` wrote.

        Raises:
            ConfigError: the file is missing or is not a scores file.
        """
        with (
            MEASUREMENT_FILES.translated("{path} is not a file of scores ({reason}).", path=path),
            path.open("rb") as raw,
            np.load(raw, allow_pickle=False) as file,
        ):
            document_ids = tuple(str(document_id) for document_id in file["document_ids"])
            matrices = {name: file[name] for name in MATRICES if name in file}
        return cls(document_ids, **matrices)


def joined(parts: Sequence[Scores]) -> Scores:
    """Return the scores of several lots of documents, one below the other; none is an error."""
    names = parts[0].matrices()
    matrices = {name: np.concatenate([part.matrices()[name] for part in parts]) for name in names}
    return Scores(tuple(i for part in parts for i in part.document_ids), **matrices)


def in_all_columns(scores: Matrix, label_space: LabelSpace) -> npt.NDArray[np.float32]:
    """Return scores of the assignable concepts in the columns of all; 0 of the others."""
    whole = np.zeros((len(scores), len(label_space)), dtype=np.float32)
    whole[:, label_space.assignable] = scores
    return whole


CONSIDERED_PER_DOCUMENT = 30
"""Best scores of each document among which a threshold is looked for; acts have 7 descriptors."""


@dataclass(frozen=True, slots=True)
class Predictions:
    """Gold and predicted descriptors of every document, in all columns of the label space."""

    gold: sp.csr_matrix
    predicted: sp.csr_matrix
    closure: sp.csr_matrix

    @classmethod
    def of(
        cls,
        matrix: Matrix,
        assigned: Sequence[Sequence[str]],
        label_space: LabelSpace,
        threshold: float,
    ) -> Predictions:
        """Cut the scores of the assigned head, shape (n_documents, n_columns), at a threshold."""
        gold = label_space.encode(assigned, augmented=False)
        chosen = (matrix >= matrix.dtype.type(threshold)) & label_space.assignable
        closure = metrics.ancestor_closure(label_space.broader_pairs, len(label_space))
        return cls(gold, sp.csr_matrix(chosen), closure)

    def measures(self, mask: npt.NDArray[np.bool_]) -> dict[str, float]:
        """Return micro, macro and hierarchical F1 of some documents, counted over them together."""
        if not mask.any():
            return dict.fromkeys(("micro_f1", "macro_f1", *HIERARCHICAL), float("nan"))
        gold, predicted = self.gold[mask], self.predicted[mask]
        counts = metrics.hierarchical_counts(gold, predicted, self.closure)
        return {
            "micro_f1": metrics.micro_f1(gold, predicted),
            "macro_f1": metrics.macro_f1(gold, predicted),
            **{name: float(measure(counts)) for name, measure in HIERARCHICAL.items()},
        }


HIERARCHICAL = {
    "hierarchical_precision": metrics.Counts.precision,
    "hierarchical_recall": metrics.Counts.recall,
    "hierarchical_f1": metrics.Counts.f1,
}


def tune_threshold(
    matrix: Matrix, assigned: Sequence[Sequence[str]], label_space: LabelSpace
) -> float:
    """Return the score that cuts best by micro F1; tune it on dev, and judge elsewhere.

    Args:
        matrix: scores of the assigned head, shape (n_documents, n_columns).
    Returns:
        One threshold for all descriptors: a descriptor counts from this score on.
    """
    offered = np.where(label_space.assignable, matrix.astype(np.float32), -np.inf)
    columns = metrics.top_columns(offered, min(CONSIDERED_PER_DOCUMENT, offered.shape[1]))
    gold = label_space.encode(assigned, augmented=False)
    rows = np.arange(len(offered))[:, None]
    hits = np.asarray(gold.toarray()[rows, columns]).ravel()
    return metrics.best_f1_threshold(hits, offered[rows, columns].ravel(), n_gold=int(gold.nnz))

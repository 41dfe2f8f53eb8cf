"""What indexed documents say: how often each concept was assigned, where its label stood, and which
documents read alike. A bundle keeps it in `indexed.safetensors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from safetensors import safe_open
from safetensors.numpy import save_file

from core.model.bundle.manifest import BUNDLE
from core.model.terms import unit_rows
from core.suggest.calibration import logits
from core.suggest.ranking.decided import SimilarRows, column_sums, smoothed

Array = npt.NDArray[np.float32]
Tensors = Mapping[str, npt.NDArray[np.generic]]

FILE = "indexed.safetensors"
FORMAT = "strata-indexed-1"
_RARE = 5.0  # documents that a concept is thought to have without any other, in co-occurrence
_PRIOR_RIGHT, _STRENGTH = 0.1, 4.0  # as `smoothed` has them


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """How often labels stood in indexed documents, and how often the concept was assigned there.

    Every array has one number for each assignable concept.

    Attributes:
        n_titles, n_texts: documents whose title, or text, was looked at.
        in_titles, in_texts: of them, those where a label stands and is in no longer label.
        right_titles, right_texts: of those, where the concept was assigned.
    """

    n_titles: int
    n_texts: int
    in_titles: Array
    right_titles: Array
    in_texts: Array
    right_texts: Array

    def right(self) -> dict[str, Array]:
        """Return by field how likely each concept is assigned where its label stands."""
        return {
            "title": smoothed(self.right_titles, self.in_titles, _PRIOR_RIGHT, _STRENGTH),
            "text": smoothed(self.right_texts, self.in_texts, _PRIOR_RIGHT, _STRENGTH),
        }


@dataclass(frozen=True)
class IndexedDocuments:
    """Documents that people indexed, and what is counted over them.

    Attributes:
        assigned: ones, (n_documents, n_assignable).
        vectors: TF-IDF rows of length 1, (n_documents, n_terms).
        is_recent: which are of the last years, (n_documents,).
        labels: where labels stood.
    """

    assigned: sp.csr_matrix
    vectors: sp.csr_matrix
    is_recent: npt.NDArray[np.bool_]
    labels: LabelCounts

    @cached_property
    def n_assigned(self) -> Array:
        """How many documents have each concept, (n_assignable,)."""
        return column_sums(self.assigned)

    @cached_property
    def columns(self) -> dict[str, Array]:
        """What they say of concepts whatever the document at hand, as features by name."""
        labels, right = self.labels, self.labels.right()
        n_recent = column_sums(self.assigned[np.flatnonzero(self.is_recent)])
        return {
            "right_in_titles": logits(right["title"]),
            "right_in_texts": logits(right["text"]),
            "rarity_in_titles": np.log(labels.in_titles / max(labels.n_titles, 1) + 1e-5),
            "rarity_in_texts": labels.in_texts / max(labels.n_texts, 1),
            "frequency": np.log1p(self.n_assigned),
            "recent_frequency": np.log1p(n_recent / max(float(n_recent.sum()), 1.0) * 1e5),
        }

    def similar(self, vector: sp.csr_matrix, number: int) -> SimilarRows:
        """Return the documents most like one, in no particular order.

        Args:
            vector: of it, (1, n_terms).
        """
        cosines = (vector @ self.by_term).toarray()[0]
        best = highest(cosines, number)
        best = best[cosines[best] > 0]
        return SimilarRows(best, cosines[best])

    @cached_property
    def together(self) -> sp.csr_matrix:
        """The share of a row's concept's documents that have the column's, for rare ones less."""
        counts = sp.csr_matrix(self.assigned.T @ self.assigned)
        counts.setdiag(0)
        counts.eliminate_zeros()
        return sp.csr_matrix(sp.diags(1 / (self.n_assigned + _RARE)) @ counts, dtype=np.float32)

    @cached_property
    def by_term(self) -> sp.csr_matrix:
        """The vectors with a row a term: few of the rows are read for a document."""
        return sp.csr_matrix(self.vectors.T)

    def joined(self, later: IndexedDocuments, *, still_recent: bool) -> IndexedDocuments:
        """Return these documents with later ones of the same concepts and terms.

        Args:
            still_recent: whether those of these that are recent still are.
        """
        labels, later_labels = asdict(self.labels), asdict(later.labels)
        return IndexedDocuments(
            assigned=sp.csr_matrix(sp.vstack([self.assigned, later.assigned])),
            vectors=stacked([self.vectors, later.vectors]),
            is_recent=np.concatenate([self.is_recent & still_recent, later.is_recent]),
            labels=LabelCounts(**{name: labels[name] + later_labels[name] for name in labels}),
        )

    def save(self, directory: Path) -> None:
        """Write `indexed.safetensors`; weights of terms in eight bits."""
        vectors = self.vectors
        tensors = {
            "assigned_ends": self.assigned.indptr.astype(np.int32),
            "assigned": _smallest(self.assigned),
            "terms_ends": vectors.indptr.astype(np.int32),
            "terms": _smallest(vectors),
            "weights": np.rint(vectors.data * 255).astype(np.uint8),
            "is_recent": self.is_recent.astype(np.uint8),
        }
        for name, counts in asdict(self.labels).items():
            tensors[f"labels_{name}"] = np.atleast_1d(np.asarray(counts, dtype=np.float32))
        facts = {
            "format": FORMAT,
            "n_concepts": str(self.assigned.shape[1]),
            "n_terms": str(vectors.shape[1]),
        }
        save_file(
            {name: np.ascontiguousarray(value) for name, value in tensors.items()},
            directory / FILE,
            metadata=facts,
        )

    @classmethod
    def load(cls, directory: Path, *, n_concepts: int, n_terms: int) -> IndexedDocuments:
        """Read what `save` wrote.

        Raises:
            BundleError: the file is missing or damaged, or is of other concepts or terms.
        """
        with BUNDLE.translated(
            "The indexed documents in {directory} are damaged ({reason}). Get the bundle again.",
            directory=directory,
        ):
            with safe_open(directory / FILE, framework="numpy") as file:
                facts = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            expected = {"format": FORMAT, "n_concepts": str(n_concepts), "n_terms": str(n_terms)}
            if facts != expected:
                raise ValueError(f"it says {facts}, not {expected}")
            return cls(
                assigned=_rows(tensors, "assigned", n_concepts),
                vectors=_rows(tensors, "terms", n_terms, weights="weights"),
                is_recent=tensors["is_recent"].astype(bool),
                labels=_label_counts(tensors, n_concepts),
            )


def _label_counts(tensors: Tensors, n_concepts: int) -> LabelCounts:
    counts: dict[str, Array] = {
        part.name: np.asarray(tensors[f"labels_{part.name}"], dtype=np.float32)
        for part in fields(LabelCounts)
    }
    sizes = {name: len(value) for name, value in counts.items()}
    if wrong := [name for name, n in sizes.items() if n != (1 if name[:2] == "n_" else n_concepts)]:
        raise ValueError(f"labels_{wrong[0]} has another length")
    n_titles, n_texts = (int(counts.pop(name)[0]) for name in ("n_titles", "n_texts"))
    return LabelCounts(n_titles, n_texts, **counts)


def _rows(tensors: Tensors, name: str, n_columns: int, *, weights: str = "") -> sp.csr_matrix:
    """Return the sparse rows whose columns are kept under a name: of ones, or of unit length."""
    columns, ends = tensors[name].astype(np.int32), tensors[f"{name}_ends"].astype(np.int64)
    if len(columns) and int(columns.max()) >= n_columns:
        raise ValueError(f"{name} names columns that are not there")
    if len(ends) < 1 or ends[0] or ends[-1] != len(columns) or (np.diff(ends) < 0).any():
        raise ValueError(f"{name}_ends are not where rows end")
    data = tensors[weights].astype(np.float32) if weights else np.ones(len(columns), np.float32)
    rows = sp.csr_matrix((data, columns, ends), shape=(len(ends) - 1, n_columns))
    return unit_rows(rows) if weights else rows


def highest(scores: Array, number: int) -> npt.NDArray[np.int64]:
    """Return where the highest scores are, in no particular order."""
    if number >= len(scores):
        return np.arange(len(scores))
    return np.argpartition(-scores, number)[:number]


def stacked(rows: Sequence[sp.csr_matrix]) -> sp.csr_matrix:
    """Return rows of one length on top of each other."""
    return sp.csr_matrix(sp.vstack(list(rows), format="csr"), dtype=np.float32)


def _smallest(rows: sp.csr_matrix) -> npt.NDArray[np.generic]:
    columns: npt.NDArray[np.generic] = rows.indices.astype(np.min_scalar_type(rows.shape[1]))
    return columns

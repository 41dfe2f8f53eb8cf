"""Names of labels as weights of a linear suggester, for labels that few documents have.

A label's name, and each other wording of it, is a short text whose TF-IDF vector points where
documents about the label point. The mean of these vectors, times one factor for all labels, is added
to what was learned, and so are the terms of the names that no training document has. The factor is the
one that ranks dev documents best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.model.sparse_linear import SparseLinear
from core.model.terms import StemmedTerms, TermVectors
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.judging.coded import CodedDocuments, average_precision

FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
MAX_NAMES = 12
"""Wordings of a label that are read."""


def with_names(
    linear: SparseLinear, dev: Sequence[LabelledDocument], label_space: LabelSpace
) -> tuple[SparseLinear, float]:
    """The suggester with the names of its labels in it, and the factor that dev chose."""
    names = _names(label_space)
    vectors = _with_terms(linear.vectors, names)
    learned = sp.csr_matrix(linear.weights)
    learned.resize(len(vectors), learned.shape[1])
    spoken = name_vectors(vectors, names)
    candidates = {
        factor: replace(linear, vectors=vectors, weights=sp.csr_matrix(learned + factor * spoken))
        for factor in FACTORS
    }
    quality = {factor: _quality(one, dev, label_space) for factor, one in candidates.items()}
    best = max(FACTORS, key=lambda factor: (quality[factor], -factor))
    return candidates[best], best


def name_vectors(vectors: TermVectors, names: Sequence[Sequence[str]]) -> sp.csr_matrix:
    """The mean TF-IDF vector of each label's wordings, shape (n_terms, n_labels)."""
    columns = []
    for wordings in names:
        rows = sp.vstack([vectors(text) for text in wordings])
        columns.append(sp.csr_matrix(rows.mean(axis=0)))
    return sp.csr_matrix(sp.vstack(columns).T, dtype=np.float32)


def _names(label_space: LabelSpace) -> list[list[str]]:
    """Preferred and alternative labels of what is assignable, in the order of its columns."""
    concepts = [
        label_space.hierarchy[label_space.concept_ids[column]]
        for column in np.flatnonzero(label_space.assignable)
    ]
    return [[c.label(), *c.alt_labels.get("en", ())][:MAX_NAMES] for c in concepts]


def _with_terms(vectors: TermVectors, names: Sequence[Sequence[str]]) -> TermVectors:
    """The known terms, and behind them those of the names alone, as rare as any."""
    cut = StemmedTerms()
    spoken = {term for wordings in names for text in wordings for term in cut(text)}
    new = sorted(spoken - set(vectors.terms))
    rarest = float(vectors.idf.max()) if len(vectors.idf) else 1.0
    return TermVectors(
        [*vectors.terms, *new], np.concatenate([vectors.idf, np.full(len(new), rarest)])
    )


def _quality(
    linear: SparseLinear, dev: Sequence[LabelledDocument], label_space: LabelSpace
) -> float:
    """Mean average precision on dev."""
    margins = np.stack([linear.margins(row.document.title, row.document.text) for row in dev])
    codes = [label_space.concept_ids[i] for i in np.flatnonzero(label_space.assignable)]
    judged = CodedDocuments(
        tuple(row.document_id for row in dev),
        tuple(codes),
        _positive(margins),
        tuple(frozenset(row.assigned) for row in dev),
    )
    return float(np.nanmean(average_precision(judged)))


def _positive(margins: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    return margins.astype(np.float64) - float(margins.min())

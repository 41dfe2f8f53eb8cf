"""Figures of agreement with their intervals: of all documents, and by pair, branch, level and week.

Intervals hold 95 % of the values of resampled documents; a document is drawn with all of its
annotations. Samples in which a figure is undefined are left out.

Source: Efron and Tibshirani (1993), chapter 13; Zapf et al. (2016) for Krippendorff's alpha.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.agreement.annotations import AnnotationTable
from core.metrics import Array, Values
from core.vocabulary.concepts import Hierarchy

NOBODY_TWICE = "no document has two annotations"
ONE_DOCUMENT = "one document only"
ALL_THE_SAME = "all annotations are the same, so nothing shows what chance would do"
NOBODY_USED = "nobody used it"
ALL_USED = "all used it on every document"
COLUMNS_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How documents are resampled; the same seed gives the same intervals.

    Attributes:
        most_documents: of more, alpha is that of so many drawn at random, as it compares each
            document with each other; its `n_documents` says so.
    """

    n_resamples: int = 1000
    seed: int = 0
    most_documents: int = 2000

    def times(self, n_documents: int) -> Values:
        """Return how often each document counts: once in the first row, then as it was drawn."""
        drawn = metrics.times_drawn(n_documents, self.n_resamples, self.seed)
        return np.vstack([np.ones((1, n_documents)), drawn])


DEFAULT = Bootstrap()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval of 95 %.

    Attributes:
        value, low, high: None where there is nothing to measure, or no interval.
        reason: why, in words; else "".
    """

    value: float | None
    low: float | None
    high: float | None
    n_documents: int
    reason: str = ""

    @classmethod
    def none(cls, n_documents: int, reason: str) -> Estimate:
        """Return a figure that has nothing to measure."""
        return cls(None, None, None, n_documents, reason)

    @classmethod
    def of(cls, samples: npt.ArrayLike, n_documents: int, undefined: str) -> Estimate:
        """Return a figure from its own value and those of resampled documents, in this order."""
        value, *resampled = np.asarray(samples, dtype=np.float64)
        if np.isnan(value):
            return cls.none(n_documents, undefined)
        defined = np.array(resampled)[~np.isnan(resampled)]
        if n_documents < 2 or not len(defined):
            return cls(float(value), None, None, n_documents, ONE_DOCUMENT)
        low, high = np.quantile(defined, [0.025, 0.975])
        return cls(float(value), float(low), float(high), n_documents)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree on some documents.

    Attributes:
        key: what the documents have in common: two annotators, a concept at the top of a branch, a
            level or a week; nothing for all.
        alpha_masi, alpha_tree: Krippendorff's alpha over sets, with MASI distance, and with
            Jaccard's distance of the sets with all their ancestors.
        f1, exact: of each two annotations, F1 and whether they are the same, averaged over a
            document, then over documents.
    """

    key: tuple[str, ...]
    alpha_masi: Estimate
    alpha_tree: Estimate
    f1: Estimate
    exact: Estimate


def agreement(
    table: AnnotationTable, *, key: tuple[str, ...] = (), bootstrap: Bootstrap = DEFAULT
) -> Agreement:
    """Measure agreement over all documents of a table, those without any concept among them."""
    first, second, document = table.comparisons()
    a, b = table.sets[first], table.sets[second]
    is_same = ((a != b).getnnz(axis=1) == 0).astype(float)
    augmented = metrics.augment(table.sets, table.closure)
    return Agreement(
        key,
        _alpha(table, table.sets, metrics.masi_distances, bootstrap),
        _alpha(table, augmented, metrics.jaccard_distances, bootstrap),
        mean_over_documents(metrics.pairwise_f1(a, b), document, bootstrap),
        mean_over_documents(is_same, document, bootstrap),
    )


def _alpha(
    table: AnnotationTable,
    sets: sparse.csr_matrix,
    distance: metrics.Distance,
    bootstrap: Bootstrap,
) -> Estimate:
    if table.n_documents < 2:
        # Chance is then measured on the very pairs that are observed: alpha is 0 whatever they are.
        return Estimate.none(table.n_documents, ONE_DOCUMENT if table.n_documents else NOBODY_TWICE)
    order = np.random.default_rng(bootstrap.seed).permutation(table.n_documents)
    rows = np.flatnonzero(order[table.document] < bootstrap.most_documents)
    _, document = np.unique(table.document[rows], return_inverse=True)
    distances = metrics.distances_of_documents(sets[rows], document, distance)
    times = bootstrap.times(len(distances))
    samples = metrics.krippendorff_alpha(distances, np.bincount(document), times)
    return Estimate.of(samples, len(distances), ALL_THE_SAME)


def mean_over_documents(
    values: Values, document: Array, bootstrap: Bootstrap, *, undefined: str = NOBODY_TWICE
) -> Estimate:
    """Average values over each document, then over documents.

    Args:
        document: of each value; shape (n_values,).
        undefined: the reason where there is none.
    """
    _, number, counts = np.unique(document, return_inverse=True, return_counts=True)
    if not len(counts):
        return Estimate.none(0, undefined)
    samples = bootstrap.times(len(counts)) @ (np.bincount(number, values) / counts) / len(counts)
    return Estimate.of(np.round(samples, 12), len(counts), undefined)


def by_pair(table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT) -> list[Agreement]:
    """Return a row for each two people who annotated the same documents."""
    rows = []
    for two in combinations(range(len(table.annotators)), 2):
        theirs = table.of_rows(np.isin(table.annotator, two))
        if theirs.n_documents:
            key = tuple(table.annotators[number] for number in two)
            rows.append(agreement(theirs, key=key, bootstrap=bootstrap))
    return rows


def by_week(table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT) -> list[Agreement]:
    """Return a row for each week, the oldest first."""
    week_of_row = np.array(table.weeks, dtype=str)[table.document]
    return [
        agreement(table.of_rows(week_of_row == week), key=(str(week),), bootstrap=bootstrap)
        for week in np.unique(week_of_row)
    ]


def by_branch(
    table: AnnotationTable, hierarchy: Hierarchy, *, bootstrap: Bootstrap = DEFAULT
) -> list[Agreement]:
    """Return a row for each top concept, of the documents on which somebody used its branch."""
    closure, ids = table.closure.tocsc(), table.concept_ids
    tops = [n for n, i in enumerate(ids) if i in hierarchy and not hierarchy.broader(i)]
    groups = ((ids[top], np.append(closure[:, [top]].indices, top)) for top in tops)
    return list(_of_columns(table, table.sets, groups, bootstrap))


def by_level(
    table: AnnotationTable, hierarchy: Hierarchy, *, bootstrap: Bootstrap = DEFAULT
) -> list[Agreement]:
    """Return a row for each level, of what documents have there or, by descendants, below."""
    ids = table.concept_ids
    levels = np.array([hierarchy.level(i) if i in hierarchy else 0 for i in ids], dtype=int)
    groups = ((str(n), np.flatnonzero(levels == n)) for n in range(1, levels.max(initial=0) + 1))
    augmented = metrics.augment(table.sets, table.closure)
    return list(_of_columns(table, augmented, groups, bootstrap))


def _of_columns(
    table: AnnotationTable,
    sets: sparse.csr_matrix,
    groups: Iterable[tuple[str, Array]],
    bootstrap: Bootstrap,
) -> Iterator[Agreement]:
    for name, columns in groups:
        kept = (np.ones(len(columns), bool), (columns, columns))
        part = table.with_sets(sets @ sparse.csr_matrix(kept, shape=table.closure.shape))
        if part.n_documents:
            yield agreement(part, key=(name,), bootstrap=bootstrap)


@dataclass(frozen=True, slots=True)
class ConceptAgreement:
    """How far people agree on one concept.

    Attributes:
        kappa: Cohen's; of several pairs of people, by their documents.
        prevalence: the share of annotations that have the concept. Where it is near 0 or 1, kappa
            is low though people seldom differ.
        n_used: these annotations.
    """

    concept_id: str
    kappa: Estimate
    prevalence: float
    n_used: int


def by_concept(table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT) -> list[ConceptAgreement]:
    """Return a row for each concept that somebody used."""
    n_annotations = table.sets.getnnz(axis=0).tolist()
    used = {i: n for i, n in zip(table.concept_ids, n_annotations, strict=True) if n}
    kappas = _kappas(table, list(used), bootstrap)
    return [
        ConceptAgreement(i, kappa, n / len(table.document), n)
        for (i, n), kappa in zip(used.items(), kappas, strict=True)
    ]


def _kappas(
    table: AnnotationTable, concept_ids: list[str], bootstrap: Bootstrap
) -> Iterator[Estimate]:
    if table.n_documents < 2:  # as of alpha, it would be 0 or undefined
        yield from [Estimate.none(table.n_documents, ONE_DOCUMENT)] * len(concept_ids)
        return
    number = {concept_id: column for column, concept_id in enumerate(table.concept_ids)}
    first, second, document = table.comparisons()
    pair = table.annotator[first] * len(table.annotators) + table.annotator[second]
    times = bootstrap.times(table.n_documents)[:, document]
    for start in range(0, len(concept_ids), COLUMNS_AT_ONCE):
        sets = table.sets[:, [number[i] for i in concept_ids[start : start + COLUMNS_AT_ONCE]]]
        for samples in metrics.cohen_kappa(sets[first], sets[second], pair, times).T:
            yield Estimate.of(samples, table.n_documents, ALL_USED)

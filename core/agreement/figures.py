"""Figures of agreement with their intervals: of all documents, and by pair, branch, level and week.

Intervals hold 95 % of the values of resampled documents; a document is drawn with all of its
annotations. Samples in which a figure is undefined are left out.

Source: Efron and Tibshirani (1993), chapter 13; Zapf, Castell, Morawietz and Karch (2016) for
Krippendorff's alpha, whose documents are resampled for Dₒ and Dₑ alike.
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

    def times(self, n_documents: int) -> metrics.Values:
        """Return how often each document counts: once in the first row, then as it was drawn."""
        drawn = metrics.times_drawn(n_documents, self.n_resamples, self.seed)
        return np.vstack([np.ones((1, n_documents)), drawn])


DEFAULT = Bootstrap()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval of 95 %.

    Attributes:
        value: None where there is nothing to measure.
        low, high: None where there is no interval.
        reason: why there is no value or no interval, in words; else "".
    """

    value: float | None
    low: float | None
    high: float | None
    n_documents: int
    reason: str = ""

    @classmethod
    def of(
        cls, samples: npt.ArrayLike, n_documents: int, *, undefined: str = NOBODY_TWICE
    ) -> Estimate:
        """Return what a figure and its resampled values come to.

        Args:
            samples: the figure itself first, shape (1 + n_resamples,).
            undefined: the reason where it is NaN.
        """
        value, *resampled = np.asarray(samples, dtype=np.float64)
        if np.isnan(value):
            return cls(None, None, None, n_documents, undefined)
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
        f1: of each two annotations, averaged over a document, then over documents.
        exact: the share of identical sets, averaged likewise.
    """

    key: tuple[str, ...]
    alpha_masi: Estimate
    alpha_tree: Estimate
    f1: Estimate
    exact: Estimate

    @property
    def n_documents(self) -> int:
        """Documents that at least two people annotated."""
        return self.f1.n_documents


def agreement(
    table: AnnotationTable, *, key: tuple[str, ...] = (), bootstrap: Bootstrap = DEFAULT
) -> Agreement:
    """Measure agreement over all documents of a table, those without any concept among them."""
    if not table.n_documents:
        return Agreement(key, *[Estimate(None, None, None, 0, NOBODY_TWICE)] * 4)
    pairs = table.comparisons()
    first, second = table.sets[pairs.first], table.sets[pairs.second]
    is_same = (first != second).getnnz(axis=1) == 0
    return Agreement(
        key,
        _alpha(table, metrics.masi_distances, bootstrap, closure=None),
        _alpha(table, metrics.jaccard_distances, bootstrap, closure=table.closure),
        mean_over_documents(metrics.pairwise_f1(first, second), pairs.document, bootstrap),
        mean_over_documents(is_same.astype(float), pairs.document, bootstrap),
    )


def _alpha(
    table: AnnotationTable,
    distance: metrics.Distance,
    bootstrap: Bootstrap,
    *,
    closure: sparse.csr_matrix | None,
) -> Estimate:
    if table.n_documents < 2:
        # Chance is then measured on the very pairs that are observed: alpha is 0 whatever they are.
        return Estimate(None, None, None, table.n_documents, ONE_DOCUMENT)
    if table.n_documents > bootstrap.most_documents:
        order = np.random.default_rng(bootstrap.seed).permutation(table.n_documents)
        table = table.of_documents(order < bootstrap.most_documents)
    sets = table.sets if closure is None else metrics.augment(table.sets, closure)
    distances = metrics.distances_of_documents(sets, table.document, distance)
    times = bootstrap.times(table.n_documents)
    samples = metrics.krippendorff_alpha(distances, table.n_annotations, times)
    return Estimate.of(samples, table.n_documents, undefined=ALL_THE_SAME)


def mean_over_documents(
    values: metrics.Values,
    document: metrics.Array,
    bootstrap: Bootstrap,
    *,
    undefined: str = NOBODY_USED,
) -> Estimate:
    """Average the values of comparisons over each document, then over documents.

    Args:
        document: of each comparison, shape (n_comparisons,).
        undefined: the reason where there is no comparison.
    """
    _, number, counts = np.unique(document, return_inverse=True, return_counts=True)
    n_documents = len(counts)
    if not n_documents:
        return Estimate(None, None, None, 0, undefined)
    samples = bootstrap.times(n_documents) @ (np.bincount(number, values) / counts) / n_documents
    return Estimate.of(np.round(samples, 12), n_documents)


def by_pair(table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT) -> list[Agreement]:
    """Return a row for each two people who annotated the same documents."""
    rows = []
    for a, b in combinations(range(len(table.annotators)), 2):
        theirs = table.of_rows(np.isin(table.annotator, [a, b]))
        key = (table.annotators[a], table.annotators[b])
        if theirs.n_documents:
            rows.append(agreement(theirs, key=key, bootstrap=bootstrap))
    return rows


def by_week(table: AnnotationTable, *, bootstrap: Bootstrap = DEFAULT) -> list[Agreement]:
    """Return a row for each week, the oldest first."""
    weeks = np.array(table.weeks)
    return [
        agreement(table.of_documents(weeks == week), key=(str(week),), bootstrap=bootstrap)
        for week in np.unique(weeks)
    ]


def by_branch(
    table: AnnotationTable, hierarchy: Hierarchy, *, bootstrap: Bootstrap = DEFAULT
) -> list[Agreement]:
    """Return a row for each top concept, of the documents on which somebody used its branch."""
    closure = table.closure.tocsc()
    tops = [
        n for n, i in enumerate(table.concept_ids) if i in hierarchy and not hierarchy.broader(i)
    ]
    groups = ((table.concept_ids[top], np.append(closure[:, [top]].indices, top)) for top in tops)
    return list(_of_columns(table, table.sets, groups, bootstrap))


def by_level(
    table: AnnotationTable, hierarchy: Hierarchy, *, bootstrap: Bootstrap = DEFAULT
) -> list[Agreement]:
    """Return a row for each level: whether people agree on what the documents have there or below.

    Each assigned concept counts on its own level and, by its ancestors, on those above.
    """
    levels = np.array([hierarchy.level(i) if i in hierarchy else 0 for i in table.concept_ids], int)
    groups = ((str(n), np.flatnonzero(levels == n)) for n in range(1, levels.max(initial=0) + 1))
    augmented = metrics.augment(table.sets, table.closure)
    return list(_of_columns(table, augmented, groups, bootstrap))


def _of_columns(
    table: AnnotationTable,
    sets: sparse.csr_matrix,
    groups: Iterable[tuple[str, metrics.Array]],
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


def by_concept(
    table: AnnotationTable,
    concept_ids: Iterable[str] | None = None,
    *,
    bootstrap: Bootstrap = DEFAULT,
) -> list[ConceptAgreement]:
    """Return a row for each concept that somebody used, or for those that are named."""
    n_used = dict(zip(table.concept_ids, table.sets.getnnz(axis=0).tolist(), strict=True))
    wanted = [i for i, n in n_used.items() if n] if concept_ids is None else list(concept_ids)
    used = [concept_id for concept_id in wanted if n_used.get(concept_id)]
    kappas = dict(zip(used, _kappas(table, used, bootstrap), strict=True))
    missing = NOBODY_USED if table.n_documents else NOBODY_TWICE
    nothing = Estimate(None, None, None, table.n_documents, missing)
    n_rows = max(table.sets.shape[0], 1)
    return [
        ConceptAgreement(i, kappas.get(i, nothing), n_used.get(i, 0) / n_rows, n_used.get(i, 0))
        for i in wanted
    ]


def _kappas(
    table: AnnotationTable, concept_ids: list[str], bootstrap: Bootstrap
) -> Iterator[Estimate]:
    number = {concept_id: column for column, concept_id in enumerate(table.concept_ids)}
    if table.n_documents < 2:  # as of alpha, it would be 0 or undefined
        yield from [Estimate(None, None, None, 1, ONE_DOCUMENT)] * len(concept_ids)
        return
    pairs = table.comparisons()
    times = bootstrap.times(table.n_documents)[:, pairs.document]
    for start in range(0, len(concept_ids), COLUMNS_AT_ONCE):
        columns = [number[i] for i in concept_ids[start : start + COLUMNS_AT_ONCE]]
        sets = table.sets[:, columns]
        samples = metrics.cohen_kappa(sets[pairs.first], sets[pairs.second], pairs.pair, times)
        for values in samples.T:
            yield Estimate.of(values, table.n_documents, undefined=ALL_USED)

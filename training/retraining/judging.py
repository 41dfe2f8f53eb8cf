"""Judges a retrained model beside what serves, on finished documents that neither has learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from core import metrics
from core.review.reports.learning import K, judge_orders
from core.serving.retraining import GroupComparison, ModelComparison
from core.suggest.protocol import FinishedDocument, Suggester
from core.vocabulary.concepts import Hierarchy

Progress = Callable[[int, int], None]

FREQUENCIES = (
    ("never assigned before", 0, 0),
    ("assigned 1 to 9 times", 1, 9),
    ("assigned 10 to 99 times", 10, 99),
    ("assigned 100 times or more", 100, None),
)
MOST_BRANCHES = 12


class _Found(NamedTuple):
    """An assigned concept, and which of the two has it among its first five."""

    concept_id: str
    by_retrained: bool
    by_serving: bool


def compared(
    retrained: Suggester,
    serving: Suggester,
    judged: Sequence[FinishedDocument],
    learned: Sequence[FinishedDocument],
    hierarchy: Hierarchy,
    *,
    on_progress: Progress,
) -> ModelComparison:
    """Compare the first five suggestions of both by what was decided, document by document.

    Args:
        learned: documents that both know, by which concepts are frequent or rare.
        on_progress: is called with (documents read, documents).
    """
    orders: tuple[list[list[str]], list[list[str]]] = ([], [])
    for number, row in enumerate(judged, start=1):
        for suggester, order in zip((retrained, serving), orders, strict=True):
            order.append(
                [found.concept_id for found in suggester.suggest(row.document, limit=K).suggestions]
            )
        on_progress(number, len(judged))
    gold = [row.assigned for row in judged]
    (ndcg, right), (ndcg_serving, right_serving) = (judge_orders(gold, order) for order in orders)
    gain = metrics.paired_bootstrap(ndcg, ndcg_serving, n_resamples=2_000)
    found = [
        _Found(concept, concept in first, concept in second)
        for assigned, first, second in zip(gold, *orders, strict=True)
        for concept in assigned
    ]
    return ModelComparison(
        n_learned=len(learned),
        n_judged=len(judged),
        ndcg=metrics.mean_defined(ndcg),
        ndcg_serving=metrics.mean_defined(ndcg_serving),
        low=gain.low,
        high=gain.high,
        right=K * metrics.mean_defined(right),
        right_serving=K * metrics.mean_defined(right_serving),
        by_branch=tuple(_by_branch(found, hierarchy)),
        by_frequency=tuple(_by_frequency(found, learned)),
    )


def _by_branch(found: Sequence[_Found], hierarchy: Hierarchy) -> Iterable[GroupComparison]:
    """The top concepts with most assigned concepts at and below them."""
    branches: dict[str, list[_Found]] = {}
    for row in found:
        if row.concept_id in hierarchy:
            for top in {path[0] for path in hierarchy.paths(row.concept_id)}:
                branches.setdefault(top, []).append(row)
    largest = sorted(branches, key=lambda top: (-len(branches[top]), top))[:MOST_BRANCHES]
    return (_group(hierarchy[top].label(), branches[top]) for top in largest)


def _by_frequency(
    found: Sequence[_Found], learned: Sequence[FinishedDocument]
) -> Iterable[GroupComparison]:
    counts = Counter(concept for row in learned for concept in row.assigned)
    for name, least, most in FREQUENCIES:
        here = [
            row
            for row in found
            if counts[row.concept_id] >= least and (most is None or counts[row.concept_id] <= most)
        ]
        if here:
            yield _group(name, here)


def _group(name: str, found: Sequence[_Found]) -> GroupComparison:
    return GroupComparison(
        name,
        len(found),
        sum(row.by_retrained for row in found),
        sum(row.by_serving for row in found),
    )

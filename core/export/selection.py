"""What is exported: which documents, and which decisions on them."""

from __future__ import annotations

from dataclasses import dataclass

from core.review.reports.snapshot import ACCEPTED, EXCLUDED, GIVEN, NOT_TAKEN, REJECTED
from core.review.reports.summaries import FINISHED, IN_PROGRESS, NEW

__all__ = [
    "ACCEPTED",
    "DECISIONS",
    "EXCLUDED",
    "FINISHED",
    "GIVEN",
    "IN_PROGRESS",
    "NEW",
    "NOT_TAKEN",
    "PROPOSED",
    "REJECTED",
    "STATUSES",
    "Selection",
]

PROPOSED = "proposed"
DECISIONS = (ACCEPTED, REJECTED, EXCLUDED, NOT_TAKEN, GIVEN)
STATUSES = (NEW, IN_PROGRESS, FINISHED)


@dataclass(frozen=True, slots=True)
class Selection:
    """A choice of documents of a project that are on the list, and of decisions.

    Attributes:
        document_ids: these alone; None for all.
        batch: those that came with this upload; None for all.
        statuses: some of `STATUSES`.
        decisions: some of `DECISIONS`. "not taken" is what was shown and left untouched on a
            finished document; "given" is what came with a document and is not decided yet.
        proposed_terms: whether the terms that people missed in the vocabulary come along.
        project_id: of a project with this vocabulary; None for the vocabulary's oldest.
    """

    document_ids: tuple[str, ...] | None = None
    batch: str | None = None
    statuses: frozenset[str] = frozenset(STATUSES)
    decisions: frozenset[str] = frozenset({ACCEPTED})
    proposed_terms: bool = False
    project_id: int | None = None

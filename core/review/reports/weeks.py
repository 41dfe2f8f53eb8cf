"""What learning and hints brought, week by week, on the documents that were finished then."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select

from core.insights.decisions import week_of
from core.review.decisions.decided import ACCEPTED
from core.review.listed import COUNTED
from core.review.reports.learning import LearningEffect, effect_of, judged_order
from core.review.store.store import Store
from core.review.store.tables import decision, decision_event, document, in_groups

WEEKS = 12
MOST_JUDGED = 100
"""Documents of a week by which learning is judged, those that were finished last."""


@dataclass(slots=True)
class HintCount:
    """How often something was pointed out, and how often a person went there and followed it."""

    shown: int = 0
    taken: int = 0


@dataclass(slots=True)
class WeekEffects:
    """What was brought in one week.

    Attributes:
        learning: None where it took part in no document.
        missed, odd: by kind of hint.
    """

    learning: LearningEffect | None = None
    missed: HintCount = field(default_factory=HintCount)
    odd: HintCount = field(default_factory=HintCount)


def weekly_effects(store: Store, project_id: int, *, last: int = WEEKS) -> dict[str, WeekEffects]:
    """Return what was brought in the last weeks in which something was finished, by ISO week in UTC.

    A hint counts as shown where it stood there until the finish or a person went to it; as taken
    where a person went to it, and what was missed is accepted, or what was odd is not any more.
    """
    with store.read() as connection:
        weeks = _newest(_finished(connection, project_id), last)
        return {week: _effects(connection, moments) for week, moments in weeks.items()}


def _finished(connection: Connection, project_id: int) -> Iterable[tuple[str, datetime]]:
    query = (
        select(document.c.document_id, document.c.finished_at)
        .where(
            document.c.project_id == project_id,
            COUNTED,
            document.c.finished_at.is_not(None),
        )
        .order_by(document.c.finished_at.desc(), document.c.document_id)
    )
    return ((row.document_id, row.finished_at) for row in connection.execute(query))


def _newest(finished: Iterable[tuple[str, datetime]], last: int) -> dict[str, dict[str, datetime]]:
    weeks: defaultdict[str, dict[str, datetime]] = defaultdict(dict)
    for document_id, moment in finished:
        week = week_of(moment)
        if week not in weeks and len(weeks) == last:
            break
        weeks[week][document_id] = moment
    return weeks


def _effects(connection: Connection, moments: Mapping[str, datetime]) -> WeekEffects:
    totals = WeekEffects()
    ids = list(moments)
    judged = (judged_order(connection, document_id) for document_id in ids[:MOST_JUDGED])
    if orders := [order for order in judged if order is not None]:
        totals.learning = effect_of(orders)
    for some in in_groups(ids):
        hints = dict(_hints(connection, some, moments))
        accepted = _accepted(connection, list(hints))
        for document_id, told in hints.items():
            _count(totals, told, accepted[document_id])
    return totals


def _hints(
    connection: Connection, ids: Sequence[str], moments: Mapping[str, datetime]
) -> Iterator[tuple[str, Mapping[str, Sequence[str]]]]:
    """Yield what the finishes that stand say of hints, of documents for which there were some."""
    event = decision_event.c
    query = (
        select(event.document_id, event.decided_at, event.value)
        .where(event.document_id.in_(ids), event.action == "finish", event.value.is_not(None))
        .order_by(event.event_id)
    )
    for row in connection.execute(query):
        if row.decided_at == moments[row.document_id]:
            yield row.document_id, row.value


def _accepted(connection: Connection, ids: Sequence[str]) -> defaultdict[str, set[str]]:
    by_document: defaultdict[str, set[str]] = defaultdict(set)
    query = select(decision.c.document_id, decision.c.concept_id).where(
        decision.c.document_id.in_(ids), decision.c.state == ACCEPTED
    )
    for row in connection.execute(query):
        by_document[row.document_id].add(row.concept_id)
    return by_document


def _count(totals: WeekEffects, told: Mapping[str, Sequence[str]], accepted: set[str]) -> None:
    opened, missed, odd = (set(told.get(name, ())) for name in ("opened", "missed", "odd"))
    totals.missed.shown += len(missed)
    totals.missed.taken += len(missed & opened & accepted)
    totals.odd.shown += len(odd)
    totals.odd.taken += len((odd & opened) - accepted)

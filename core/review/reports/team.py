"""What each person did, week by week, and what waits: for who leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import median

from sqlalchemy import Connection, and_, func, or_, select

from core.insights.decisions import week_of
from core.review.decisions.ledger import STATES
from core.review.decisions.undo import COPY
from core.review.listed import NOT_BLIND, ORIGINAL, WAITING_IDS
from core.review.reports.weeks import WEEKS
from core.review.store.people import SHOWN_NAME
from core.review.store.store import Store
from core.review.store.tables import assignment, decision_event, document, person, undone_event

IDLE = timedelta(minutes=2)
"""Of the time between one event of a person and the next, so much counts at most."""
IN_BIN_IDS = select(ORIGINAL.c.document_id).where(ORIGINAL.c.removed_at.is_not(None))


@dataclass(frozen=True, slots=True)
class WorkEvent:
    """An event of the ledger, as far as it says how somebody works.

    Attributes:
        is_suggested: whether its concept was suggested on the page.
        is_undone: whether it was taken back.
    """

    person: str
    document_id: str
    action: str
    decided_at: datetime
    is_suggested: bool = False
    is_undone: bool = False


@dataclass(slots=True)
class PersonWeek:
    """What somebody did in one ISO week, in UTC; what was undone does not count.

    Attributes:
        n_decisions: on concepts.
        n_from_suggestions: accepted where they were suggested.
        n_searched: accepted by search or in the tree, also what was suggested further down.
        n_changed: decisions of others on documents after this person had finished them in this week.
        active: document that was finished in this week -> time from the first event on until then.
    """

    week: str
    person: str
    n_decisions: int = 0
    n_from_suggestions: int = 0
    n_searched: int = 0
    n_changed: int = 0
    active: dict[str, timedelta] = field(default_factory=dict)

    @property
    def n_finished(self) -> int:
        """How many documents were finished, each once."""
        return len(self.active)

    @property
    def median_minutes(self) -> float | None:
        """Of the active time on a document that was finished; None where none was."""
        minutes = [time / timedelta(minutes=1) for time in self.active.values()]
        return median(minutes) if minutes else None


def person_weeks(events: Iterable[WorkEvent]) -> list[PersonWeek]:
    """Return what people did, the newest week first.

    Args:
        events: of a project, in the order in which they were decided.
    """
    weeks: dict[tuple[str, str], PersonWeek] = {}
    last: dict[str, datetime] = {}
    active: dict[tuple[str, str], timedelta] = {}
    finished: dict[str, PersonWeek] = {}
    for event in events:
        here, moment = (event.person, event.document_id), event.decided_at
        since = min(moment - last.get(event.person, moment), IDLE)
        active[here] = active.get(here, timedelta()) + max(since, timedelta())
        last[event.person] = moment
        if event.is_undone:
            continue
        week = week_of(moment)
        row = weeks.setdefault((week, event.person), PersonWeek(week, event.person))
        if event.action == "finish":
            row.active[event.document_id] = active[here]
            finished[event.document_id] = row
        elif event.action in STATES:
            _count(row, event)
            by = finished.get(event.document_id, row)
            by.n_changed += by.person != event.person
    return sorted(sorted(weeks.values(), key=_name), key=lambda row: row.week, reverse=True)


def _name(row: PersonWeek) -> str:
    return row.person


def _count(row: PersonWeek, event: WorkEvent) -> None:
    row.n_decisions += 1
    if STATES[event.action] == "accepted":
        is_taken = event.action == "accept" and event.is_suggested
        row.n_from_suggestions += is_taken
        row.n_searched += not is_taken


@dataclass(frozen=True, slots=True)
class Waiting:
    """The documents on a project's list that are not finished.

    Attributes:
        n_new: that are nobody's, and on which nobody has decided.
        by_person: of the others, by whose they are, or else by who was the last to work on them.
    """

    n_new: int
    by_person: dict[str, int]


def read_team(store: Store, project_id: int) -> tuple[list[PersonWeek], Waiting]:
    """Return what people did in a project in the last twelve weeks, and what waits."""
    with store.read() as connection:
        rows = person_weeks(_events(connection, project_id))
        waiting = _waiting(connection, project_id)
    first = week_of(datetime.now(UTC) - timedelta(weeks=WEEKS - 1))
    return [row for row in rows if row.week >= first], waiting


def _events(connection: Connection, project_id: int) -> Iterable[WorkEvent]:
    """All of a project: a document of this week may have been begun long ago."""
    event = decision_event.c
    query = (
        select(SHOWN_NAME, event.document_id, event.action, event.decided_at, event.rank)
        .add_columns(undone_event.c.event_id)
        .join(document, document.c.document_id == event.document_id)
        .join(person, person.c.person_id == event.person_id)
        .outerjoin(undone_event, undone_event.c.event_id == event.event_id)
        .where(document.c.project_id == project_id, NOT_BLIND, event.client_id.not_like(f"{COPY}%"))
        .order_by(event.decided_at, event.event_id)
        .execution_options(yield_per=5_000)
    )
    for who, document_id, action, decided_at, rank, undone in connection.execute(query):
        yield WorkEvent(who, document_id, action, decided_at, rank is not None, undone is not None)


def _waiting(connection: Connection, project_id: int) -> Waiting:
    event = decision_event.c
    newest = (
        select(document.c.document_id, func.max(event.event_id).label("event_id"))
        .outerjoin(decision_event, event.document_id == document.c.document_id)
        .where(
            document.c.project_id == project_id,
            document.c.removed_at.is_(None),
            document.c.document_id.not_in(WAITING_IDS),
            or_(document.c.annotation_of.is_(None), document.c.annotation_of.not_in(IN_BIN_IDS)),
            document.c.finished_at.is_(None),
        )
        .group_by(document.c.document_id)
        .subquery()
    )
    is_own = (
        assignment.c.document_id == newest.c.document_id,
        assignment.c.lease_ends_at.is_(None),
    )
    whose = func.coalesce(assignment.c.person_id, event.person_id)
    query = (
        select(SHOWN_NAME)
        .select_from(newest)
        .outerjoin(decision_event, event.event_id == newest.c.event_id)
        .outerjoin(assignment, and_(*is_own))
        .outerjoin(person, person.c.person_id == whose)
    )
    counts = Counter(connection.scalars(query))
    return Waiting(counts.pop(None, 0), dict(sorted(counts.items())))

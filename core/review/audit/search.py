"""Events of the audit log by person, kind, document and day, with the names of today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, func, select

from core.review.audit.log import ROWS_AT_ONCE, AuditKind, is_kept
from core.review.store.store import Store
from core.review.store.tables import audit_event, person, project

ACCOUNT = "account"  # in an event's detail: the number of the account that was changed


@dataclass(frozen=True, slots=True)
class AuditSearch:
    """Which events are wanted; None is any.

    Attributes:
        person_id: who did it.
        since, until: days in UTC, both among them.
    """

    person_id: int | None = None
    kind: AuditKind | None = None
    document_id: str | None = None
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """An event as it is stored, and the names that belong to its numbers.

    Attributes:
        person, project, account: "" where the event has none; a number where a restore has replaced
            what had it.
    """

    row: RowMapping
    person: str
    project: str
    account: str


def has_log(store: Store) -> bool:
    """Return whether there is a log, or was one when several people worked here."""
    with store.read() as connection:
        return (
            is_kept(connection)
            or connection.scalar(select(audit_event.c.event_id).limit(1)) is not None
        )


def count_events(store: Store, wanted: AuditSearch) -> int:
    """Return how many events there are of those that are wanted."""
    with store.read() as connection:
        names = _Names(connection, person)
        counted = select(func.count()).select_from(audit_event).where(*_where(wanted, names))
        return connection.scalar(counted) or 0


def search_log(
    store: Store, wanted: AuditSearch, *, newest: int | None = None
) -> Iterator[FoundEvent]:
    """Yield events, the oldest first.

    Args:
        newest: so many of the newest, the newest first; None for all.
    """
    with store.read() as connection:
        people, projects = _Names(connection, person), _Names(connection, project)
        query = select(audit_event).where(*_where(wanted, people))
        number = audit_event.c.event_id
        ordered = query.order_by(number) if newest is None else query.order_by(number.desc())
        limited = ordered.limit(newest).execution_options(yield_per=ROWS_AT_ONCE)
        for row in connection.execute(limited).mappings():
            event_id, account = row["event_id"], (row["detail"] or {}).get(ACCOUNT)
            yield FoundEvent(
                row,
                person=people.name(row["person_id"], event_id),
                project=projects.name(row["project_id"], event_id),
                account=people.name(account, event_id),
            )


class _Names:
    """Who or what a number stands for, unless a restore came between that had another one there."""

    def __init__(self, connection: Connection, table: Table) -> None:
        (key,) = table.primary_key
        self.kind = table.name
        self._names = {row[0]: row[1] for row in connection.execute(select(key, table.c.name))}
        restored = select(audit_event.c.event_id, audit_event.c.detail).where(
            audit_event.c.kind == AuditKind.RESTORED.value
        )
        # Number -> the last restore that put another one, or none, in its place.
        self._gone: dict[int, int] = {
            number: event_id
            for event_id, detail in connection.execute(restored.order_by(audit_event.c.event_id))
            for number in (detail or {}).get(table.name, ())
        }

    def since(self, number: int) -> int:
        """From which event on a number is that of today."""
        return self._gone.get(number, 0)

    def name(self, number: int | None, event_id: int) -> str:
        """Return the name, or the number where it stood for another one then."""
        if number is None:
            return ""
        is_gone = event_id <= self.since(number) or number not in self._names
        return f"{self.kind} {number}" if is_gone else str(self._names[number])


def _where(wanted: AuditSearch, people: _Names) -> Iterator[ColumnElement[bool]]:
    event = audit_event.c
    if wanted.person_id is not None:
        yield event.person_id == wanted.person_id
        yield event.event_id > people.since(wanted.person_id)
    if wanted.kind is not None:
        yield event.kind == wanted.kind.value
    if wanted.document_id is not None:
        yield event.document_id == wanted.document_id
    if wanted.since is not None:
        yield event.at >= _midnight(wanted.since)
    if wanted.until is not None:
        yield event.at < _midnight(wanted.until) + timedelta(days=1)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)

"""Events of the audit log, each with the SHA-256 over the hash before it and its own content.

What is changed, taken out or put in between later does not fit. That the newest events were cut off
shows only beside a hash that was kept elsewhere. People are in it by number alone, so that a name can
go while the log stays. Decisions are not in it: their ledger has who made them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, RowMapping, delete, func, insert, or_, select

from core.review.store.database import HEAD, lock_log, schema_version
from core.review.store.tables import audit_event, person, project

if TYPE_CHECKING:
    from core.review.store.store import Store

BEGINNING = "0" * 64  # the hash before the first event
ROWS_AT_ONCE = 1_000


class AuditKind(StrEnum):
    """What an event is about."""

    SIGNED_IN = "signed in"
    REFUSED = "sign-in refused"
    SIGNED_OUT = "signed out"
    PASSWORD = "password chosen"
    ADDED = "account added"
    RENAMED = "account renamed"
    CLOSED = "account closed"
    REOPENED = "account reopened"
    ROLE = "role given"
    PROGRAM = "program key changed"
    SEEN = "document seen"
    EXPORTED = "exported"
    DOCUMENT = "document id changed"
    MODEL = "model changed"
    VOCABULARY = "vocabulary changed"
    SWITCHED = "project switched"
    ASKED = "annotation asked for"
    TAKEN_BACK = "annotation taken back"
    ERASED = "erased"
    BACKUP = "backup written"
    RESTORED = "backup restored"


_LAST = (
    select(audit_event.c.event_id, audit_event.c.hash)
    .order_by(audit_event.c.event_id.desc())
    .limit(1)
)
_SEVERAL = (
    select(person.c.person_id)
    .where(
        or_(
            person.c.password.is_not(None),
            person.c.person_id > select(func.min(person.c.person_id)).scalar_subquery(),
        )
    )
    .limit(1)
)


def record(
    connection: Connection,
    kind: AuditKind,
    *,
    person_id: int | None = None,
    project_id: int | None = None,
    document_id: str | None = None,
    **detail: Any,
) -> None:
    """Append an event in an open transaction, as its last step; a person alone has no log.

    On a server, whoever appends waits for the others, until the commit.

    Args:
        person_id: who did it; None for a command line, and for who is not known.
        detail: what else is to be known, as JSON; no names and no text.
    """
    if not is_kept(connection):
        return
    lock_log(connection)
    content = {
        "person_id": person_id,
        "kind": kind.value,
        "project_id": project_id,
        "document_id": document_id,
        "detail": detail or None,
    }
    _append(connection, connection.execute(_LAST).first(), content)


def record_alone(store: Store, kind: AuditKind, **facts: Any) -> None:
    """Append an event in a transaction of its own, which decisions may share; facts as `record`."""
    if store.actor is not None:
        facts = {"person_id": store.actor} | facts
    store.shared.write(lambda connection: record(connection, kind, **facts))


def is_kept(connection: Connection) -> bool:
    """Return whether there is a log: from when there is a second person, or a password."""
    return connection.scalar(_SEVERAL) is not None


def carry_on(
    here: Connection | None, there: Connection, *, person_id: int | None, made: str
) -> None:
    """Leave of the log in a copy that is to be restored what is to come behind the log that is here.

    That is one event, which says that it was restored. Where there is no log here, as on a new
    machine, the copy's is the one that goes on.

    Args:
        here: what is to be replaced; None where it is damaged.
        made: when the backup was written.
    """
    last_here = here.execute(_LAST).first() if here else None
    last_there = there.execute(_LAST).first()
    is_kept_here = here is not None and is_kept(here)
    if not (last_here or is_kept_here or is_kept(there)):
        return
    detail: dict[str, object] = {"made": made, "is_damaged": here is None}
    if here is not None and last_here is not None:
        there.execute(delete(audit_event))
        detail["last_hash_in_backup"] = last_there.hash if last_there else None
        detail |= {table.name: _gone(here, there, table) for table in (person, project)}
    content = {"person_id": person_id, "kind": AuditKind.RESTORED.value, "detail": detail}
    _append(there, last_here or last_there, content)


def _gone(here: Connection, there: Connection, table: Any) -> list[int]:
    """The numbers of rows that are missing in a copy, or others' there."""
    query = select(*table.primary_key, table.c.created_at).order_by(*table.primary_key)
    stays = {tuple(row) for row in there.execute(query)}
    return [row[0] for row in here.execute(query) if tuple(row) not in stays]


def _append(connection: Connection, last: Any, content: Mapping[str, object]) -> None:
    row = dict.fromkeys(("person_id", "project_id", "document_id", "detail")) | {
        "event_id": last.event_id + 1 if last else 1,
        "at": datetime.now(UTC),
        "previous": last.hash if last else BEGINNING,
        **content,
    }
    connection.execute(insert(audit_event).values(row | {"hash": hash_of(row)}))


def hash_of(row: Mapping[str, Any] | RowMapping) -> str:
    """Return the hash that an event has to have; `docs/operations.md` says how it is computed."""
    values = [
        row["event_id"],
        row["at"].astimezone(UTC).isoformat(timespec="microseconds"),
        *(row[name] for name in ("person_id", "kind", "project_id", "document_id", "detail")),
    ]
    written = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256((row["previous"] + written).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class LogState:
    """How the log is.

    Attributes:
        last_hash: of the newest event.
        misfit: the first event that does not fit; None where all do.
    """

    n_events: int
    last_hash: str
    misfit: int | None = None


def check_log(connection: Connection) -> LogState:
    """Compute the chain anew, from the first event to the newest or to the first that does not fit."""
    query = select(audit_event).order_by(audit_event.c.event_id)
    n_events, last_hash = 0, BEGINNING
    with connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)) as rows:
        for row in rows.mappings():
            fits = row["event_id"] == n_events + 1 and row["previous"] == last_hash
            if not fits or row["hash"] != hash_of(row):
                return LogState(n_events, last_hash, row["event_id"])
            n_events, last_hash = n_events + 1, row["hash"]
    return LogState(n_events, last_hash)


def look_at_log(connection: Connection) -> LogState | None:
    """Compute the chain of a database that may be of another schema; then nothing is said."""
    return check_log(connection) if schema_version(connection) == HEAD else None

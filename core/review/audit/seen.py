"""Documents with patients that people have seen: one event a document, person and hour."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from core.review.audit.log import AuditKind, record
from core.review.store.store import Store
from core.review.store.tables import audit_event


class SeenDocuments:
    """Notes what is seen, and keeps in memory what it has noted in this hour.

    Args:
        store: the open store.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._hour = datetime.min.replace(tzinfo=UTC)
        self._noted: set[tuple[int, str]] = set()

    def note(self, person_id: int, project_id: int, document_id: str) -> None:
        """Note that a person is about to see a document, unless that was noted in this hour.

        Raises:
            StoreError: it cannot be noted, so it must not be shown.
        """
        hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
        if hour != self._hour:
            self._hour, self._noted = hour, set()
        seen, noted = (person_id, document_id), self._noted
        if seen in noted:
            return

        def write(connection: Connection) -> None:
            if not _is_noted(connection, person_id, document_id, hour):
                record(
                    connection,
                    AuditKind.SEEN,
                    person_id=person_id,
                    project_id=project_id,
                    document_id=document_id,
                )

        self._store().shared.write(write)
        noted.add(seen)


def _is_noted(connection: Connection, person_id: int, document_id: str, since: datetime) -> bool:
    """Whether another process, or this one before it was started again, has noted it."""
    event = audit_event.c
    query = select(event.event_id).where(
        event.document_id == document_id,
        event.at >= since,
        event.person_id == person_id,
        event.kind == AuditKind.SEEN.value,
    )
    return connection.scalar(query.limit(1)) is not None

"""The state of a document: what its page shows of decisions, and the version of that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from core.errors import StoreError
from core.review.decisions.decided import Decision, decided
from core.review.decisions.derivation import turns_of
from core.review.decisions.recording import not_taken
from core.review.people.accounts import select_account
from core.review.reports.summaries import FINISHED, IN_PROGRESS, JUDGED, NEW, SENT_BACK
from core.review.store.store import Store
from core.review.store.tables import document
from core.vocabulary.concepts import Hierarchy

VERSIONED = select(document.c.version, document.c.finished_at, JUDGED.label("judged")).where(
    document.c.document_id == bindparam("here")
)


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What is decided on a document.

    Attributes:
        version: grows with every event; what is read with it is of this version or a later one.
        status: "new", "in progress" or "finished".
        not_taken: what was shown and untouched when the document was finished.
        judged: "approved", "sent back" or "".
    """

    version: int
    status: str
    decisions: dict[str, Decision]
    not_taken: tuple[str, ...] = ()
    judged: str = ""

    def facts(self, signed_in: int | None = None) -> dict[str, Any]:
        """Return it as the browser reads it.

        Args:
            signed_in: who reads it; all others are named beside what they decided. None where nobody
                signs in, and nobody is named.
        """
        return {
            "version": self.version,
            "status": self.status,
            "judged": self.judged,
            "decisions": {
                concept_id: decision.facts() | _by(decision, signed_in)
                for concept_id, decision in self.decisions.items()
            },
            "not_taken": list(self.not_taken),
        }


def _by(decision: Decision, signed_in: int | None) -> dict[str, str]:
    if signed_in is None or decision.person_id == signed_in:
        return {}
    return {"by": decision.shown, "at": decision.decided_at.isoformat()}


def document_state(
    store: Store, document_id: str, *, hierarchy: Hierarchy | None = None, after: int = -1
) -> DocumentState | None:
    """Return the state of a document, or None where nothing was recorded since a version.

    Args:
        hierarchy: with it, what is below an excluded concept is not counted as "not taken".
        after: a version that is known already.
    Raises:
        StoreError: there is no such document.
    """
    with store.read() as connection:
        row = _versioned(connection, document_id)
        if row.version <= after:
            return None
        decisions = decided(connection, document_id)
    if row.finished_at is None:
        status = IN_PROGRESS if decisions else NEW
        return DocumentState(row.version, status, decisions, judged=row.judged)
    untouched = tuple(s.concept_id for s in not_taken(store, document_id, hierarchy))
    return DocumentState(row.version, FINISHED, decisions, untouched, row.judged)


def sent_back_by(store: Store, document_id: str) -> tuple[str, str] | None:
    """Return what is shown of who has sent a document back, and the note; None where nobody has."""
    with store.read() as connection:
        if _versioned(connection, document_id).judged != SENT_BACK:
            return None
        event = turns_of(connection, document_id).sent_back
        account = select_account(connection, event.person_id) if event else None
    return (account.shown, str(event.value or "")) if event and account else None


def is_newer(store: Store, document_id: str, after: int) -> bool:
    """Return whether anything has come on a document since a version.

    Raises:
        StoreError: there is no such document.
    """
    with store.read() as connection:
        return bool(_versioned(connection, document_id).version > after)


def _versioned(connection: Connection, document_id: str) -> Row[int, datetime | None, str]:
    row = connection.execute(VERSIONED, {"here": document_id}).one_or_none()
    if row is None:
        raise StoreError(f"There is no document {document_id[:60]!r} in the store.")
    return row

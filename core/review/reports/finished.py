"""Finished documents with what was decided on them, for what learns from decisions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from zlib import crc32

from sqlalchemy import select

from core.review.decisions.decided import ACCEPTED, OPEN, decided
from core.review.store.documents import select_document
from core.review.store.store import Store
from core.review.store.tables import document
from core.suggest.protocol import FinishedDocument


def finished_versions(store: Store, project_id: int) -> dict[str, int]:
    """Return the finished documents on a project's list, with the version of their decisions."""
    query = select(document.c.document_id, document.c.version).where(
        document.c.project_id == project_id,
        document.c.removed_at.is_(None),
        document.c.finished_at.is_not(None),
    )
    with store.read() as connection:
        return {row.document_id: row.version for row in connection.execute(query)}


def finished_documents(
    store: Store, versions: Mapping[str, int], document_ids: Iterable[str]
) -> list[FinishedDocument]:
    """Return documents with what holds on them now.

    Args:
        versions: of their decisions. What is decided later raises them, so that it is noticed.
    """
    with store.read() as connection:
        found = []
        for document_id in document_ids:
            decisions = decided(connection, document_id)
            states = {i: decision.state for i, decision in decisions.items()}
            found.append(
                FinishedDocument(
                    document=select_document(connection, document_id),
                    version=versions[document_id],
                    assigned=tuple(i for i, state in states.items() if state == ACCEPTED),
                    rejected=tuple(i for i, s in states.items() if s not in (ACCEPTED, OPEN)),
                )
            )
        return found


def state_of(versions: Mapping[str, int]) -> str:
    """Name what is known of finished documents: how many there are, and a checksum of all."""
    return f"{len(versions)}-{crc32(repr(sorted(versions.items())).encode()):08x}"

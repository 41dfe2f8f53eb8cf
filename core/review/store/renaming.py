"""Another id for a document, before anybody has decided on it: that of a library's record, say."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from core.errors import StoreError
from core.review.store.documents import require_document, storable
from core.review.store.store import Store
from core.review.store.tables import decision_event, document, metadata

TAKEN = "Another document, of this project or another, has the id {0} already: choose another one."
DECIDED = (
    "Somebody has decided on this document, so its id stays: what they decided is named by it."
)


def may_change_id(store: Store, document_id: str) -> bool:
    """Return whether nothing was decided on a document yet."""
    with store.read() as connection:
        return not _is_decided(connection, document_id)


def set_document_id(store: Store, document_id: str, wanted: str) -> None:
    """Give a document another id, with its text and suggestions.

    Raises:
        StoreError: there is none of this id, another document has the new one, or somebody has
            decided on it.
    """
    new = storable(wanted)
    with store.write() as connection:
        require_document(connection, document_id)
        columns = document.c
        if connection.scalar(select(columns.title).where(columns.document_id == new)) is not None:
            raise StoreError(TAKEN.format(new[:60]))
        if _is_decided(connection, document_id):
            raise StoreError(DECIDED)
        old = columns.document_id == document_id
        row = dict(connection.execute(select(document).where(old)).mappings().one())
        connection.execute(insert(document).values(row | {"document_id": new}))
        for table in metadata.sorted_tables:
            if table is not document and "document_id" in table.c:
                there = table.c.document_id == document_id
                connection.execute(update(table).where(there).values(document_id=new))
        connection.execute(delete(document).where(old))


def _is_decided(connection: Connection, document_id: str) -> bool:
    query = select(decision_event.c.document_id).where(decision_event.c.document_id == document_id)
    return connection.scalar(query.limit(1)) is not None

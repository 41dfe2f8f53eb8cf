"""What a person set for themselves: keys, label language, size of the text."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, insert, select

from core.review.store.tables import preference


def read(connection: Connection, person_id: int) -> dict[str, Any]:
    """All preferences of a person, by name."""
    query = select(preference.c.name, preference.c.value).where(preference.c.person_id == person_id)
    return {row.name: row.value for row in connection.execute(query.order_by(preference.c.name))}


def write(connection: Connection, person_id: int, name: str, value: object) -> None:
    """Keep a preference in place of the one before; None forgets it.

    Args:
        value: anything that JSON can say.
    """
    this = (preference.c.person_id == person_id, preference.c.name == name)
    connection.execute(delete(preference).where(*this))
    if value is not None:
        row = {"person_id": person_id, "name": name, "value": value}
        connection.execute(insert(preference).values(row))

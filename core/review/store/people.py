"""Who decides, and what each person set for themselves: keys, label language, size of the text.

Where there is one person alone, nobody is asked who they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from core.review.store.store import Store
from core.review.store.tables import person, preference

DEFAULT_PERSON = "me"
HINTS = "hints"  # the preference whether it is pointed out what may be missed or doubtful
HIDE_TITLES = "hide_titles"  # whether lists name documents by their ids
EVERY_LEVEL = "every_level"  # whether the tree has a row for every level
NEXT_ORDER = "next_order"  # in which order the key for the next suggestion goes
NEXT_ORDERS = ("probability", "branch", "tree")  # the first where a person chose none
SHOWN_NAME = func.coalesce(func.nullif(person.c.display_name, ""), person.c.name)
"""By which others see a person, as `Account.shown`."""
# Asked for by every request, so they are put together once.
FIRST = select(person.c.person_id, person.c.name).order_by(person.c.person_id).limit(1)
PREFERENCES = (
    select(preference.c.name, preference.c.value)
    .where(preference.c.person_id == bindparam("whose"))
    .order_by(preference.c.name)
)


@dataclass(frozen=True, slots=True)
class Person:
    """Who decides."""

    person_id: int
    name: str


def default_person(store: Store) -> Person:
    """Return the first person, written at the first call; the only one where nobody signs in."""
    with store.read() as connection:
        first = select_first(connection)
    if first is not None:
        return first
    with store.write(alone=True) as connection:
        return _written_once(connection)


def select_first(connection: Connection) -> Person | None:
    """Return the first person."""
    row = connection.execute(FIRST).first()
    return None if row is None else Person(*row)


def _written_once(connection: Connection) -> Person:
    """The first person, written unless another program was quicker."""
    first = select_first(connection)
    if first is not None:
        return first
    row = {"name": DEFAULT_PERSON, "created_at": datetime.now(UTC), "is_administrator": True}
    written = insert(person).values(row).returning(person.c.person_id)
    return Person(connection.execute(written).scalar_one(), DEFAULT_PERSON)


def read_preferences(store: Store, person_id: int) -> dict[str, Any]:
    """Return what a person set for themselves, by name."""
    with store.read() as connection:
        return select_preferences(connection, person_id)


def select_preferences(connection: Connection, person_id: int) -> dict[str, Any]:
    """Return what a person set for themselves, by name."""
    rows = connection.execute(PREFERENCES, {"whose": person_id})
    return {row.name: row.value for row in rows}


def set_preference(store: Store, person_id: int, name: str, value: object) -> None:
    """Set a preference; None deletes it.

    Args:
        value: anything that JSON can represent.
    """
    this = (preference.c.person_id == person_id, preference.c.name == name)
    with store.write() as connection:
        connection.execute(delete(preference).where(*this))
        if value is not None:
            row = {"person_id": person_id, "name": name, "value": value}
            connection.execute(insert(preference).values(row))

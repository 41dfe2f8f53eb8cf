"""Guidelines of a project, in versions, and its notes on concepts: what to use, and what not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select

from core.errors import StoreError
from core.review.store.documents import storable
from core.review.store.people import SHOWN_NAME
from core.review.store.store import Store
from core.review.store.tables import concept_note, guidelines, person

LONGEST_GUIDELINES, LONGEST_NOTE = 100_000, 1_000  # characters
TOO_LONG = "That has {0:,} characters; {1:,} are the most."
CHANGED = (
    "Somebody else has changed the guidelines meanwhile. Yours are still in the field: copy them, "
    "reload the page, and put both together."
)


@dataclass(frozen=True, slots=True)
class GuidelinesVersion:
    """What the guidelines were from a moment on; an empty text says that there are none."""

    version_id: int
    text: str
    person: str
    written_at: datetime


def guidelines_versions(store: Store, project_id: int) -> list[GuidelinesVersion]:
    """Return all versions of a project's guidelines, the newest first."""
    version = guidelines.c
    query = (
        select(version.version_id, version.text, SHOWN_NAME, version.written_at)
        .join(person)
        .where(version.project_id == project_id)
        .order_by(version.version_id.desc())
    )
    with store.read() as connection:
        return [GuidelinesVersion(*row) for row in connection.execute(query)]


def latest_guidelines(store: Store, project_id: int) -> str | None:
    """Return the guidelines that hold now; None where none do."""
    version = guidelines.c
    query = select(version.text).where(version.project_id == project_id)
    with store.read() as connection:
        return connection.scalar(query.order_by(version.version_id.desc()).limit(1)) or None


def write_guidelines(
    store: Store, project_id: int, text: str, person_id: int, *, former: int | None
) -> None:
    """Write a new version of a project's guidelines; the same text makes none.

    Args:
        former: the version that was changed; None where there was none.
    Raises:
        StoreError: there is a newer version than that, or the text is too long.
    """
    _refuse_long(text, LONGEST_GUIDELINES)
    text = storable(text).strip()
    newest = select(guidelines.c.version_id, guidelines.c.text).where(
        guidelines.c.project_id == project_id
    )
    with store.write(alone=True) as connection:
        row = connection.execute(newest.order_by(guidelines.c.version_id.desc())).first()
        if (row.version_id if row else None) != former:
            raise StoreError(CHANGED)
        if text != (row.text if row else ""):
            facts = {"project_id": project_id, "person_id": person_id, "text": text}
            connection.execute(insert(guidelines).values(facts | {"written_at": _now()}))


def read_note(store: Store, project_id: int, concept_id: str) -> str:
    """Return the note of a project on a concept; "" where there is none."""
    note = concept_note.c
    query = select(note.text).where(note.project_id == project_id, note.concept_id == concept_id)
    with store.read() as connection:
        return connection.scalar(query) or ""


def read_notes(store: Store, project_id: int) -> dict[str, str]:
    """Return the notes of a project by concept."""
    note = concept_note.c
    query = select(note.concept_id, note.text).where(note.project_id == project_id)
    with store.read() as connection:
        return {row.concept_id: row.text for row in connection.execute(query)}


def set_note(store: Store, project_id: int, concept_id: str, text: str, person_id: int) -> None:
    """Replace the note of a project on a concept; an empty one takes it away.

    Raises:
        StoreError: it is too long.
    """
    _refuse_long(text, LONGEST_NOTE)
    text = storable(text).strip()
    key = {"project_id": project_id, "concept_id": concept_id}
    with store.write() as connection:
        this = [concept_note.c[name] == value for name, value in key.items()]
        connection.execute(delete(concept_note).where(*this))
        if text:
            facts = {"person_id": person_id, "written_at": _now(), "text": text}
            connection.execute(insert(concept_note).values(key | facts))


def _refuse_long(text: str, most: int) -> None:
    if len(text) > most:
        raise StoreError(TOO_LONG.format(len(text), most))


def _now() -> datetime:
    return datetime.now(UTC)

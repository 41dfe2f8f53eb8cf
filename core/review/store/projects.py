"""Projects of a store: what is there, new ones, and what each was left with.

A project's documents, decisions and rules are its own. One that has documents is never deleted, as
decisions are kept for good; it can be archived, and brought back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from core.errors import StoreError
from core.review.store import owners
from core.review.store.owners import Project
from core.review.store.store import Store
from core.review.store.tables import decision, document, job, project, rule

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a project.

    Attributes:
        n_documents: on its list.
        n_in_bin: removed from the list.
        n_decisions: on concepts of either, as they stand.
    """

    n_documents: int
    n_in_bin: int
    n_decisions: int

    @property
    def is_empty(self) -> bool:
        """Whether there never was a document in it."""
        return not self.n_documents and not self.n_in_bin


def projects(store: Store) -> list[Project]:
    """All of them, the oldest first."""
    with store.read() as connection:
        return owners.all_projects(connection)


def document_counts(store: Store) -> dict[int, int]:
    """How many documents are on the list of each project that has some."""
    listed = select(document.c.project_id, func.count()).where(document.c.removed_at.is_(None))
    with store.read() as connection:
        rows: Iterable[Any] = connection.execute(listed.group_by(document.c.project_id))
        return dict(tuple(row) for row in rows)


def project_of(store: Store, document_id: str) -> Project | None:
    """The project of a document; None where there is no such document."""
    query = select(document.c.project_id).where(document.c.document_id == document_id)
    with store.read() as connection:
        project_id = connection.scalar(query)
        listed = owners.all_projects(connection)
    return next((one for one in listed if one.project_id == project_id), None)


def make_project(store: Store, name: str, vocabulary_id: str) -> Project:
    """A new project, also where its vocabulary has one already.

    Raises:
        StoreError: the name is empty, too long, or another project's.
    """
    with store.write() as connection:
        name = _usable(name, owners.all_projects(connection))
        return owners.write_project(connection, name, vocabulary_id)


def rename_project(store: Store, project_id: int, name: str) -> None:
    """Call a project something else.

    Raises:
        StoreError: the name is empty, too long, or another project's.
    """
    with store.write() as connection:
        others = (one for one in owners.all_projects(connection) if one.project_id != project_id)
        values = {"name": _usable(name, others)}
        connection.execute(update(project).where(project.c.project_id == project_id).values(values))


def keep_choices(
    store: Store, project_id: int, *, bundle: str | None, vocabulary_choice: str | None
) -> None:
    """Note which model and which version of its vocabulary a project was left with."""
    values = {"bundle": bundle, "vocabulary_choice": vocabulary_choice}
    with store.write() as connection:
        connection.execute(update(project).where(project.c.project_id == project_id).values(values))


def contents(store: Store, project_id: int) -> Contents:
    """How much is in a project."""
    with store.read() as connection:
        return _contents(connection, project_id)


def delete_project(store: Store, project_id: int) -> None:
    """Delete a project without documents, with its rules; its vocabulary and model stay.

    Raises:
        StoreError: it has documents, if only in the bin.
    """
    with store.write() as connection:
        if not _contents(connection, project_id).is_empty:
            raise StoreError("This project has documents by now; archive it instead.")
        for table in (rule, job, project):
            connection.execute(delete(table).where(table.c.project_id == project_id))


def archive_project(store: Store, project_id: int) -> None:
    """Put a project aside, with all that is in it."""
    _set_archived(store, project_id, datetime.now(UTC))


def bring_back_project(store: Store, project_id: int) -> None:
    """Put an archived project back on the list."""
    _set_archived(store, project_id, None)


def _set_archived(store: Store, project_id: int, moment: datetime | None) -> None:
    this = project.c.project_id == project_id
    with store.write() as connection:
        connection.execute(update(project).where(this).values(archived_at=moment))


def _contents(connection: Connection, project_id: int) -> Contents:
    own = document.c.project_id == project_id
    listed = document.c.removed_at.is_(None)
    documents = select(func.count()).select_from(document).where(own)
    decisions = select(func.count()).select_from(decision.join(document)).where(own)
    queries = (documents.where(listed), documents.where(~listed), decisions)
    return Contents(*(connection.execute(query).scalar_one() for query in queries))


def _usable(name: str, others: Iterable[Project]) -> str:
    """A name on one line that no other project has."""
    name = " ".join(name.split())
    if not name:
        raise StoreError("A project needs a name.")
    if len(name) > LONGEST_NAME:
        raise StoreError(f"A project's name has at most {LONGEST_NAME} characters.")
    taken = next((one for one in others if one.name.casefold() == name.casefold()), None)
    if taken is not None:
        kind = "an archived project" if taken.is_archived else "a project"
        raise StoreError(f"There is {kind} of the name {name} already; choose another name.")
    return name

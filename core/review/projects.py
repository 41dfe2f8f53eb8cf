"""Projects of a store: what is there, new ones, and what each was left with.

A project's documents, decisions and rules are its own. Nothing takes a project away.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import func, select, update

from core.errors import StoreError
from core.review import owners
from core.review.owners import Project
from core.review.store import Store
from core.review.tables import document, project

LONGEST_NAME = 80


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


def _usable(name: str, others: Iterable[Project]) -> str:
    """A name on one line that no other project has."""
    name = " ".join(name.split())
    if not name:
        raise StoreError("A project needs a name.")
    if len(name) > LONGEST_NAME:
        raise StoreError(f"A project's name has at most {LONGEST_NAME} characters.")
    if any(one.name.casefold() == name.casefold() for one in others):
        raise StoreError(f"There is a project of the name {name} already; choose another name.")
    return name

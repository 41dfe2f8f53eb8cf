"""Rows of projects and people, inside a transaction that the store opened.

Until there are accounts, there is one person. A vocabulary has one project by itself, the oldest;
`projects` makes further ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select

from core.review.store.tables import person, project, vocabulary

DEFAULT_VOCABULARY = "eurovoc"
DEFAULT_PERSON = "me"


@dataclass(frozen=True, slots=True)
class Project:
    """Documents that are indexed together, with one vocabulary and one model.

    Attributes:
        name: the vocabulary's id where nobody gave one.
        bundle: the model that reads its documents, as it was left; None where none was chosen.
        vocabulary_choice: the version of its vocabulary, likewise.
        is_archived: whether it was put aside, with all that is in it.
    """

    project_id: int
    name: str
    vocabulary_id: str
    bundle: str | None = None
    vocabulary_choice: str | None = None
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Who decides."""

    person_id: int
    name: str


def all_projects(connection: Connection) -> list[Project]:
    """Every project, the oldest first."""
    columns = project.c
    query = select(columns.project_id, columns.name, columns.vocabulary_id)
    rest = query.add_columns(
        columns.bundle, columns.vocabulary_choice, columns.archived_at.is_not(None)
    )
    return [Project(*row) for row in connection.execute(rest.order_by(columns.project_id))]


def find_project(connection: Connection, vocabulary_id: str) -> Project | None:
    """The oldest project of a vocabulary; an archived one where it has no other."""
    own = [one for one in all_projects(connection) if one.vocabulary_id == vocabulary_id]
    return min(own, key=lambda one: (one.is_archived, one.project_id), default=None)


def make_project(connection: Connection, vocabulary_id: str) -> Project:
    """The oldest project of a vocabulary, written where there is none yet."""
    found = find_project(connection, vocabulary_id)
    return found or write_project(connection, vocabulary_id, vocabulary_id)


def write_project(connection: Connection, name: str, vocabulary_id: str) -> Project:
    """A new project, beside others that its vocabulary may have."""
    names = {"vocabulary_id": vocabulary_id, "created_at": datetime.now(UTC)}
    known = select(vocabulary.c.vocabulary_id).where(vocabulary.c.vocabulary_id == vocabulary_id)
    if connection.scalar(known) is None:
        connection.execute(insert(vocabulary).values(names))
    written = insert(project).values(names | {"name": name})
    project_id = connection.execute(written.returning(project.c.project_id)).scalar_one()
    return Project(project_id, name, vocabulary_id)


def find_person(connection: Connection, name: str) -> Person | None:
    """The person of this name."""
    query = select(person.c.person_id, person.c.name).where(person.c.name == name)
    row = connection.execute(query).first()
    return None if row is None else Person(*row)


def make_person(connection: Connection, name: str) -> Person:
    """The person of this name, written where there is none yet."""
    found = find_person(connection, name)
    if found is not None:
        return found
    values = {"name": name, "created_at": datetime.now(UTC)}
    written = insert(person).values(values).returning(person.c.person_id)
    return Person(connection.execute(written).scalar_one(), name)

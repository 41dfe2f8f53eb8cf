"""Rows of projects and people, inside a transaction that the store opened.

Until there are accounts, there is one person, and one project for each vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, insert, select

from core.review.tables import person, project, vocabulary

DEFAULT_VOCABULARY = "eurovoc"
DEFAULT_PERSON = "me"


@dataclass(frozen=True, slots=True)
class Project:
    """Documents that are indexed together, with one vocabulary."""

    project_id: int
    name: str
    vocabulary_id: str


@dataclass(frozen=True, slots=True)
class Person:
    """Who decides."""

    person_id: int
    name: str


def find_project(connection: Connection, vocabulary_id: str) -> Project | None:
    """The oldest project of a vocabulary."""
    columns = project.c
    query = select(columns.project_id, columns.name, columns.vocabulary_id)
    own = query.where(columns.vocabulary_id == vocabulary_id)
    row = connection.execute(own.order_by(columns.project_id)).first()
    return None if row is None else Project(*row)


def make_project(connection: Connection, vocabulary_id: str) -> Project:
    """The project of a vocabulary, written where it is not there yet."""
    found = find_project(connection, vocabulary_id)
    if found is not None:
        return found
    now = datetime.now(UTC)
    names = {"vocabulary_id": vocabulary_id, "created_at": now}
    connection.execute(insert(vocabulary).values(names))
    written = insert(project).values(names | {"name": vocabulary_id})
    project_id = connection.execute(written.returning(project.c.project_id)).scalar_one()
    return Project(project_id, vocabulary_id, vocabulary_id)


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

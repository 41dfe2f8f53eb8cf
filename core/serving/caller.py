"""Who asks, and in which project: what every request brings along."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import StoreError
from core.review.store.people import default_person, read_preferences
from core.review.store.projects import DEFAULT_VOCABULARY, Project, default_project, list_projects
from core.review.store.store import Store

LAST_PROJECT = "project"  # among a person's preferences: the id of the project opened last


@dataclass(frozen=True, slots=True)
class Caller:
    """The person and the project of one request; until there are accounts, one person has all."""

    person_id: int
    project_id: int


class UnknownProjectError(StoreError):
    """A request names a project that is not there."""


def caller_of(store: Store, project: str | None, *, vocabulary_id: str | None) -> Caller:
    """Return the caller of a request.

    Args:
        project: the id that the request names; None where it names none, which stands for the
            project that the person opened last.
        vocabulary_id: of the project that a person begins with; None where it is not known.
    Raises:
        UnknownProjectError: there is no such project.
        StoreError: the store cannot be read.
    """
    person_id = default_person(store).person_id
    if project is not None:
        return Caller(person_id, find_project(store, project).project_id)
    return Caller(person_id, last_project(store, person_id, vocabulary_id).project_id)


def find_project(store: Store, project: str | int) -> Project:
    """Return the project of this id.

    Raises:
        UnknownProjectError: there is none.
    """
    wanted = str(project)
    found = (row for row in list_projects(store) if str(row.project_id) == wanted)
    row = next(found, None)
    if row is None:
        raise UnknownProjectError("There is no such project; look at the list again.")
    return row


def last_project(store: Store, person_id: int, vocabulary_id: str | None) -> Project:
    """Return the project that a person opened last, or else the first of a vocabulary.

    An archived project is passed over while there is another one.
    """
    listed = [row for row in list_projects(store) if not row.is_archived]
    opened = read_preferences(store, person_id).get(LAST_PROJECT)
    own = (row for row in listed if row.project_id == opened)
    if vocabulary_id is None and listed:
        return next(own, listed[0])
    first = default_project(store, vocabulary_id or DEFAULT_VOCABULARY)
    if first.is_archived and listed:
        return next(own, listed[0])
    return next(own, first)

"""Who asks, and in which project: what every request brings along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import StoreError
from core.review.store.people import (
    DEFAULT_PERSON,
    default_person,
    select_person,
    select_preferences,
)
from core.review.store.projects import (
    DEFAULT_VOCABULARY,
    Project,
    default_project,
    list_projects,
    oldest_of,
    select_projects,
)
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
    with store.read() as connection:  # everything at once: every request asks for it
        person = select_person(connection, DEFAULT_PERSON)
        listed = select_projects(connection)
        is_named = project is not None
        chosen = {} if is_named or not person else select_preferences(connection, person.person_id)
    person_id = (person or default_person(store)).person_id
    if project is not None:
        return Caller(person_id, _named(listed, project).project_id)
    row = _last(listed, chosen.get(LAST_PROJECT), vocabulary_id)
    return Caller(person_id, (row or default_project(store, _first(vocabulary_id))).project_id)


def find_project(store: Store, project: str | int) -> Project:
    """Return the project of this id.

    Raises:
        UnknownProjectError: there is none.
    """
    return _named(list_projects(store), project)


def _named(listed: Iterable[Project], project: str | int) -> Project:
    wanted = str(project)
    row = next((row for row in listed if str(row.project_id) == wanted), None)
    if row is None:
        raise UnknownProjectError("There is no such project; look at the list again.")
    return row


def _first(vocabulary_id: str | None) -> str:
    return vocabulary_id or DEFAULT_VOCABULARY


def _last(listed: Sequence[Project], opened: object, vocabulary_id: str | None) -> Project | None:
    """The project opened last, or another one; None where one has yet to be made."""
    present = [row for row in listed if not row.is_archived]
    last = next((row for row in present if row.project_id == opened), None)
    if vocabulary_id is None and present:
        return last or present[0]
    first = oldest_of(listed, _first(vocabulary_id))
    if first is not None and first.is_archived and present:
        return last or present[0]
    return first and (last or first)

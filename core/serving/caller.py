"""Who asks, and in which project: what every request brings along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import NotAllowedError, StoreError
from core.review.people.accounts import has_accounts
from core.review.people.memberships import Roles, select_roles
from core.review.store.people import (
    default_person,
    select_first,
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
from core.review.store.store import ReadConnection, Store
from core.roles import Role

PERSON_HEADER = "x-strata-person"  # the gate's word on who asks; it drops any other
NOT_SIGNED_IN = "Sign in first: several people work on this server. Reload the page to do so."
NO_ROLES = (
    "You have no role in a project here. Ask an administrator, or the lead of a project, for one."
)
NO_ROLE_HERE = "You have no role in this project any more; ask its lead for one."
LAST_PROJECT = "project"  # among a person's preferences: the id of the project opened last


@dataclass(frozen=True, slots=True)
class Caller:
    """The person and the project of one request, and the role of that person there."""

    person_id: int
    project_id: int
    role: Role


class UnknownProjectError(StoreError):
    """A request names a project that is not there."""

    is_refusal = True


class UnknownDocumentError(UnknownProjectError):
    """A document is not there, or the person is not to see it yet."""


def caller_of(
    store: Store, project: str | None, *, vocabulary_id: str | None, person_id: int | None = None
) -> Caller:
    """Return the caller of a request.

    Args:
        project: the id that the request names; None where it names none, which stands for the
            project that the person opened last.
        vocabulary_id: of the project that a person begins with; None where it is not known.
        person_id: who has signed in; None where nobody does, as one person has all.
    Raises:
        UnknownProjectError: there is no such project, or the person has no role in it.
        NotAllowedError: people sign in here, and this one has not, or has no role at all.
        StoreError: the store cannot be read.
    """
    with store.read() as connection:  # everything at once: every request asks for it
        roles = _roles(connection, person_id)
        if person_id is None:
            first = select_first(connection)
            person_id = first.person_id if first else None
        listed = select_projects(connection)
        is_known = project is None and person_id is not None
        chosen = select_preferences(connection, person_id) if is_known and person_id else {}
    if person_id is None:
        person_id = default_person(store).person_id
    listed = [row for row in listed if roles.role_in(row.project_id) is not None]
    if not listed and not roles.administers:
        raise NotAllowedError(NO_ROLES)
    if project is not None:
        row = _named(listed, project)
    else:
        begun = vocabulary_id if roles.administers else None  # for nobody else, one is made
        last = _last(listed, chosen.get(LAST_PROJECT), begun)
        row = last or (default_project(store, _first(begun)) if roles.administers else listed[0])
    role = roles.role_in(row.project_id)
    if role is None:
        raise NotAllowedError(NO_ROLES)
    return Caller(person_id, row.project_id, role)


def _roles(connection: ReadConnection, person_id: int | None) -> Roles:
    if person_id is None:
        if has_accounts(connection):
            raise NotAllowedError(NOT_SIGNED_IN)
        return Roles(administers=True)
    roles = select_roles(connection, person_id)
    if roles is None:
        raise NotAllowedError(NOT_SIGNED_IN)
    return roles


def role_now(store: Store, project_id: int, person_id: int | None) -> Role:
    """Return which role a person has in a project now.

    Args:
        person_id: who has signed in; None where one person has all.
    Raises:
        NotAllowedError: they have none there, or have signed in no more.
    """
    with store.read() as connection:
        role = _roles(connection, person_id).role_in(project_id)
    if role is None:
        raise NotAllowedError(NO_ROLE_HERE)
    return role


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

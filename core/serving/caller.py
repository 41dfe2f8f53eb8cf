"""Who asks, and in which project: what every request brings along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import NotAllowedError, StoreError
from core.review.people.accounts import has_accounts, open_account
from core.review.people.memberships import select_roles
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

NOT_SIGNED_IN = "Sign in first: several people work on this server. Reload the page to do so."
NO_ROLES = (
    "You have no role in a project here. Ask an administrator, or the lead of a project, for one."
)
LAST_PROJECT = "project"  # among a person's preferences: the id of the project opened last


@dataclass(frozen=True, slots=True)
class Caller:
    """The person and the project of one request, and the role of that person there."""

    person_id: int
    project_id: int
    role: Role


class UnknownProjectError(StoreError):
    """A request names a project that is not there."""


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
        person = _person(connection, person_id)
        listed = select_projects(connection)
        is_named = project is not None
        chosen = {} if is_named or not person else select_preferences(connection, person.person_id)
    if person is None:
        person = _Allowed(default_person(store).person_id, None)
    listed = [row for row in listed if person.role_in(row.project_id) is not None]
    if not listed and not person.has_every_right:
        raise NotAllowedError(NO_ROLES)
    if project is not None:
        return person.caller(_named(listed, project).project_id)
    row = _last(listed, chosen.get(LAST_PROJECT), vocabulary_id)
    return person.caller((row or default_project(store, _first(vocabulary_id))).project_id)


@dataclass(frozen=True, slots=True)
class _Allowed:
    """A person, and their roles by project; None for one who has every right."""

    person_id: int
    roles: Mapping[int, Role] | None

    @property
    def has_every_right(self) -> bool:
        return self.roles is None

    def role_in(self, project_id: int) -> Role | None:
        return Role.ADMINISTRATOR if self.roles is None else self.roles.get(project_id)

    def caller(self, project_id: int) -> Caller:
        role = self.role_in(project_id)
        if role is None:
            raise NotAllowedError(NO_ROLES)
        return Caller(self.person_id, project_id, role)


def _person(connection: ReadConnection, person_id: int | None) -> _Allowed | None:
    """Who asks; None where nobody is there yet."""
    if person_id is None:
        if has_accounts(connection):
            raise NotAllowedError(NOT_SIGNED_IN)
        first = select_first(connection)
        return _Allowed(first.person_id, None) if first else None
    account = open_account(connection, person_id)
    if account is None:
        raise NotAllowedError(NOT_SIGNED_IN)
    roles = None if account.is_administrator else select_roles(connection, person_id)
    return _Allowed(person_id, roles)


def refuse_who_is_not_signed_in(store: Store) -> None:
    """Do nothing where one person has all still.

    Raises:
        NotAllowedError: people sign in here by now.
    """
    with store.read() as connection:
        if has_accounts(connection):
            raise NotAllowedError(NOT_SIGNED_IN)


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

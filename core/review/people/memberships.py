"""Which role a person has in which project; administrators have theirs in all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, delete, insert, select

from core.errors import StoreError
from core.review.audit.log import AuditKind
from core.review.people.accounts import Account, find_account, list_accounts, note_account
from core.review.store.store import Store
from core.review.store.tables import membership, person
from core.roles import Role

GIVEN = [role for role in Role if role is not Role.ADMINISTRATOR]
NO_ROLE = "That is no role in a project; there are {roles}."


_ROLES = (
    select(person.c.is_administrator, membership.c.project_id, membership.c.role)
    .outerjoin(membership, membership.c.person_id == person.c.person_id)
    .where(person.c.person_id == bindparam("whose"), person.c.closed_at.is_(None))
)


@dataclass(frozen=True, slots=True)
class Roles:
    """What a person is in which project.

    Attributes:
        administers: has every right, in every project.
        by_project: what they were given.
    """

    administers: bool = False
    by_project: Mapping[int, Role] = field(default_factory=dict)

    def role_in(self, project_id: int) -> Role | None:
        """Return the role in a project; None where there is none."""
        return Role.ADMINISTRATOR if self.administers else self.by_project.get(project_id)


def select_roles(connection: Connection, person_id: int) -> Roles | None:
    """Return the roles of a person; None where there is no such account, or it is closed."""
    rows = connection.execute(_ROLES, {"whose": person_id}).all()
    if not rows:
        return None
    given = {row.project_id: Role(row.role) for row in rows if row.project_id is not None}
    return Roles(rows[0].is_administrator, given)


def read_roles(store: Store, person_id: int) -> Roles:
    """Return the roles that a person has now; none of a closed account."""
    with store.read() as connection:
        return select_roles(connection, person_id) or Roles()


def list_members(store: Store, project_id: int) -> dict[int, Role]:
    """Return who has which role in a project; administrators only where they were given one."""
    query = (
        select(membership.c.person_id, membership.c.role)
        .where(membership.c.project_id == project_id)
        .join(person, person.c.person_id == membership.c.person_id)
        .order_by(person.c.name)
    )
    with store.read() as connection:
        return {row.person_id: Role(row.role) for row in connection.execute(query)}


def list_people_with(store: Store, project_id: int, least: Role) -> list[Account]:
    """Return who has at least a role in a project, administrators too; closed accounts have none."""
    members = list_members(store, project_id)
    roles = (
        (
            account,
            Role.ADMINISTRATOR if account.is_administrator else members.get(account.person_id),
        )
        for account in list_accounts(store)
        if not account.is_closed
    )
    return [account for account, role in roles if role is not None and role.includes(least)]


def give_role(store: Store, name: str, project_id: int, role: Role | None) -> None:
    """Give a person a role in a project in place of the one they had; None takes it back.

    Raises:
        StoreError: there is no such account, or it is no role in a project.
    """
    if role is Role.ADMINISTRATOR:
        raise StoreError(NO_ROLE.format(roles=", ".join(GIVEN)))
    account = find_account(store, name)
    row = {"person_id": account.person_id, "project_id": project_id}
    with store.write() as connection:
        theirs = [membership.c[name] == value for name, value in row.items()]
        connection.execute(delete(membership).where(*theirs))
        if role is not None:
            connection.execute(insert(membership).values(row | {"role": role.value}))
        given = {"project_id": project_id, "role": role.value if role else None}
        note_account(store, connection, AuditKind.ROLE, account.person_id, **given)

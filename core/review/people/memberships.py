"""Which role a person has in which project; administrators have theirs in all."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.people.accounts import find_account, open_account
from core.review.store.store import Store
from core.review.store.tables import membership, person
from core.roles import Role

GIVEN = [role for role in Role if role is not Role.ADMINISTRATOR]
NO_ROLE = "That is no role in a project; there are {roles}."


def select_roles(connection: Connection, person_id: int) -> dict[int, Role]:
    """Return the roles of a person by project; of an administrator, whose rights need none, too."""
    query = select(membership.c.project_id, membership.c.role)
    rows = connection.execute(query.where(membership.c.person_id == person_id))
    return {row.project_id: Role(row.role) for row in rows}


def role_in(store: Store, person_id: int, project_id: int) -> Role | None:
    """Return the role that a person has in a project now; None where they have none."""
    with store.read() as connection:
        account = open_account(connection, person_id)
        if account is None:
            return None
        if account.is_administrator:
            return Role.ADMINISTRATOR
        return select_roles(connection, person_id).get(project_id)


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
        record(
            connection,
            AuditKind.ROLE,
            person_id=store.actor,
            project_id=project_id,
            account=account.person_id,
            role=role.value if role else None,
        )

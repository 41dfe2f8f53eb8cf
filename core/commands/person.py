"""`python -m core person`: who works here, their roles, and the links by which they choose a password."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from typer import Argument, Option, Typer

from core.commands.options import PLAIN, open_store
from core.errors import StoreError
from core.review.people.accounts import (
    add_account,
    close_account,
    find_account,
    list_accounts,
    make_administrator,
    rename_account,
    reopen_account,
)
from core.review.people.memberships import give_role, list_members
from core.review.people.sign_ins import INVITED_DAYS, invite
from core.review.store.projects import list_projects
from core.review.store.store import Store
from core.roles import Role

DESCRIPTION = f"""\
Say who works here. Each chooses a password by a link that works once, within {INVITED_DAYS} days; from
when the first administrator has, everybody signs in."""
ADMINISTERS = (
    "{name} is an administrator, with every right in every project, so a role in one changes nothing. "
    "Take that right back first: python -m core person role {name} none"
)
NEEDS_PROJECT = "Name the project of the role with --project, by its number or name: {projects}."


class GivenRole(StrEnum):
    """What `--role` takes; `none` takes a role back."""

    ADMIN = "admin"
    LEAD = Role.LEAD.value
    REVIEWER = Role.REVIEWER.value
    INDEXER = Role.INDEXER.value
    READER = Role.READER.value
    NONE = "none"


Name = Annotated[str, Argument(metavar="NAME", help="with which they sign in, in small letters")]
Address = Annotated[str, Option("--at", help="the address of the server, for the link")]
RoleOption = Annotated[
    GivenRole | None, Option("--role", help="in a project; admin has all rights")
]
ProjectOption = Annotated[str | None, Option("--project", help="number or name of the project")]
HERE = "http://localhost:8501"

app = Typer(help=DESCRIPTION, **PLAIN)


@app.command()
def add(
    name: Name,
    *,
    shown: Annotated[str, Option("--shown", help='how others see it, such as "Jo Berg"')] = "",
    role: RoleOption = None,
    project: ProjectOption = None,
    at: Address = HERE,
) -> None:
    """Add a person, and print the link by which they choose a password.

    Whoever has no password yet gets a new link as well, such as the one who was alone here.
    """
    with open_store() as store:
        number = _project(store, role, project)
        add_account(store, name, display_name=shown)
        _give(store, name, role, number)
        for account in list_accounts(store):
            if not (account.has_password or account.is_closed):
                print(
                    f"{account.name}: {at.rstrip('/')}/sign-in?link={invite(store, account.name)}"
                )


@app.command()
def link(name: Name, *, at: Address = HERE) -> None:
    """Print a link by which a person chooses a password anew; earlier links end."""
    with open_store() as store:
        print(f"{at.rstrip('/')}/sign-in?link={invite(store, name)}")


@app.command()
def role(
    name: Name,
    role: Annotated[GivenRole, Argument(metavar="ROLE", help=", ".join(GivenRole))],
    *,
    project: ProjectOption = None,
) -> None:
    """Give a person a role in a project, or make them an administrator.

    Of an administrator, `none` without a project takes that right back.
    """
    with open_store() as store:
        account = find_account(store, name)
        if not account.is_administrator or role is GivenRole.ADMIN:
            _give(store, name, role, _project(store, role, project))
        elif role is GivenRole.NONE and project is None:
            make_administrator(store, name, is_administrator=False)
        else:
            raise StoreError(ADMINISTERS.format(name=account.name))


@app.command()
def rename(
    name: Name,
    new_name: Annotated[str, Argument(metavar="NEW", help="with which they sign in from now on")],
    *,
    shown: Annotated[str | None, Option("--shown", help="how others see it from now on")] = None,
) -> None:
    """Give a person another name, such as the one who was alone here and is called "me"."""
    with open_store() as store:
        rename_account(store, name, new_name, shown)


@app.command()
def close(name: Name) -> None:
    """Have a person sign in no more, and end what they have open; their decisions stay."""
    with open_store() as store:
        close_account(store, name)


@app.command()
def reopen(name: Name) -> None:
    """Let a person whose account was closed sign in again."""
    with open_store() as store:
        reopen_account(store, name)


@app.command("list")
def list_people() -> None:
    """Print who works here, and with which roles."""
    with open_store() as store:
        members = {row.name: list_members(store, row.project_id) for row in list_projects(store)}
        for account in list_accounts(store):
            roles = [
                f"{at[account.person_id]} of {n}"
                for n, at in members.items()
                if account.person_id in at
            ]
            states = [
                *(["administrator"] if account.is_administrator else roles or ["no role"]),
                *([] if account.has_password else ["no password"]),
                *(["closed"] if account.is_closed else []),
            ]
            seen = f" ({account.display_name})" if account.display_name else ""
            print(f"{account.name}{seen}: {', '.join(states)}")


def _project(store: Store, role: GivenRole | None, named: str | None) -> int | None:
    """The number of the project that an option names, before anything is changed."""
    if role in (None, GivenRole.ADMIN):
        return None
    listed = [row for row in list_projects(store) if not row.is_archived]
    fitting = [row for row in listed if named in (str(row.project_id), row.name)]
    if not fitting and named is None and len(listed) == 1:
        fitting = listed
    if len(fitting) != 1:
        projects = ", ".join(f"{row.project_id} ({row.name})" for row in listed)
        raise StoreError(NEEDS_PROJECT.format(projects=projects or "there is none yet"))
    return fitting[0].project_id


def _give(store: Store, name: str, role: GivenRole | None, project_id: int | None) -> None:
    if role is GivenRole.ADMIN:
        make_administrator(store, name, is_administrator=True)
    elif role is not None and project_id is not None:
        give_role(store, name, project_id, None if role is GivenRole.NONE else Role(role.value))

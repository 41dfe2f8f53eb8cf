"""Accounts: who works here, by name; none is deleted, as decisions keep their people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.people.comments import gather_again
from core.review.store.people import default_person
from core.review.store.store import Store
from core.review.store.tables import assignment, invitation, membership, person, preference, sign_in
from core.roles import Role

LONGEST_NAME, LONGEST_DISPLAY_NAME = 64, 80
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]*")
BAD_NAME = (
    f"A name to sign in with has 1 to {LONGEST_NAME} small letters, digits, dots, hyphens, underscores "
    "and @, and begins with a letter or digit."
)
TAKEN = "There is an account named {name!r} already; choose another name."
SEEN_BY_IT = "Somebody else is seen by the name {0!r} already; choose another one."
ERASED = "person {0}"  # with a blank, as no name has one
UNKNOWN = "There is no account named {name!r}."
LAST = "{name!r} is the only administrator who can sign in; make another one first."


@dataclass(frozen=True, slots=True)
class Account:
    """Who works here.

    Attributes:
        name: with which they sign in, in small letters.
        display_name: by which others see them; "" where they gave none.
        has_password: whether they can sign in here with one.
        is_administrator: has every right, in every project.
        is_closed: signs in no more.
    """

    person_id: int
    name: str
    display_name: str
    has_password: bool
    is_administrator: bool
    is_closed: bool

    @property
    def shown(self) -> str:
        """What others see."""
        return self.display_name or self.name


_ACCOUNT = select(
    person.c.person_id,
    person.c.name,
    person.c.display_name,
    person.c.password.is_not(None).label("has_password"),
    person.c.is_administrator,
    person.c.closed_at.is_not(None).label("is_closed"),
).order_by(person.c.person_id)
_BY_NAME = _ACCOUNT.where(person.c.name == bindparam("wanted"))
_BY_ID = _ACCOUNT.where(person.c.person_id == bindparam("wanted"))
_SIGNS_IN = select(person.c.person_id).where(person.c.password.is_not(None)).limit(1)


def account_of(row: Row[Any]) -> Account:
    """Return the account of a row of the query for accounts."""
    return Account(**row._mapping)


def has_accounts(connection: Connection) -> bool:
    """Return whether people sign in: from when somebody, who then administers, has a password.

    Whatever happens to that account afterwards, it stays so: a password is never taken away.
    """
    return connection.scalar(_SIGNS_IN) is not None


def list_accounts(store: Store) -> list[Account]:
    """Return all accounts, the oldest first, closed ones too."""
    with store.read() as connection:
        return list(map(account_of, connection.execute(_ACCOUNT)))


def select_account(connection: Connection, person_id: int) -> Account | None:
    """Return an account by its number."""
    row = connection.execute(_BY_ID, {"wanted": person_id}).first()
    return None if row is None else account_of(row)


def open_account(connection: Connection, person_id: int | None) -> Account | None:
    """Return an account by its number; None where there is none, or it is closed."""
    account = None if person_id is None else select_account(connection, person_id)
    return None if account is None or account.is_closed else account


def find_account(store: Store, name: str) -> Account:
    """Return the account of a name, however it is spelled in capitals.

    Raises:
        StoreError: there is none.
    """
    with store.read() as connection:
        row = connection.execute(_BY_NAME, {"wanted": normal_name(name)}).first()
    if row is None:
        raise StoreError(UNKNOWN.format(name=name))
    return account_of(row)


def normal_name(name: str) -> str:
    """Return a name as it is kept."""
    return name.strip().lower()


def add_account(
    store: Store, name: str, *, display_name: str = "", is_administrator: bool = False
) -> Account:
    """Add a person, who chooses a password by an invitation.

    Whoever was alone before is there afterwards as well, and administers.

    Raises:
        StoreError: the name is not usable, or taken.
    """
    name, display_name = _usable(name), _usable_display(display_name)
    default_person(store)
    row = {
        "name": name,
        "display_name": display_name,
        "is_administrator": is_administrator,
        "created_at": datetime.now(UTC),
    }
    with store.write() as connection:
        _refuse_taken(connection, name)
        _refuse_seen(connection, display_name or name)
        written = insert(person).values(row).returning(person.c.person_id)
        added = connection.execute(written).scalar_one()
        role = Role.ADMINISTRATOR.value if is_administrator else None
        note_account(store, connection, AuditKind.ADDED, added, role=role)
    return find_account(store, name)


def rename_account(store: Store, name: str, new_name: str, display_name: str | None = None) -> None:
    """Give an account another name, with which it signs in from now on.

    Args:
        display_name: by which others see it from now on, "" for the name; None leaves it.

    Raises:
        StoreError: there is no such account, or the name is not usable, or taken.
    """
    former, new_name = find_account(store, name), _usable(new_name)
    shown = former.display_name if display_name is None else _usable_display(display_name)
    values = {"name": new_name, "display_name": shown}
    with store.write() as connection:
        if new_name != former.name:
            _refuse_taken(connection, new_name)
        if (shown or new_name) != former.shown:
            _refuse_seen(connection, shown or new_name, former.person_id)
        _change(connection, former.person_id, **values)
        gather_again(connection, former.person_id)
        note_account(store, connection, AuditKind.RENAMED, former.person_id)


def close_account(store: Store, name: str) -> None:
    """Have a person sign in no more, and be signed out everywhere at once.

    Raises:
        StoreError: there is no such account, or nobody could administer any more.
    """
    account = find_account(store, name)
    with store.write() as connection:
        _refuse_last(connection, account)
        _change(connection, account.person_id, closed_at=datetime.now(UTC))
        end_all(connection, account.person_id)
        note_account(store, connection, AuditKind.CLOSED, account.person_id)


def erase_account(store: Store, name: str) -> str:
    """Take names, password, roles and preferences of a person for good; the account is closed.

    Returns:
        What the person is called from now on, which nobody can sign in with.
    Raises:
        StoreError: there is no such account, or nobody could administer any more.
    """
    account = find_account(store, name)
    new_name = ERASED.format(account.person_id)
    values = {"name": new_name, "display_name": "", "password": None, "is_administrator": False}
    with store.write(alone=True) as connection:
        _refuse_last(connection, account)
        _change(connection, account.person_id, **values, closed_at=datetime.now(UTC))
        end_all(connection, account.person_id)
        for table in (membership, assignment, preference):
            connection.execute(delete(table).where(table.c.person_id == account.person_id))
        gather_again(connection, account.person_id)
        note_account(store, connection, AuditKind.ERASED, account.person_id)
    return new_name


def reopen_account(store: Store, name: str) -> None:
    """Let a person sign in again."""
    account = find_account(store, name)
    with store.write() as connection:
        _change(connection, account.person_id, closed_at=None)
        note_account(store, connection, AuditKind.REOPENED, account.person_id)


def make_administrator(store: Store, name: str, *, is_administrator: bool) -> None:
    """Give an account every right, or take it back.

    Raises:
        StoreError: there is no such account, or nobody could administer any more.
    """
    account = find_account(store, name)
    with store.write() as connection:
        if not is_administrator:
            _refuse_last(connection, account)
        _change(connection, account.person_id, is_administrator=is_administrator)
        role = Role.ADMINISTRATOR.value if is_administrator else None
        note_account(store, connection, AuditKind.ROLE, account.person_id, role=role)


def end_all(connection: Connection, person_id: int) -> None:
    """Sign a person out everywhere, and take back the links that they have."""
    for table in (sign_in, invitation):
        connection.execute(delete(table).where(table.c.person_id == person_id))


def _change(connection: Connection, person_id: int, **values: object) -> None:
    connection.execute(update(person).where(person.c.person_id == person_id).values(values))


def note_account(
    store: Store, connection: Connection, kind: AuditKind, account: int, **facts: Any
) -> None:
    """Note in the audit log what was done about an account, by its number."""
    record(connection, kind, person_id=store.actor, account=account, **facts)


def _usable(name: str) -> str:
    normal = normal_name(name)
    if len(normal) > LONGEST_NAME or not _NAME.fullmatch(normal):
        raise StoreError(BAD_NAME)
    return normal


def _usable_display(name: str) -> str:
    shown = " ".join(name.split())
    if len(shown) > LONGEST_DISPLAY_NAME or not shown.isprintable():
        raise StoreError(f"A name to be seen by has at most {LONGEST_DISPLAY_NAME} characters.")
    return shown


def _refuse_taken(connection: Connection, name: str) -> None:
    if connection.execute(_BY_NAME, {"wanted": name}).first() is not None:
        raise StoreError(TAKEN.format(name=name))


def _refuse_seen(connection: Connection, shown: str, person_id: int | None = None) -> None:
    """Refuse a name by which another person is seen, as everybody may choose their own."""
    others = map(account_of, connection.execute(_ACCOUNT))
    if shown.casefold() in {row.shown.casefold() for row in others if row.person_id != person_id}:
        raise StoreError(SEEN_BY_IT.format(shown))


def _refuse_last(connection: Connection, account: Account) -> None:
    others = map(account_of, connection.execute(_ACCOUNT))
    can_administer = [a for a in others if a.is_administrator and not a.is_closed]
    can_sign_in = [a for a in can_administer if a.has_password]
    if [a.person_id for a in can_sign_in or can_administer] == [account.person_id]:
        raise StoreError(LAST.format(name=account.name))

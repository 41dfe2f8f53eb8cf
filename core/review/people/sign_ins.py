"""Sign-ins and invitations: secrets of which the database holds a checksum alone.

A sign-in is what the cookie of a browser holds. An invitation is a link by which somebody chooses a
password, once.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, func, insert, select, update

from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.people.accounts import (
    Account,
    end_all,
    find_account,
    has_accounts,
    normal_name,
    open_account,
)
from core.review.people.passwords import hashed, is_password
from core.review.store.people import default_person
from core.review.store.store import Store
from core.review.store.tables import invitation, person, sign_in

SIGNED_IN_DAYS, INVITED_DAYS = 7, 3
NO_INVITATION = (
    "This link has been used, or is older than three days. Ask an administrator for another one."
)
TOO_EARLY = (
    "Nobody signs in here yet. It begins when an administrator has chosen a password by their own link; "
    "then this link works."
)
_PASSWORD = select(person.c.person_id, person.c.password).where(
    person.c.name == bindparam("wanted"), person.c.closed_at.is_(None)
)


def sign_in_with(store: Store, name: str, password: str) -> str | None:
    """Return what the cookie of a browser is to hold; None where name and password do not fit."""
    with store.read() as connection:
        row = connection.execute(_PASSWORD, {"wanted": normal_name(name)}).first()
    if not is_password(row.password if row else None, password) or row is None:
        with store.write() as connection:  # what was typed for a name may be a password
            record(connection, AuditKind.REFUSED, person_id=row.person_id if row else None)
        return None
    return begin_sign_in(store, row.person_id)


def begin_sign_in(store: Store, person_id: int, *, by: str | None = None) -> str:
    """Sign a person in, however they have shown who they are; return what the cookie is to hold.

    Args:
        by: what has said who they are, for the log; None for a password.
    """
    with store.write() as connection:
        _clear_ended(connection)
        token = _insert(connection, sign_in, person_id, SIGNED_IN_DAYS)
        detail: dict[str, Any] = {"by": by} if by else {}
        record(connection, AuditKind.SIGNED_IN, person_id=person_id, **detail)
    return token


def signed_in(store: Store, token: str) -> Account | None:
    """Return who has signed in with a cookie; None for an ended one, or a closed account."""
    with store.read() as connection:
        return open_account(connection, _holder(connection, sign_in, token))


def sign_out(store: Store, token: str) -> None:
    """End the sign-in of one browser."""
    with store.write() as connection:
        person_id = _holder(connection, sign_in, token)
        connection.execute(delete(sign_in).where(sign_in.c.digest == _digest(token)))
        if person_id is not None:
            record(connection, AuditKind.SIGNED_OUT, person_id=person_id)


def sign_out_everywhere(store: Store, person_id: int) -> None:
    """End all sign-ins of a person."""
    with store.write() as connection:
        connection.execute(delete(sign_in).where(sign_in.c.person_id == person_id))
        record(connection, AuditKind.SIGNED_OUT, person_id=person_id, everywhere=True)


def invite(store: Store, name: str) -> str:
    """Return what a link holds by which a person chooses a password; earlier links end.

    Raises:
        StoreError: there is no such account.
    """
    account = find_account(store, name)
    with store.write() as connection:
        whose = invitation.c.person_id == account.person_id
        connection.execute(delete(invitation).where(whose))
        return _insert(connection, invitation, account.person_id, INVITED_DAYS)


def invite_first(store: Store) -> str | None:
    """Return what the link of the first administrator holds; None where somebody signs in or is invited."""
    default_person(store)
    administers = person.c.is_administrator & person.c.closed_at.is_(None)
    with store.write(alone=True) as connection:
        waiting = select(invitation.c.digest).where(invitation.c.ends_at > datetime.now(UTC))
        first = connection.scalar(select(func.min(person.c.person_id)).where(administers))
        if first is None or has_accounts(connection) or connection.scalar(waiting) is not None:
            return None
        return _insert(connection, invitation, first, INVITED_DAYS)


def invited(store: Store, token: str) -> Account | None:
    """Return who was invited by a link; None where it works no more."""
    with store.read() as connection:
        return open_account(connection, _holder(connection, invitation, token))


def choose_password(store: Store, token: str, password: str) -> int:
    """Set the password of who was invited, sign them out elsewhere, and return who it is.

    Raises:
        StoreError: the link works no more, the password is too short, or nobody signs in yet and
            this is no administrator.
    """
    kept = hashed(password)
    with store.write(alone=True) as connection:
        account = open_account(connection, _holder(connection, invitation, token))
        if account is None:
            raise StoreError(NO_INVITATION)
        if not (account.is_administrator or has_accounts(connection)):
            raise StoreError(TOO_EARLY)
        this = person.c.person_id == account.person_id
        connection.execute(update(person).where(this).values(password=kept))
        end_all(connection, account.person_id)
        record(connection, AuditKind.PASSWORD, person_id=account.person_id)
    return account.person_id


def _holder(connection: Connection, table: Table, token: str) -> int | None:
    query = select(table.c.person_id).where(
        table.c.digest == _digest(token), table.c.ends_at > datetime.now(UTC)
    )
    return connection.scalar(query)


def _insert(connection: Connection, table: Table, person_id: int, n_days: int) -> str:
    token = secrets.token_urlsafe(32)
    ends_at = datetime.now(UTC) + timedelta(days=n_days)
    row = {"digest": _digest(token), "person_id": person_id, "ends_at": ends_at}
    connection.execute(insert(table).values(row))
    return token


def _clear_ended(connection: Connection) -> None:
    for table in (sign_in, invitation):
        connection.execute(delete(table).where(table.c.ends_at <= datetime.now(UTC)))


def _digest(token: str) -> str:
    """SHA-256; the tokens have 256 random bits, and need no slower one."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()

"""Who has signed in, as the database says: asked in threads, since a gate must not wait for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from functools import partial

from core.errors import StoreError, StrataError
from core.review.audit.log import AuditKind, record_alone
from core.review.people.accounts import Account, find_account, has_accounts, open_account
from core.review.people.sign_ins import (
    begin_sign_in,
    choose_password,
    invited,
    sign_in_with,
    sign_out,
    sign_out_everywhere,
    signed_in,
)
from core.review.store.people import select_first
from core.review.store.store import Store

FRESH_SECONDS = 1.0  # that an answer of the database is trusted where nothing is read or written
MOST_KEPT = 1_000


class People:
    """Who has signed in, as the database says; looked up in threads, and kept for a moment.

    Args:
        store: the open store.
        always: whether people are told apart from the first start, as a proxy or a provider of
            OpenID Connect signs them in.
    """

    def __init__(self, store: Callable[[], Store], *, always: bool = False) -> None:
        self._store, self._always = store, always
        self._are_on, self._until = False, 0.0
        self._vouched: set[tuple[int, date]] = set()  # by a proxy, and noted
        self._kept: dict[str, tuple[Account, float]] = {}  # by cookie

    async def are_on(self) -> bool:
        """Return whether people sign in here; as it was where the database does not say."""
        if time.monotonic() >= self._until:
            with suppress(StrataError):
                self._are_on = await asyncio.to_thread(self._read)
            self._until = time.monotonic() + FRESH_SECONDS
        return self._are_on

    def _read(self) -> bool:
        with self._store().read() as connection:
            return self._always or has_accounts(connection)

    async def of_cookie(self, token: str, *, is_fresh: bool) -> Account | None:
        """Return who has signed in with a cookie.

        Args:
            is_fresh: whether the database is asked now; else it may have been a moment ago.
        """
        if not token:
            return None
        account, until = self._kept.get(token, (None, 0.0))
        if not is_fresh and time.monotonic() < until:
            return account
        account = await asyncio.to_thread(signed_in, self._store(), token)
        while len(self._kept) >= MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept.pop(token, None)
        if account is not None:
            self._kept[token] = (account, time.monotonic() + FRESH_SECONDS)
        return account

    async def of_name(self, name: str) -> Account | None:
        """Return the open account of a name that a proxy vouches for; noted in the log once a day."""
        try:
            account = await asyncio.to_thread(find_account, self._store(), name)
        except StoreError:
            return None
        if account.is_closed:
            return None
        seen = (account.person_id, datetime.now(UTC).date())
        if seen not in self._vouched:
            facts = {"person_id": account.person_id, "by": "proxy"}
            note = partial(record_alone, self._store(), AuditKind.SIGNED_IN, **facts)
            await asyncio.to_thread(note)
            self._vouched = {one for one in self._vouched if one[1] == seen[1]} | {seen}
        return account

    async def of_number(self, person_id: int | None) -> Account | None:
        """Return an open account by its number; of keys from before there were people, the first."""
        return await asyncio.to_thread(self._select, person_id)

    def _select(self, person_id: int | None) -> Account | None:
        with self._store().read() as connection:
            first = select_first(connection)
            return open_account(connection, person_id or (first.person_id if first else None))

    async def sign_in(self, name: str, password: str) -> str | None:
        """Return what the cookie is to hold; None where name and password do not fit."""
        return await asyncio.to_thread(sign_in_with, self._store(), name, password)

    async def sign_in_as(self, name: str, *, by: str) -> str | None:
        """Return what the cookie is to hold of a person of whom others say who they are.

        Returns:
            None where there is no open account of that name; the log has that somebody tried.
        """
        return await asyncio.to_thread(self._sign_in_as, name, by)

    def _sign_in_as(self, name: str, by: str) -> str | None:
        store, account = self._store(), None
        with suppress(StoreError):
            account = find_account(store, name)
        if account is None or account.is_closed:
            person_id = account.person_id if account else None
            record_alone(store, AuditKind.REFUSED, person_id=person_id, by=by)
            return None
        return begin_sign_in(store, account.person_id, by=by)

    async def sign_out(self, token: str, *, everywhere: bool) -> None:
        """End the sign-in of one browser, or of all that the person has."""
        account = await self.of_cookie(token, is_fresh=True)
        self._kept.clear()
        if account is None:
            return
        if everywhere:
            await asyncio.to_thread(sign_out_everywhere, self._store(), account.person_id)
        else:
            await asyncio.to_thread(sign_out, self._store(), token)

    async def invited(self, link: str) -> Account | None:
        """Return who was invited by a link."""
        return await asyncio.to_thread(invited, self._store(), link)

    async def choose_password(self, link: str, password: str) -> str:
        """Set the password of who was invited; return what the cookie is to hold."""

        def choose() -> str:
            store = self._store()
            return begin_sign_in(store, choose_password(store, link, password))

        self._kept.clear()
        token = await asyncio.to_thread(choose)
        self._until = 0.0  # it may have been the first
        return token

"""The gate before all routes where several people work: it tells what is behind it who asks.

People sign in with name and password, or by a provider of OpenID Connect, or a proxy that is named as
trusted signs them in and says in a header who they are. What is behind the gate finds them in `scope["person"]`, and pages, which see
the headers of a websocket alone, in a header that nobody else can send.
"""

from __future__ import annotations

import hashlib
from html import escape

from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.api.answers import PERSON
from core.api.protection.access import AccessGate, password_of, refused
from core.api.protection.attempts import TOO_OFTEN, Attempts
from core.api.protection.bodies import TOO_SLOW
from core.api.protection.guard import (
    API,
    NO_PAGES,
    PROGRAMS,
    STREAMLIT,
    first_segment,
    sender_of,
)
from core.api.protection.openid import COOKIE, OpenId, OpenIdError, place_here
from core.api.protection.program_keys import ProgramKeys
from core.api.protection.proxies import FROM_NAMED_PROXY
from core.api.protection.sign_in import (
    LEAVE_ALL_FIELD,
    LEAVE_FIELD,
    LINK_FIELD,
    NAME_FIELD,
    OPENID_FIELD,
    PASSWORD_FIELD,
    SIGN_IN,
    Forms,
    cookie_of,
    leading_on,
    same_page,
    sign_in_page,
    while_signed_in,
    without_cookie,
)
from core.api.protection.signed_out import SignedOutCookies
from core.api.protection.who import People
from core.errors import StoreError, StrataError
from core.review.people.accounts import Account
from core.review.people.sign_ins import NO_INVITATION, SIGNED_IN_DAYS, TOO_EARLY
from core.serving.caller import PERSON_HEADER

HEALTH = f"{STREAMLIT}/health"
ASKED = "Sign in first."
WRONG = "Name and password do not fit, or the account is closed."
WRONG_PROGRAM = "That key is not known here, was revoked, or is of nobody who works here any more."
SIGNED_OUT = "You are signed out."
SIGNED_OUT_EVERYWHERE = "You are signed out in all browsers."
UNKNOWN_NAME = (
    "Nobody here is called by the name under which you were signed in. Ask an administrator of Strata "
    "to add you."
)


class PeopleGate:
    """Lets people through who have signed in, and programs that bring a key of somebody's.

    Args:
        name: of the cookie; two servers of one machine have two.
        user_header: in which a proxy that is named as trusted says who asks; "" for none.
        openid: a provider that signs people in as well; None for none.
    """

    def __init__(
        self,
        app: ASGIApp,
        people: People,
        *,
        name: str,
        base_path: str = "",
        program_keys: ProgramKeys | None = None,
        user_header: str = "",
        openid: OpenId | None = None,
    ) -> None:
        self.app, self.cookie = app, name
        self._people = people
        self._base_path = base_path.strip("/")
        self._below = f"/{self._base_path}".rstrip("/")
        self._program_keys = program_keys or ProgramKeys()
        self._user_header = user_header.lower()
        self._openid = openid
        self._attempts, self._forms = Attempts(), Forms()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open one websocket, for those who may."""
        if scope["path"] == f"{self._below}/{HEALTH}":  # whether it is up, which any proxy may ask
            await self.app(scope, receive, send)
            return
        try:
            found = await self._account(scope, receive)
        except StrataError as error:  # the database cannot be read
            found = JSONResponse({"problem": str(error)}, status_code=503)
        if isinstance(found, Account):
            _note(scope, found)
            if scope["type"] == "websocket":
                receive, send = self._while_signed_in(scope, found, receive, send)
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await found(scope, receive, send)

    async def _account(self, scope: Scope, receive: Receive) -> Account | Response:
        headers = Headers(scope=scope)
        segment = first_segment(scope["path"], self._base_path)
        is_page = scope["type"] == "http" and segment not in NO_PAGES
        if scope["type"] == "http" and segment == PROGRAMS and (given := password_of(headers)):
            return await self._program(scope, given)
        if self._is_from_proxy(scope):
            return await self._of_proxy(headers)
        if is_page and scope["method"] == "POST":
            return await self._take_form(scope, receive)
        is_fresh = scope["type"] == "websocket" or segment in (API, PROGRAMS, STREAMLIT)
        account = await self._people.of_cookie(cookie_of(headers, self.cookie), is_fresh=is_fresh)
        if is_page and segment == SIGN_IN:
            return await self._sign_in_page(scope, account)
        if account is not None:
            return account
        return self._name_page(scope, status=401) if is_page else refused(ASKED)

    # ------------------------------------------------------------------ who it is

    def _is_from_proxy(self, scope: Scope) -> bool:
        return bool(self._user_header and scope.get(FROM_NAMED_PROXY))

    async def _of_proxy(self, headers: Headers) -> Account | Response:
        named = headers.getlist(self._user_header)
        account = await self._people.of_name(named[0]) if len(named) == 1 else None
        return account or JSONResponse({"problem": UNKNOWN_NAME}, status_code=403)

    async def _program(self, scope: Scope, given: str) -> Account | Response:
        address = sender_of(scope)
        if not await self._attempts.take(address):
            return refused(TOO_OFTEN)
        # No turn of others in between: they would be counted as attempts that are going on.
        key = self._program_keys.find(given)
        if key is None:
            return refused(WRONG_PROGRAM)
        self._attempts.give_back(address)
        account = await self._people.of_number(key.person_id)
        if account is None:
            return refused(WRONG_PROGRAM)
        scope["scopes"], scope["sender"] = key.scopes, key.key_id
        return account

    def _while_signed_in(
        self, scope: Scope, account: Account, receive: Receive, send: Send
    ) -> tuple[Receive, Send]:
        token = cookie_of(Headers(scope=scope), self.cookie)
        is_from_proxy = self._is_from_proxy(scope)

        async def is_still(*, is_fresh: bool) -> bool:
            try:
                if is_from_proxy:
                    now = await self._people.of_name(account.name)
                else:
                    now = await self._people.of_cookie(token, is_fresh=is_fresh)
            except StrataError:
                return False
            return now is not None and now.person_id == account.person_id

        receive_while, _ = while_signed_in(lambda: is_still(is_fresh=True), receive, send)
        _, send_while = while_signed_in(lambda: is_still(is_fresh=False), receive, send)
        return receive_while, send_while

    # ------------------------------------------------------------------ forms

    async def _sign_in_page(self, scope: Scope, account: Account | None) -> Response:
        query = QueryParams(scope.get("query_string", b""))
        if link := query.get(LINK_FIELD, ""):
            guest = await self._people.invited(link)
            if guest is None:
                return self._name_page(scope, NO_INVITATION, status=410)
            if not (guest.is_administrator or await self._people.are_on()):
                return sign_in_page(TOO_EARLY, form="name", who=guest.name, status=409)
            return sign_in_page(form="link", who=guest.name, link=link, status=200)
        if self._openid is not None and OPENID_FIELD in query:
            return await self._to_provider(self._openid, scope, query[OPENID_FIELD])
        if self._openid is not None and "state" in query:
            return await self._from_provider(self._openid, scope, query)
        if account is None:
            return self._name_page(scope, status=200)
        return sign_in_page(form="person", who=account.shown, status=200)

    async def _take_form(self, scope: Scope, receive: Receive) -> Response:
        try:
            form = await self._forms.read(receive)
        except TimeoutError:
            return self._name_page(scope, TOO_SLOW, status=408)
        if LEAVE_FIELD in form or LEAVE_ALL_FIELD in form:
            return await self._leave(scope, everywhere=LEAVE_ALL_FIELD in form)
        name, password = form.get(NAME_FIELD, "")[:200], form.get(PASSWORD_FIELD, "")
        if LINK_FIELD in form:
            return await self._choose(scope, form[LINK_FIELD], name, password)
        # Counted for the address and for the account: many addresses may guess at one password.
        counted = (sender_of(scope), f"account {name.strip().lower()}")
        for one in counted:
            if not await self._attempts.take(one):
                return self._name_page(scope, TOO_OFTEN, who=name, status=429)
        token = await self._people.sign_in(name, password)
        if token is None:
            return self._name_page(scope, WRONG, who=name, status=401)
        for one in counted:
            self._attempts.give_back(one)
        return self._with_cookie(scope, token)

    async def _choose(self, scope: Scope, link: str, name: str, password: str) -> Response:
        try:
            return self._with_cookie(scope, await self._people.choose_password(link, password))
        except StoreError as error:
            if await self._people.invited(link) is None:
                return self._name_page(scope, NO_INVITATION, status=410)
            return sign_in_page(str(error), form="link", who=name, link=link, status=400)

    async def _leave(self, scope: Scope, *, everywhere: bool) -> Response:
        token = cookie_of(Headers(scope=scope), self.cookie)
        await self._people.sign_out(token, everywhere=everywhere)
        sentence = SIGNED_OUT_EVERYWHERE if everywhere else SIGNED_OUT
        return without_cookie(self._name_page(scope, sentence, status=200), self.cookie)

    def _name_page(
        self, scope: Scope, sentence: str = "", *, who: str = "", status: int
    ) -> Response:
        elsewhere = (self._openid.host, same_page(scope)) if self._openid else None
        return sign_in_page(sentence, form="name", who=who, status=status, elsewhere=elsewhere)

    # ------------------------------------------------------------------ a provider elsewhere

    async def _to_provider(self, openid: OpenId, scope: Scope, place: str) -> Response:
        try:
            return await openid.begin(scope, place_here(place))
        except StrataError as error:
            return self._name_page(scope, str(error), status=503)

    async def _from_provider(self, openid: OpenId, scope: Scope, query: QueryParams) -> Response:
        address = sender_of(scope)
        if not await self._attempts.take(address):  # each asks the provider
            return self._name_page(scope, TOO_OFTEN, status=429)
        try:
            name, place = await openid.finish(scope, query)
            token = await self._people.sign_in_as(name, by="openid")
        except OpenIdError as error:
            answer = self._name_page(scope, escape(str(error)), status=401)
        else:
            answer = self._name_page(scope, UNKNOWN_NAME, status=403)
            if token is not None:
                self._attempts.give_back(address)
                answer = self._with_cookie(scope, token, place)
        return without_cookie(answer, COOKIE)

    def _with_cookie(self, scope: Scope, token: str, place: str | None = None) -> Response:
        address, seconds = place or same_page(scope), SIGNED_IN_DAYS * 24 * 3600
        return leading_on(scope, address, self.cookie, token, seconds=seconds)


class EveryGate:
    """The gate by names where several people work here, or else the one by the key."""

    def __init__(
        self,
        app: ASGIApp,
        people: People,
        *,
        key: str | None,
        name: str,
        base_path: str = "",
        user_header: str = "",
        openid: OpenId | None = None,
        program_keys: ProgramKeys | None = None,
        signed_out: SignedOutCookies | None = None,
    ) -> None:
        self._people, self._base_path = people, base_path.strip("/")
        self._by_key = AccessGate(
            app, key=key, base_path=base_path, signed_out=signed_out, program_keys=program_keys
        )
        self._by_name = PeopleGate(
            app,
            people,
            name=name,
            base_path=base_path,
            program_keys=program_keys,
            user_header=user_header,
            openid=openid,
        )
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open one websocket, for those who may."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        _note(scope, None)
        is_by_name = await self._people.are_on() or self._is_invitation(scope)
        gate = self._by_name if is_by_name else self._by_key
        await gate(scope, receive, send)

    def _is_invitation(self, scope: Scope) -> bool:
        """Whether somebody comes by a link, which the first to sign in has to."""
        is_page = first_segment(scope["path"], self._base_path) == SIGN_IN
        return is_page and f"{LINK_FIELD}=".encode() in scope.get("query_string", b"")


def cookie_name(home: str) -> str:
    """Return the name of the cookie of a server with this home folder."""
    return f"strata_person_{hashlib.sha256(home.encode()).hexdigest()[:8]}"


def _note(scope: Scope, account: Account | None) -> None:
    """Say who asks to what is behind the gate, whatever a request says itself."""
    named = PERSON_HEADER.encode()
    scope["headers"] = [pair for pair in scope["headers"] if pair[0].lower() != named]
    scope.pop(PERSON, None)
    if account is not None:
        scope[PERSON] = account.person_id
        scope["headers"].append((named, str(account.person_id).encode()))

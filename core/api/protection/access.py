"""The gate before all routes: it lets through who brings the access key, and asks others for it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from base64 import b64decode

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from core.api.protection.access_key import is_loopback
from core.api.protection.attempts import TOO_OFTEN, Attempts
from core.api.protection.bodies import TOO_SLOW
from core.api.protection.guard import NO_PAGES, PROGRAMS, first_segment, sender_of
from core.api.protection.program_keys import EVERYTHING, ProgramKeys
from core.api.protection.sign_in import (
    KEY_FIELD,
    LEAVE_FIELD,
    SIGN_IN,
    Forms,
    cookie_of,
    leading_on,
    same_page,
    sign_in_page,
    while_signed_in,
    without_cookie,
)
from core.api.protection.signed_out import SIGNED_IN_SECONDS, SignedOutCookies, expires

ASKED = "Sign in with the access key first."
WRONG = "That is not the access key."
WRONG_PROGRAM = "That key is not known here, or was revoked; make one on the Settings page."
SIGNED_OUT = "You are signed out."
NOT_LOCAL = "This server answers its own machine alone, as it has no access key."


class AccessGate:
    """Lets requests and websockets through that bring the key, or the cookie of having signed in.

    Programs send `Authorization: Bearer KEY`; so does a proxy that signs people in itself. What is
    made for programs opens with a key of theirs as well, which may be sent as a password: then the
    key is checked also where the server has none, and `scope["scopes"]` says what it allows and
    `scope["sender"]` who it is.

    Args:
        key: None for a server that answers its own machine alone.
        signed_out: the cookies that open nothing any more.
        program_keys: the keys of programs; None for none.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        key: str | None,
        base_path: str = "",
        signed_out: SignedOutCookies | None = None,
        program_keys: ProgramKeys | None = None,
    ) -> None:
        self.app = app
        self._program_keys = program_keys or ProgramKeys()
        self.base_path = base_path.strip("/")
        self._digest = _digest(key or "")
        # A slow one, for keys that people have thought of: a stolen cookie does not give them away.
        digest = hashlib.scrypt(key.encode(), salt=b"strata", n=2**14, r=8, p=1) if key else None
        self._secret = digest
        self._attempts = Attempts()
        self._forms = Forms()
        self._signed_out = signed_out or SignedOutCookies()
        # Cookies know no ports: two servers of one machine have two names.
        self.cookie = f"strata_{hmac.digest(digest or b'', b'name', 'sha256').hex()[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open one websocket, for those who may."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = await self._refusal(scope, receive)
        if refusal is None and scope["type"] == "websocket" and self._secret is not None:
            await self.app(scope, *self._while_signed_in(Headers(scope=scope), receive, send))
        elif refusal is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, send)

    async def _refusal(self, scope: Scope, receive: Receive) -> Response | None:
        segment = first_segment(scope["path"], self.base_path)
        if self._secret is None:
            # Where the request came in; nothing stands there for a socket of this machine.
            server = scope.get("server")
            is_here = server is None or is_loopback(server[0])
            if not is_here:
                return JSONResponse({"problem": NOT_LOCAL}, status_code=403)
        headers = Headers(scope=scope)
        if self._is_for_programs(scope) and (given := password_of(headers)):
            return await self._take_program(scope, given)
        if self._secret is None:
            return None
        is_page = scope["type"] == "http" and segment not in NO_PAGES
        if is_page and scope["method"] == "POST":
            return await self._take_form(scope, receive)
        is_in, problem = await self._is_signed_in(headers, sender_of(scope))
        if is_page and segment == SIGN_IN:
            return sign_in_page(form="out" if is_in else "in", status=200)
        if is_in:
            return None
        if is_page:
            return sign_in_page(problem, status=429 if problem == TOO_OFTEN else 401)
        return refused(problem or ASKED)

    def _is_for_programs(self, scope: Scope) -> bool:
        below = f"/{self.base_path}/".replace("//", "/") + PROGRAMS
        path: str = scope["path"]
        return scope["type"] == "http" and (path == below or path.startswith(f"{below}/"))

    async def _take_program(self, scope: Scope, given: str) -> Response | None:
        """Note what a program may do that brings a key; why it may not come in."""
        address = sender_of(scope)
        if not await self._attempts.take(address):
            return refused(TOO_OFTEN)
        # No turn of others in between: they would be counted as attempts that are going on.
        program_key = self._program_keys.find(given)
        if program_key is not None:
            scope["scopes"], scope["sender"] = program_key.scopes, program_key.key_id
        elif self._secret is not None and hmac.compare_digest(_digest(given), self._digest):
            scope["scopes"], scope["sender"] = EVERYTHING, address
        else:
            return refused(WRONG_PROGRAM)
        self._attempts.give_back(address)
        return None

    async def _is_signed_in(self, headers: Headers, address: str) -> tuple[bool, str]:
        """Whether a request brings key or cookie; where it brings a wrong key, the sentence."""
        given = _bearer(headers)
        if given is not None:
            problem = await self._problem_of(given, address)
            return not problem, problem
        return self._is_valid(cookie_of(headers, self.cookie)), ""

    async def _problem_of(self, given: str, address: str) -> str:
        if not await self._attempts.take(address):
            return TOO_OFTEN
        if not hmac.compare_digest(_digest(given), self._digest):
            return WRONG
        self._attempts.give_back(address)
        return ""

    async def _take_form(self, scope: Scope, receive: Receive) -> Response:
        try:
            form = await self._forms.read(receive)
        except TimeoutError:
            return sign_in_page(TOO_SLOW, status=408)
        if LEAVE_FIELD in form:
            token = cookie_of(Headers(scope=scope), self.cookie)
            if self._is_valid(token):  # for the websockets that it has opened as well
                await asyncio.to_thread(self._signed_out.add, _content(token))
            return without_cookie(sign_in_page(SIGNED_OUT, status=200), self.cookie)
        problem = await self._problem_of(form.get(KEY_FIELD, "").strip(), sender_of(scope))
        if problem:
            return sign_in_page(problem, status=429 if problem == TOO_OFTEN else 401)
        token = self._token(f"{int(time.time()) + SIGNED_IN_SECONDS}-{secrets.token_hex(8)}")
        address = same_page(scope)
        return leading_on(scope, address, self.cookie, token, seconds=SIGNED_IN_SECONDS)

    def _while_signed_in(
        self, headers: Headers, receive: Receive, send: Send
    ) -> tuple[Receive, Send]:
        token = cookie_of(headers, self.cookie)

        async def may_stay() -> bool:
            return _bearer(headers) is not None or self._is_valid(token)

        return while_signed_in(may_stay, receive, send)

    def _token(self, content: str) -> str:
        """Return what a cookie holds: when it expires and a number of its own, signed."""
        assert self._secret is not None
        return f"{content}.{hmac.digest(self._secret, content.encode(), 'sha256').hex()}"

    def _is_valid(self, token: str) -> bool:
        content = _content(token)
        if not hmac.compare_digest(token.encode(), self._token(content).encode()):
            return False
        return expires(content) > time.time() and content not in self._signed_out


def refused(problem: str) -> JSONResponse:
    """Return the answer to who may not come in."""
    status = 429 if problem == TOO_OFTEN else 401
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {"Retry-After": "1"}
    return JSONResponse({"problem": problem}, status_code=status, headers=headers)


def password_of(headers: Headers) -> str | None:
    """Return the key that a program brings, also as the password of an address; None for none."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return _bearer(headers)
    try:
        user, _, password = b64decode(given, validate=True).decode("utf-8").partition(":")
    except ValueError:
        return given or None  # which is no key
    return password or user or None


def _bearer(headers: Headers) -> str | None:
    kind, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else None


def _content(token: str) -> str:
    return token.rpartition(".")[0]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

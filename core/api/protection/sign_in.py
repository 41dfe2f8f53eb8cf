"""The page on which one signs in and out, and the small forms that it sends."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64encode
from collections.abc import Awaitable, Callable
from functools import cache
from html import escape
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Message, Receive, Scope, Send

from core.paths import PROJECT_ROOT

SIGN_IN = "sign-in"  # the page where one signs out, too
KEY_FIELD, LEAVE_FIELD, LEAVE_ALL_FIELD = "access_key", "sign_out", "sign_out_everywhere"
OPENID_FIELD = "openid"  # of the link by which one goes to a provider: the page to come back to
NAME_FIELD, PASSWORD_FIELD, LINK_FIELD = "name", "password", "link"
# A browser sends such a form in one piece; one form more than are waited for ends the oldest.
MAX_FORM_BYTES, FORM_SECONDS, MOST_FORMS = 4_000, 5.0, 50
FORMS = ("in", "name", "link", "out", "person")  # that the page may have, one at a time


class Forms:
    """The forms that are waited for."""

    def __init__(self) -> None:
        self._waits: dict[asyncio.Timeout, None] = {}  # the oldest first

    async def read(self, receive: Receive) -> dict[str, str]:
        """Return the fields of a form; none where it is no form, or longer than one for a key.

        Raises:
            TimeoutError: it did not arrive, or others were sent that did not.
        """
        body = b""
        async with asyncio.timeout(FORM_SECONDS) as wait:
            self._waits[wait] = None
            if len(self._waits) > MOST_FORMS:
                oldest = next(iter(self._waits))
                del self._waits[oldest]
                if not oldest.expired():
                    oldest.reschedule(asyncio.get_running_loop().time())
            try:
                while len(body) <= MAX_FORM_BYTES:
                    message: Message = await receive()
                    if message["type"] != "http.request":  # who has gone has tried no key
                        raise TimeoutError
                    body += message.get("body", b"")
                    if not message.get("more_body", False):
                        break
            finally:
                self._waits.pop(wait, None)
        if len(body) > MAX_FORM_BYTES:
            return {}
        return dict(parse_qsl(body.decode("utf-8", "replace")))


def sign_in_page(
    sentence: str = "",
    *,
    form: str = "in",
    status: int,
    who: str = "",
    link: str = "",
    elsewhere: tuple[str, str] | None = None,
) -> HTMLResponse:
    """Return the page with one of its forms.

    Args:
        sentence: what has happened; of this program, in HTML.
        form: "in" asks for the key, "name" for name and password, "link" has somebody choose a
            password, "out" and "person" ask those who are in whether they want out.
        who: the name that was typed, or that is signed in or invited.
        link: by which somebody was invited.
        elsewhere: the host of a provider that signs people in as well, and the page to come back to.
    """
    page, style = _template()
    for name in FORMS:
        start, end = f"<!-- sign {name} -->", f"<!-- end of sign {name} -->"
        before, _, rest = page.partition(start)
        inner, _, after = rest.partition(end)
        page = before + (inner if name == form else "") + after
    alert = f'<p id="said" role="alert">{sentence}</p>' if sentence else ""
    provider = _provider(*elsewhere) if elsewhere else ""
    fields = {"<!-- said -->": alert, "<!-- who -->": escape(who), "<!-- link -->": escape(link)}
    fields["<!-- elsewhere -->"] = provider
    for mark, content in fields.items():
        page = page.replace(mark, content)
    policy = (
        f"default-src 'none'; style-src '{style}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    if status == 429:
        headers["Retry-After"] = "1"
    return HTMLResponse(page, status_code=status, headers=headers)


def _provider(host: str, place: str) -> str:
    """A link: a form that leads away from this site would be refused by the policy."""
    address = f"./{SIGN_IN}?{urlencode({OPENID_FIELD: place})}"
    return f'<p><a class="button" href="{escape(address)}">Sign in with {escape(host)}</a></p>'


@cache
def _template() -> tuple[str, str]:
    page = (PROJECT_ROOT / "assets" / "sign-in.html").read_text("utf-8")
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = hashlib.sha256(style.encode()).digest()
    return page, f"sha256-{b64encode(digest).decode('ascii')}"


def same_page(scope: Scope) -> str:
    """Return the address to go on with after sign-in, always on this server."""
    query = scope.get("query_string", b"").decode("latin-1")
    last = scope.get("raw_path", b"/").decode("latin-1").rpartition("/")[2]
    if last == SIGN_IN:
        return "./"
    return f"./{last}?{query}" if query else f"./{last}"


def cookie_of(headers: Headers, name: str) -> str:
    """Return what a cookie holds; "" where the browser has none of the name."""
    return cookie_parser(headers.get("cookie", "")).get(name, "")


def leading_on(scope: Scope, address: str, cookie: str, value: str, *, seconds: int) -> Response:
    """Return the answer that leads on to an address, with a cookie that no script reads."""
    origin = Headers(scope=scope).get("origin", "")  # of who came by HTTPS to a proxy in front
    is_secure = scope["scheme"] == "https" or origin.startswith("https:")
    answer = RedirectResponse(address, status_code=303)
    answer.set_cookie(
        cookie, value, max_age=seconds, httponly=True, samesite="lax", secure=is_secure
    )
    return answer


def without_cookie(answer: Response, cookie: str) -> Response:
    """Return an answer that has the browser forget a cookie."""
    answer.delete_cookie(cookie, httponly=True, samesite="lax")
    return answer


def while_signed_in(
    may_stay: Callable[[], Awaitable[bool]], receive: Receive, send: Send
) -> tuple[Receive, Send]:
    """Return both ways of a websocket, which closes at its next message when its cookie has ended."""

    async def receive_while() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive" or await may_stay():
            return message
        await send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

    async def send_while(message: Message) -> None:
        if message["type"] != "websocket.send" or await may_stay():
            await send(message)

    return receive_while, send_while

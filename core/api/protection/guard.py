"""What every request passes before a page or a route answers it, and what every answer carries.

Requests that another site has a browser send are refused, reading ones too: only a link to a page
may come from elsewhere. Answers say that no other site may frame, embed or keep them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.api.protection.bodies import TOO_SLOW, Bodies, Body, RefusedBodyError

_LOG = logging.getLogger(__name__)

# First parts of the addresses that are no page; what they answer may hold text of documents.
API, MEDIA, STREAMLIT = "api", "media", "_stcore"
PROGRAMS = "v1"  # what programs speak
ASKED = frozenset({API, PROGRAMS})  # what is worked out for who asks
UPLOADS = f"{STREAMLIT}/upload_file"
NO_PAGES = frozenset({API, PROGRAMS, MEDIA, STREAMLIT, "component", "static", "app", "auth"})
NEVER_KEPT = frozenset({API, PROGRAMS, MEDIA, STREAMLIT})
# Of Streamlit, and needed by no page: figures about sessions, and interfaces for programs.
CLOSED = (f"/{STREAMLIT}/metrics", f"/{STREAMLIT}/script-health-check", f"/{STREAMLIT}/agent")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

# A message is a page of JSON; an upload may be 200 MB over a slow line.
PIECE_SECONDS, BODY_SECONDS, UPLOAD_SECONDS = 20.0, 30.0, 1800.0

OTHER_HOST = "This server does not answer under that name."
OTHER_SITE = "Only pages of this server may ask for this."
NOT_HERE = "There is nothing here."

# Streamlit's styles are made in the browser, and scripts of components are imported as blobs.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
}


class Guard:
    """Lets through what pages of this server send, and adds the headers of every answer.

    Args:
        hosts: names under which the server answers; "*" stands for any, "*.example.org" for all
            below one. Those of this machine itself are always among them.
        scripts: hashes of the scripts that stand in Streamlit's own page.
        base_path: what stands before every address, as "strata".
        origins: sites whose pages may ask what programs may.
        bodies: counts what is being sent; others than those of this guard are for tests.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Iterable[str],
        scripts: Iterable[str] = (),
        base_path: str = "",
        origins: Iterable[str] = (),
        bodies: Bodies | None = None,
    ) -> None:
        self.app = app
        self.hosts = tuple(host.strip().lower().rstrip(".") for host in hosts)
        self.base_path = base_path.strip("/")
        self.origins = frozenset(origins)
        self._bodies = bodies or Bodies()
        sources = " ".join(f"'{script}'" for script in scripts)
        policy = POLICY | {"script-src": f"{POLICY['script-src']} {sources}".strip()}
        self.policy = "; ".join(f"{name} {value}" for name, value in policy.items())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open one websocket."""
        if scope["type"] == "websocket":
            if self._refusal(scope) is None:
                await self.app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        segment = first_segment(scope["path"], self.base_path)
        is_upload = f"/{UPLOADS}/" in scope["path"]
        body = Body(sender_of(scope), is_upload=is_upload)
        exchange = _Exchange(
            scope, receive, send, policy=self.policy, body=body, bodies=self._bodies
        )
        exchange.is_kept = segment not in NEVER_KEPT
        exchange.origin = self._listed_origin(scope, segment)
        refusal = self._refusal(scope)
        if refusal is None and exchange.origin and scope["method"] == "OPTIONS":
            refusal = Response(status_code=204, headers=PREFLIGHT)
        try:
            await (refusal or self.app)(scope, exchange.receive, exchange.send)
        except RefusedBodyError as error:
            if exchange.is_answered:
                raise
            await _sentence(error.sentence, error.status)(scope, receive, exchange.send)
        # Whatever it is, the browser gets a sentence; the log keeps its class (`core.logs`).
        except Exception as error:
            if exchange.is_answered:
                raise
            _LOG.exception("/%s failed", segment)
            failed = f"The server failed to answer this ({type(error).__name__})."
            await _sentence(failed, 500)(scope, receive, exchange.send)
        finally:
            self._bodies.over(body)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._answers_as(host) or len(headers.getlist("host")) != 1:
            return _sentence(OTHER_HOST, 400)
        path = scope["path"].removeprefix(f"/{self.base_path}" if self.base_path else "")
        if path.rstrip("/").startswith(CLOSED):
            return _sentence(NOT_HERE, 404)
        segment = first_segment(path)
        is_page = segment not in NO_PAGES and scope.get("method") in ("GET", "HEAD")
        may_ask = _is_from_here(headers, host, segment) or self._listed_origin(scope, segment)
        if not may_ask and not (is_page and _is_link(headers)):
            return _sentence(OTHER_SITE, 403)
        return None

    def _listed_origin(self, scope: Scope, segment: str) -> str | None:
        origin = Headers(scope=scope).get("origin")
        is_listed = scope["type"] == "http" and segment == PROGRAMS and origin in self.origins
        return origin if is_listed else None

    def _answers_as(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name = (parts.hostname or "").rstrip(".")
            parts.port  # noqa: B018 - says whether it is a number
        except ValueError:
            return False
        if not name or parts.netloc != host or parts.username is not None:
            return False
        if name in LOOPBACK_NAMES or "*" in self.hosts or name in self.hosts:
            return True
        return any(
            host_name.startswith("*.") and name.endswith(host_name[1:]) for host_name in self.hosts
        )


class _Exchange:
    """One request on its way to its answer: its body, and the headers of the answer."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        *,
        policy: str,
        body: Body,
        bodies: Bodies,
    ) -> None:
        headers = Headers(scope=scope)
        self.is_answered = False
        self.is_kept = True
        self.origin: str | None = None  # of another site that may read the answer
        self._is_read = headers.get("content-length", "0") == "0" and (
            "transfer-encoding" not in headers
        )
        self._receive, self._send, self._policy = receive, send, policy
        self._body, self._bodies = body, bodies
        seconds = UPLOAD_SECONDS if body.is_upload else BODY_SECONDS
        self._until = time.monotonic() + seconds
        if not self._is_read:
            bodies.begin(body)

    async def receive(self) -> Message:
        """Return the next piece of the body.

        Raises:
            RefusedBodyError: it does not come, or there is no place for it.
        """
        if self._is_read:
            return await self._receive()
        left = self._until - time.monotonic()
        if left <= 0 or self._body.is_ended:
            raise RefusedBodyError(TOO_SLOW, 408)
        try:
            async with asyncio.timeout(min(PIECE_SECONDS, left)) as wait:
                with self._body.waiting(wait):
                    message = await self._receive()
        except TimeoutError as error:
            raise RefusedBodyError(TOO_SLOW, 408) from error
        self._is_read = message["type"] != "http.request" or not message.get("more_body", False)
        self._bodies.arrived(self._body, len(message.get("body", b"")), is_whole=self._is_read)
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer, the first one with the headers."""
        if message["type"] == "http.response.start":
            self.is_answered = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", self._policy)
            if self.origin:
                headers["Access-Control-Allow-Origin"] = self.origin
                headers.add_vary_header("Origin")
            if not self.is_kept or message["status"] >= 400:
                headers["Cache-Control"] = "no-store"
            if not self._is_read:  # what is still to come of the body would keep the line open
                headers["Connection"] = "close"
        await self._send(message)


def first_segment(path: str, base_path: str = "") -> str:
    """Return the first part of an address behind the base path; "" for the first page."""
    return path.removeprefix(f"/{base_path}" if base_path else "").lstrip("/").partition("/")[0]


def _is_from_here(headers: Headers, host: str, segment: str) -> bool:
    """Whether a page of this server sends a request, or no page at all.

    Browsers name the site only over HTTPS and on this machine, and the origin only where they post.
    Elsewhere a page of ours shows by the address that it names, which pages of others can withhold.
    """
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None or site is not None:
        is_same = origin is None or _host_of(origin) == host.lower()
        return is_same and site in (None, "same-origin", "none")
    is_browser = "cookie" in headers or headers.get("user-agent", "").startswith("Mozilla/")
    if segment not in ASKED or not is_browser or "authorization" in headers:
        return True
    return _host_of(headers.get("referer", "")) == host.lower()


def _host_of(address: str) -> str | None:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return None


def sender_of(scope: Scope) -> str:
    """Return where a request comes from: the client of a proxy that is named, or its peer."""
    return str((scope.get("client") or ("",))[0])


def _is_link(headers: Headers) -> bool:
    """Whether a person goes to a page, by a link that may stand on another site."""
    mode, place = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return (mode, place) == ("navigate", "document") and "origin" not in headers


def _sentence(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"problem": sentence}, status_code=status)

"""How the server answers: its routes, what stands before them, and what it does when it starts and stops."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit import get_option

from core import api, logs
from core.api.protection.access_key import access_key
from core.api.protection.connections import allow_many_files, bound_connections, bound_messages
from core.api.protection.first_link import show_first_link
from core.api.protection.guard import Guard
from core.api.protection.openid import OpenId
from core.api.protection.people import EveryGate, cookie_name
from core.api.protection.program_keys import PROGRAM_KEYS_FILE, ProgramKeys
from core.api.protection.proxies import trust_named_proxies_alone
from core.api.protection.signed_out import SIGNED_OUT_FILE, SignedOutCookies
from core.api.protection.who import People
from core.home import PRIVATE_UMASK
from core.serving.server import Server
from pages.hosting.uploads import UploadGate, Uploads, kept_in_bounds
from pages.serving import running_server

# A thread that reads a row from the database waits so long for one that computes, for each row.
SWITCH_SECONDS = 0.0001
STATIC = Path(st.__file__).parent / "static"

_uploads = Uploads()


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Start loading when the server starts, and put everything away when it stops.

    What the process writes is for its owner alone, and nobody's text goes to the log.
    """
    os.umask(PRIVATE_UMASK)
    sys.setswitchinterval(SWITCH_SECONDS)
    logs.install()
    bound_connections()
    bound_messages()
    allow_many_files()
    server = running_server()
    server.start()
    threading.Thread(target=_show_first_link, args=(server,), daemon=True).start()
    try:
        async with kept_in_bounds(_uploads):
            yield
    finally:
        server.close()


def _show_first_link(server: Server) -> None:
    """Print the link of the first administrator of a server behind a key, where nobody else signs people in."""
    settings = server.settings
    is_elsewhere = settings.user_header or settings.openid
    if is_elsewhere or access_key(settings, get_option("server.address")) is None:
        return
    address = f"http://localhost:{get_option('server.port')}/{_base_path()}"
    show_first_link(server.store, settings.home, address)


def routes() -> list[Route]:
    """Return the routes of the API, below the base path that the pages have."""
    below = f"/{_base_path()}".rstrip("/")
    return [
        Route(below + route.path, route.endpoint, methods=list(route.methods or ()))
        for route in api.routes(running_server())
    ]


def protection() -> list[Middleware]:
    """Return what stands before all routes, Streamlit's own among them.

    Raises:
        ConfigError: the server would answer other machines, and has no access key.
    """
    trust_named_proxies_alone()
    names = get_option("server.allowedHosts")
    base_path = _base_path()
    settings = running_server().settings
    key = access_key(settings, get_option("server.address"))
    below = f"/{base_path}".rstrip("/")
    named = settings.openid
    openid = OpenId(named, settings.home, below=below) if named else None
    signed_out = SignedOutCookies(settings.home / SIGNED_OUT_FILE)
    guard = Middleware(
        Guard,
        hosts=list(names) if names else ["*"],
        scripts=inline_scripts((STATIC / "index.html").read_text("utf-8")),
        base_path=base_path,
        origins=settings.rest_origins if settings.rest else (),
    )
    gate = Middleware(
        EveryGate,
        People(running_server().store, always=bool(settings.user_header or settings.openid)),
        name=cookie_name(str(settings.home)),
        user_header=settings.user_header,
        openid=openid,
        key=key,
        base_path=base_path,
        signed_out=signed_out,
        program_keys=ProgramKeys(settings.home / PROGRAM_KEYS_FILE),
    )
    return [guard, gate, Middleware(UploadGate, uploads=_uploads, base_path=base_path)]


def _base_path() -> str:
    return (get_option("server.baseUrlPath") or "").strip("/")


def inline_scripts(page: str) -> list[str]:
    """Return the hashes of the scripts that stand in a page, as a policy names them."""
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = (hashlib.sha256(script.encode("utf-8")).digest() for script in scripts)
    return [f"sha256-{base64.b64encode(digest).decode('ascii')}" for digest in digests]

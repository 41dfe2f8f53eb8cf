"""Which proxies may name the client of a request."""

from __future__ import annotations

import os
from typing import Any

from starlette.types import ASGIApp
from uvicorn import config

NAMED_PROXIES = "FORWARDED_ALLOW_IPS"  # addresses with commas between; uvicorn reads it as well


def trust_named_proxies_alone() -> None:
    """Have uvicorn take the client's address from no header, unless a proxy is named that writes it.

    By itself it believes whoever asks from this machine. To be called before uvicorn wraps the
    application, as Streamlit starts it and has no setting for this.
    """
    if not os.environ.get(NAMED_PROXIES, "").strip():
        config.ProxyHeadersMiddleware = _as_it_came  # type: ignore[attr-defined, assignment]


def _as_it_came(app: ASGIApp, **_: Any) -> ASGIApp:
    return app

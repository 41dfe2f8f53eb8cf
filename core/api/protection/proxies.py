"""Which proxies may name the client of a request."""

from __future__ import annotations

import os
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

FROM_NAMED_PROXY = "from_named_proxy"  # in the scope of a request
NAMED_PROXIES = "FORWARDED_ALLOW_IPS"  # addresses with commas between; uvicorn reads it as well


def trust_named_proxies_alone() -> None:
    """Have uvicorn take the client's address from no header, unless a proxy is named that writes it.

    By itself it believes whoever asks from this machine. To be called before uvicorn wraps the
    application, as Streamlit starts it and has no setting for this.
    """
    if not os.environ.get(NAMED_PROXIES, "").strip():
        config.ProxyHeadersMiddleware = _as_it_came  # type: ignore[attr-defined, assignment]
    else:
        config.ProxyHeadersMiddleware = NamingProxies  # type: ignore[attr-defined]


class NamingProxies(ProxyHeadersMiddleware):
    """Notes whether a request comes from a proxy that is named, before its header is believed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # type: ignore[override]
        """Note it, and go on."""
        host = (scope.get("client") or ("",))[0]
        # "*" names nobody: with it, whoever asks could say who they are.
        scope[FROM_NAMED_PROXY] = not self.trusted_hosts.always_trust and host in self.trusted_hosts
        await super().__call__(scope, receive, send)  # type: ignore[arg-type]


def _as_it_came(app: ASGIApp, **_: Any) -> ASGIApp:
    return app

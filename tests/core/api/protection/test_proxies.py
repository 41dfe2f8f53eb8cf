"""A client's address is taken from a header only where a proxy is named, by a real server."""

from __future__ import annotations

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn import config as uvicorn_config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from core.api.protection.proxies import FROM_NAMED_PROXY, NAMED_PROXIES, trust_named_proxies_alone
from tests.support.asgi import ask, run

HEADERS = {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(f"{scope['client'][0]} {scope['scheme']}")(scope, receive, send)


@pytest.mark.parametrize(
    ("named", "client"),
    [
        (None, "127.0.0.1 http"),
        ("", "127.0.0.1 http"),
        (" ", "127.0.0.1 http"),
        ("10.0.0.1", "127.0.0.1 http"),
        ("127.0.0.1", "203.0.113.7 https"),
        ("10.0.0.1,127.0.0.0/8", "203.0.113.7 https"),
        ("*", "203.0.113.7 https"),
    ],
)
def test_only_a_proxy_that_is_named_is_believed(
    monkeypatch: pytest.MonkeyPatch, named: str | None, client: str
) -> None:
    # Is put back by the test, as the function changes it for the process.
    monkeypatch.setattr(uvicorn_config, "ProxyHeadersMiddleware", ProxyHeadersMiddleware)
    if named is None:
        monkeypatch.delenv(NAMED_PROXIES, raising=False)
    else:
        monkeypatch.setenv(NAMED_PROXIES, named)
    # As Streamlit does: the settings of the server are made before it imports the application.
    served = uvicorn.Config(inside, log_config=None)
    trust_named_proxies_alone()
    served.load()
    assert run(ask(served.loaded_app, "/", headers=HEADERS)).text == client


@pytest.mark.parametrize(
    ("named", "is_named"), [("10.0.0.1", "False"), ("127.0.0.1", "True"), ("*", "False")]
)
def test_who_says_who_asks_is_a_proxy_that_is_named_itself(
    monkeypatch: pytest.MonkeyPatch, named: str, is_named: str
) -> None:
    async def told(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(str(scope.get(FROM_NAMED_PROXY)))(scope, receive, send)

    monkeypatch.setattr(uvicorn_config, "ProxyHeadersMiddleware", ProxyHeadersMiddleware)
    monkeypatch.setenv(NAMED_PROXIES, named)
    served = uvicorn.Config(told, log_config=None)
    trust_named_proxies_alone()
    served.load()
    assert run(ask(served.loaded_app, "/", headers=HEADERS)).text == is_named

"""A provider of OpenID Connect on this machine, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from core.api.protection.openid import OpenId
from core.api.protection.people import EveryGate
from core.api.protection.who import People
from core.review.store.store import Store
from core.settings import OpenIdSettings
from tests.support.browser.server import free_port
from tests.support.people import COOKIE, inside


@dataclass(frozen=True, slots=True)
class Provider:
    """Where it is; whoever is known to it is whom a test says."""

    issuer: str

    def knows(self, sub: str, **claims: object) -> None:
        httpx2.put(f"{self.issuer}/users/{sub}", json=claims).raise_for_status()

    def lets_in(self, address: str, sub: str) -> str:
        """The query with which a browser comes back that was sent to an address."""
        answer = httpx2.post(address, data={"sub": sub}, follow_redirects=False)
        assert answer.status_code == 302, answer.text
        return answer.headers["location"].partition("?")[2]


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that lets everybody in, and says what it was told of them."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)]
    with subprocess.Popen(
        command, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            own = Provider(f"http://127.0.0.1:{port}")
            _wait_for(own)
            yield own
        finally:
            process.terminate()


def _wait_for(own: Provider) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            httpx2.get(f"{own.issuer}/jwks").raise_for_status()
        except httpx2.HTTPError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


def gate_of(store: Store, elsewhere: Provider, home: Path, *, claim: str = "") -> EveryGate:
    """A gate by which people sign in at a provider."""
    settings = OpenIdSettings(elsewhere.issuer, "strata", "shared secret", claim)
    people = People(lambda: store, always=True)
    return EveryGate(inside, people, key=None, name=COOKIE, openid=OpenId(settings, home))

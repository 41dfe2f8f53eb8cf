"""People whose passwords are kept with little work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.api.protection import who
from core.api.protection.people import EveryGate
from core.review.people import passwords
from core.review.store.store import Store
from tests.support.openid_provider import Provider, gate_of, provider
from tests.support.people import QUICK, two_people


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that take no work, and a gate that asks at every request whether people sign in."""
    monkeypatch.setattr(who, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(passwords, "_HASHER", QUICK)


@pytest.fixture
def team(store: Store, quick_passwords: None) -> Store:
    """ "me", who administers, and "jo"."""
    return two_people(store)


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Provider]:
    """A provider of OpenID Connect."""
    with provider() as running:
        yield running


@pytest.fixture
def gate(team: Store, elsewhere: Provider, tmp_path: Path) -> EveryGate:
    """Of who may sign in there."""
    return gate_of(team, elsewhere, tmp_path)

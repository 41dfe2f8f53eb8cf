"""People whose passwords are kept with little work."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher

from core.api.protection import who
from core.review.people import passwords
from core.review.store.store import Store
from tests.support.people import two_people


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords that take no work, and a gate that asks at every request whether people sign in."""
    monkeypatch.setattr(who, "FRESH_SECONDS", 0.0)
    quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_HASHER", quick)


@pytest.fixture
def team(store: Store, quick_passwords: None) -> Store:
    """ "me", who administers, and "jo"."""
    return two_people(store)

"""A suggester on loopback, and what asks it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.suggest.elsewhere.asking import Asker
from core.suggest.elsewhere.choice import ANNIF, AllowedSuggesters, SuggesterElsewhere
from core.suggest.elsewhere.member import ElsewhereMember, Failures
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.suggester_host import SuggesterHost
from tests.support.suggester_host import host as host

MemberOf = Callable[..., ElsewhereMember]


@pytest.fixture
def member_of(host: SuggesterHost) -> MemberOf:
    """Make what asks the suggester on loopback, as a project that has begun."""

    def make(
        kind: str = ANNIF, *, seconds: float = 5.0, key: str = "", failures: Failures | None = None
    ) -> ElsewhereMember:
        chosen = SuggesterElsewhere(kind, host.address, "tiny-en")
        allowed = AllowedSuggesters((host.name,), {host.name: key}, allows_loopback=True)
        asker = Asker(allowed.policy, chosen.said, key=key, seconds=seconds)
        member = ElsewhereMember(chosen, allowed, hierarchy(), asker=asker, failures=failures)
        member.begin()
        return member

    return make


@pytest.fixture
def model() -> FakePredictor:
    """What suggests beside it."""
    return FakePredictor(hierarchy(), least=0.0)

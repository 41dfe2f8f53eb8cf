"""A server that allows a suggester on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.serving.session import Session
from tests.support.app_pages import installed
from tests.support.fakes import fake_session
from tests.support.suggester_host import SuggesterHost
from tests.support.suggester_host import host as host


@pytest.fixture
def asking(tmp_path: Path, host: SuggesterHost) -> Iterator[Session]:
    """A server that allows the host on loopback."""
    choices = {"suggester_hosts": (host.name,), "fetches_loopback": True}
    yield from installed(fake_session(tmp_path, **choices))

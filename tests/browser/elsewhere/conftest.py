"""A server that may ask a suggester on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser.server import Server
from tests.support.suggester_host import SuggesterHost
from tests.support.suggester_host import host as host


@pytest.fixture
def asking_server(tmp_path: Path, host: SuggesterHost) -> Iterator[Server]:
    """Serves the fake model, with the host allowed."""
    with Server(tmp_path / "home", fake=True, STRATA_FAKE_SUGGESTERS=host.name) as server:
        yield server

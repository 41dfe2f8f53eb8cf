"""A website on loopback, and what may fetch from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.documents.fetching.download import Downloader, FetchLimits
from core.documents.fetching.policy import FetchPolicy
from tests.support.fetch_host import FetchHost, served


@pytest.fixture
def host() -> Iterator[FetchHost]:
    with served() as host:
        yield host


@pytest.fixture
def downloader(host: FetchHost) -> Downloader:
    return Downloader(FetchPolicy((host.name,), allows_loopback=True), limits=FetchLimits(500_000))

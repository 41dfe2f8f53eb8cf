"""A server whose bundle may have figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.serving.session import Session
from tests.support.app_pages import installed
from tests.support.fakes import fake_session
from tests.support.files.insights_files import (
    write_manifest,
)


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Session]:
    place = fake_session(tmp_path)
    write_manifest(place.settings.bundle_dir)
    yield from installed(place)

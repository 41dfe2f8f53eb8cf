"""A server whose bundle has figures, and folders of results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.serving.session import Session
from pages.figures import costs
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


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder of results in place of the project's."""
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(costs, "RESULTS", folder)
    monkeypatch.setattr(costs, "RUNS", tmp_path / "runs")
    return folder

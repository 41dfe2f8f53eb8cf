"""A home in which enough is finished to retrain."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.settings import Settings
from tests.support.garden_home import finished_garden


@pytest.fixture
def garden_home(tmp_path: Path) -> Settings:
    return finished_garden(tmp_path / "home")

"""Ten acts are indexed by keyboard with few keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.bench.keystrokes import measure, meets_bars, summary

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("bundle")
def test_ten_acts_take_few_keys(browser: Browser, tmp_path: Path) -> None:
    found = measure(browser, tmp_path / "home")
    assert meets_bars(found), summary(found)

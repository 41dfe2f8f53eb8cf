"""A browser and servers for the tests in this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from core.settings import Settings
from tests.support.browser.page import AnnotatePage
from tests.support.browser.server import Server

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OpenPage = Callable[..., AnnotatePage]


@pytest.fixture(scope="session")
def browser(chromium_path: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=chromium_path, args=QUIET)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens a tab in a browser profile of its own, and closes it afterwards."""
    contexts = []

    def open_one(server: Server, path: str = "", **options: object) -> AnnotatePage:
        options.setdefault("viewport", {"width": 1440, "height": 900})
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = AnnotatePage(context.new_page(), server.url)
        page.open(path)
        return page

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture
def fake_server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "home", fake=True)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The bundle that is shipped, or the one that STRATA_BUNDLE names."""
    directory = Settings.from_env().bundle_dir
    if not (directory / "bundle.json").is_file():
        assert os.environ.get("STRATA_REQUIRE_BROWSER") != "1", f"no bundle in {directory}"
        pytest.skip(f"no bundle in {directory}")
    return directory

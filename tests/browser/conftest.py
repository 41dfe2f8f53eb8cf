"""A browser and servers for the tests in this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from core.settings import Settings
from tests.support.browser.chromium import needless_defaults
from tests.support.browser.page import PATIENCE_MS, AnnotatePage
from tests.support.browser.profile import SHARED_PROCESS, Profile
from tests.support.browser.seeds import seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session

# Scripts that a tab of the process has compiled are not parsed anew for each page, and there is room
# for what pages leave behind before it is looked for.
SCRIPTS = "--js-flags=--no-script-streaming --min-semi-space-size=64"
# Tabs live for seconds: to optimize what they run costs more than it saves. The last of such switches
# holds; what measures pages goes without.
UNOPTIMIZED = f"{SCRIPTS} --no-opt --no-maglev"
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    SHARED_PROCESS,
    SCRIPTS,
]
OpenPage = Callable[..., AnnotatePage]


@pytest.fixture(scope="session")
def browser(chromium_path: Path) -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)  # five seconds by default
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(
            executable_path=chromium_path,
            args=[*QUIET, UNOPTIMIZED],
            ignore_default_args=needless_defaults(),
        )


@pytest.fixture(scope="session")
def kept_profiles(browser: Browser) -> tuple[Profile, Profile]:
    return Profile(browser), Profile(browser)


@pytest.fixture
def profile(kept_profiles: tuple[Profile, Profile]) -> Iterator[Profile]:
    """An empty profile, in which nothing of the test stays: the next server has the same port."""
    yield kept_profiles[0]
    kept_profiles[0].clear()


@pytest.fixture
def second_profile(kept_profiles: tuple[Profile, Profile]) -> Iterator[Profile]:
    yield kept_profiles[1]
    kept_profiles[1].clear()


@pytest.fixture
def open_page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[OpenPage]:
    """Opens a tab in an empty browser profile, each time another, and closes it afterwards."""
    opened: list[Profile] = []
    kept = ["profile", "second_profile"]  # of which most tests need the first alone

    def open_tab(server: Server, path: str = "", **options: Any) -> AnnotatePage:
        is_kept = len(opened) < len(kept)
        opened.append(request.getfixturevalue(kept[len(opened)]) if is_kept else Profile(browser))
        page = AnnotatePage(opened[-1].tab(server.url, **options), server.url)
        page.open(path)
        return page

    yield open_tab
    for other in opened[len(kept) :]:
        other.context.close()


@pytest.fixture
def fake_server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "home", fake=True) as server:
        yield server


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The bundle that is shipped, or the one that STRATA_BUNDLE names."""
    directory = Settings.from_env().bundle_dir
    if not (directory / "bundle.json").is_file():
        assert os.environ.get("STRATA_REQUIRE_BROWSER") != "1", f"no bundle in {directory}"
        pytest.skip(f"no bundle in {directory}")
    return directory


@pytest.fixture(scope="module")
def seeded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("two") / "home"
    place = fake_session(home)
    seed(place)
    place.server.close()
    with Server(home, fake=True) as server:
        yield server

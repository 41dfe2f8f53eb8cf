"""Pictures of every page: `python -m tests.browser.screenshots [--only NAME] [--fake]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import product
from pathlib import Path

from playwright.sync_api import sync_playwright

from core.serving.server import Server as ServingServer
from core.serving.session import Session
from core.settings import PROJECT_ROOT, Settings
from tests.browser.conftest import QUIET
from tests.support.browser.chromium import NO_BROWSER, find_chromium
from tests.support.browser.screens import SCREENS, opened
from tests.support.browser.seeds import seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session

SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 800, "height": 1000}}
SCHEMES = ("light", "dark")


def main() -> int:
    """Seed a home, serve it, and picture each screen in each size and scheme."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("--out", type=Path, default=PROJECT_ROOT / "screenshots")
    parser.add_argument("--only", nargs="*", help="names of screens")
    parser.add_argument("--fake", action="store_true", help="the fake model, which starts at once")
    options = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write(NO_BROWSER + "\n")
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder) / "home"
        fill(home, fake=options.fake)
        server = Server(home, fake=options.fake)
        server.start()
        server.wait_for_model()
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        try:
            for screen, size, scheme in product(SCREENS, SIZES, SCHEMES):
                if options.only and screen.name not in options.only:
                    continue
                look = {"viewport": SIZES[size], "color_scheme": scheme}
                with opened(screen, server, browser, **look) as page:
                    path = options.out / f"{screen.name}-{size}-{scheme}.png"
                    page.screenshot(path=path)
                    sys.stdout.write(f"{path}\n")
                    sys.stdout.flush()
        finally:
            browser.close()
            server.kill()
    return 0


def fill(home: Path, *, fake: bool) -> None:
    """Put a day's work into a home."""
    home.mkdir(parents=True, exist_ok=True)
    settings = Settings.from_env()
    database = f"sqlite:///{home}/strata.sqlite"
    own = Settings(home, database, settings.bundle_dir, settings.language)
    place = fake_session(home) if fake else Session(ServingServer(own))
    seed(place)
    place.server.close()


if __name__ == "__main__":
    sys.exit(main())

"""A day's round: every page in Chromium, and the commands.

    python -m tests.network .venv/bin/python -m tests.network.round

The model is a stand-in, as no packet depends on what it suggests.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from core.paths import PROJECT_ROOT
from tests.browser.conftest import QUIET
from tests.support.browser.chromium import find_chromium
from tests.support.browser.page import PATIENCE_MS
from tests.support.browser.screens import SCREENS, WIDE, go_to
from tests.support.browser.seeds import seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.places import TINY_SKOS
from tests.support.processes import ADDRESS

# Where Chromium itself calls, whatever page is open; no other name is kept from it.
OWN_SERVICES = ("accounts.google.com", "content-autofill.googleapis.com", "update.googleapis.com")
OFFLINE = "--host-resolver-rules=" + ", ".join(f"MAP {name} ~NOTFOUND" for name in OWN_SERVICES)
KEY = "only for this round"  # so that the doctor is content on a machine that others use
# Each page once, in the state that it opens in.
ROUND = list({screen.path: screen for screen in reversed(SCREENS)}.values())
EXAMPLE = PROJECT_ROOT / "assets" / "examples" / "fishing-quotas.txt"


def main() -> None:
    """Go round, and say how far that came; what fails ends it."""
    os.environ.pop(ADDRESS, None)  # servers are forked from a process in this namespace
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        place = fake_session(home)
        seed(place)
        place.server.close()
        pages(home)
        commands(home, Path(folder))
    sys.stdout.write(f"{len(ROUND)} pages and the commands were gone through\n")


def pages(home: Path) -> None:
    """Open every page, with what a person does there."""
    server = Server(home, fake=True)
    server.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(), args=[*QUIET, OFFLINE]
            )
            page = browser.new_context(viewport=WIDE).new_page()
            page.set_default_timeout(PATIENCE_MS)
            for screen in ROUND:
                go_to(page, screen, server)
            browser.close()
    finally:
        server.kill()


def commands(home: Path, folder: Path) -> None:
    """Call the commands that an installation is looked after with."""
    bundle = folder / "bundle"
    write_tiny_bundle(bundle)
    environment = {**os.environ, "STRATA_HOME": str(home), "STRATA_BUNDLE": str(bundle)}
    environment["STRATA_ACCESS_KEY"] = KEY
    backup, copy = folder / "backup.zip", folder / "copy.sqlite"
    for arguments in (
        ("vocabulary", TINY_SKOS),
        ("suggest", "--bundle", bundle, "--input", EXAMPLE, "--output", folder / "found.jsonl"),
        ("backup", backup),
        ("restore", backup),
        ("migrate", f"sqlite:///{home / 'strata.sqlite'}", f"sqlite:///{copy}"),
        ("doctor",),
    ):
        command = [sys.executable, "-m", "core", *map(str, arguments)]
        subprocess.run(command, cwd=PROJECT_ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()

"""Where a Chromium is found, if there is one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.support.shared_memory import has_room

# Chromium without its windows: pages cost it less of a processor.
HEADLESS_COMMANDS = ("chromium-headless-shell", "chrome-headless-shell")
BROWSER_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_PLACES = (
    "~/.cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "~/Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Of the memory through which the processes of a browser share pictures and more.
ROOM_BYTES = 2**30
NO_BROWSER = "no Chromium found: install it, or name it in STRATA_CHROMIUM"


def find_chromium(*, headless: bool = False) -> Path | None:
    """The Chromium named in STRATA_CHROMIUM, or one on the path or among Playwright's own.

    Args:
        headless: the headless shell will do, and is preferred.
    """
    named = os.environ.get("STRATA_CHROMIUM")
    if named:
        return Path(named) if Path(named).is_file() else None
    commands = (*HEADLESS_COMMANDS, *BROWSER_COMMANDS) if headless else BROWSER_COMMANDS
    on_path = [found for command in commands if (found := shutil.which(command))]
    installed = [found for place in BROWSER_PLACES for found in _expand(place)]
    return next(map(Path, (*on_path, *installed)), None)


def _expand(place: str) -> list[str]:
    pattern = Path(place).expanduser()
    return sorted(map(str, Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))))


def needless_defaults() -> list[str]:
    """Arguments of Playwright's own that cost time here.

    It has Chromium share memory through files on the disk, since containers often have little of
    `/dev/shm`; where there is room, a page costs a twentieth less of a processor without.
    """
    return ["--disable-dev-shm-usage"] if has_room(ROOM_BYTES) else []

"""Which uploads a server takes, and how long it keeps them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from core.paths import PROJECT_ROOT


def test_files_are_taken_where_a_page_asks_and_kept_while_its_tab_is_open(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.upload_round", str(tmp_path)],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "made up": 403,
        "of a page without a place for files": [],
        "asked for": 204,
        "a second time": 403,
        "of another tab": 403,
        "too much": 413,
        "a little": 204,
        "charsets": [415, 415, 415, 415],
        "too much for all": 413,
        "kept while the tab is open": 2,
        "kept when it is closed": False,
        "sessions": 0,
    }

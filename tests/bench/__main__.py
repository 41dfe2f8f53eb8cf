"""Measures the workbench in Chromium and writes docs/results/ui/bench.md."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from core.paths import PROJECT_ROOT
from tests.bench import report
from tests.bench.latency import first_paints, key_times, keys
from tests.bench.measure import Measure
from tests.bench.reading import reading
from tests.bench.workbench import running_workbench
from tests.browser.conftest import QUIET
from tests.support.browser.chromium import NO_BROWSER, find_chromium

RESULT = PROJECT_ROOT / "docs" / "results" / "ui" / "bench.md"


def main() -> int:
    """Print every figure as it is measured; 1 where a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    options = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(NO_BROWSER, file=sys.stderr)
        return 2
    print(report.machine(), flush=True)
    found = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        for measure in measures(browser, Path(folder)):
            found.append(measure)
            print(report.table([measure]).splitlines()[-1], flush=True)
        report.write(options.out, found, command="make bench-ui", browser=browser.version)
        browser.close()
    return 1 if any(measure.passed is False for measure in found) else 0


def measures(browser: Browser, folder: Path) -> Iterator[Measure]:
    """Everything, in the order of the report."""
    with running_workbench(folder / "home", browser) as workbench:
        times = key_times(workbench)
        yield from first_paints(workbench)
        yield from keys(times)
    yield from reading(browser, folder / "bundle")


if __name__ == "__main__":
    sys.exit(main())

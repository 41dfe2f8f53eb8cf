"""Writes what was measured, with the machine and the command."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from core.paths import PROJECT_ROOT
from tests.bench.measure import Measure

WORDS = {True: "yes", False: "**no**", None: ""}


def table(measures: Sequence[Measure]) -> str:
    """The measures as a table in Markdown."""
    rows = [f"| {one.name} | {one.value} | {one.bar} | {WORDS[one.passed]} |" for one in measures]
    return "\n".join(["| measure | value | bar | met |", "| --- | --- | --- | --- |", *rows])


def write(path: Path, measures: Sequence[Measure], *, command: str, browser: str) -> None:
    """Keep the table with all that is needed to judge it and to repeat it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        "# The workbench, measured in Chromium",
        "",
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, commit {_commit()}. {machine()}, "
        f"headless Chromium {browser}, Streamlit {version('streamlit')}, server and browser on the "
        "same machine.",
        "",
        table(measures),
        "",
        *NOTES,
    ]
    path.write_text("\n".join(lines), "utf-8")


NOTES = (
    "The page has 300 suggestions of a fake model over a generated vocabulary, all shown and all "
    "expanded, so what is timed is the workbench and not the model.",
    "",
    "- *First paint* counts from the start of the navigation until the frame with the last row.",
    "- *Key to own paint* is the duration that Chromium's Event Timing API gives for the `keydown`: "
    "from the key to the next frame on the screen, in steps of 8 ms, 16 ms where the API is silent "
    "because it was shorter. *Timed in the page* is from the key's time stamp to the task after "
    "the next `requestAnimationFrame`.",
    "- *Stored and confirmed*: the operation is in the database, its receipt has reached the page, "
    "and nothing is pending.",
    "",
)


def machine() -> str:
    """Processor, cores, and how busy they were before."""
    cpu = platform.processor() or "processor unknown"
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":", 1)[1].strip() if names else cpu
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}"


def _commit() -> str:
    run = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip() or "unknown"

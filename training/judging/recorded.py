"""The facts, the command and the commit that runs and figures record, in files written whole."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.settings import PROJECT_ROOT
from training.config import DataConfig

BARE_NAMES = ("model", "encoder")
"""Names of folders that do not identify a model; the folder above them does."""


def data_words(options: DataConfig) -> list[str]:
    """Return the options that name data, each that was given; places as `shown_place` has them."""
    named = {
        "data": options.path,
        "format": options.format,
        "task": options.task,
        "fold": options.fold,
        "vocabulary": options.vocabulary,
    }
    words: list[str] = []
    for option, value in named.items():
        if value:
            is_place = option in ("data", "vocabulary") and Path(value).exists()
            shown = shown_place(Path(value)) if is_place else value
            words += [f"--{option}", f'"{shown}"' if " " in shown else shown]
    return words


def shown_place(path: Path) -> str:
    """Return a place inside the project; one outside it by its last name alone.

    A shared figure should not disclose the folders of a private machine.
    """
    absolute = path.resolve()
    inside = absolute.is_relative_to(PROJECT_ROOT)
    return str(absolute.relative_to(PROJECT_ROOT)) if inside else f"…/{absolute.name}"


def place_name(place: str) -> str:
    """Return the last part of a place or hub id that identifies a model."""
    path = Path(place)
    return path.parent.name if path.name in BARE_NAMES and path.parent.name else path.name


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `path` when the block ends without an error.

    So a file is there as a whole or not at all. Its folder is made where it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    yield part
    part.replace(path)


def write_facts(out: Path, facts: Mapping[str, Any]) -> None:
    """Write run.json, which marks a run as finished."""
    with replacing(out / "run.json") as part:
        part.write_text(json.dumps(facts, indent=1, default=str) + "\n", encoding="utf-8")


def note_command(out: Path, command: str) -> None:
    """Add the command to a run.json that lacks it, whole or not at all."""
    facts = json.loads((out / "run.json").read_text(encoding="utf-8"))
    if command and not facts.get("command"):
        write_facts(out, {**facts, "command": command})


def commit() -> str:
    """Return the project's commit, or "" outside a git checkout."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],
            cwd=PROJECT_ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except OSError:
        return ""
    return done.stdout.strip()

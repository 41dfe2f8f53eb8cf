"""The command and the commit that made a figure, as the figure records them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from core.settings import PROJECT_ROOT
from training.config import DataConfig


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


def note_command(out: Path, command: str) -> None:
    """Add the command to a run.json that lacks it, whole or not at all."""
    path = out / "run.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    if command and not facts.get("command"):
        part = path.with_name(path.name + ".part")
        text = json.dumps({**facts, "command": command}, indent=1)
        part.write_text(text + "\n", encoding="utf-8")
        part.replace(path)


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

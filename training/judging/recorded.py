"""The facts, the command and the commit that runs and figures record, in files written whole."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.paths import PROJECT_ROOT
from training.config import DataConfig

PROGRAM = "python -m training"
POINTS = "points.jsonl"
"""What a study measured, a line a point."""
BARE_NAMES = ("model", "encoder")
"""Names of folders that do not identify a model; the folder above them does."""


def typed_command(name: str, *arguments: object, **options: object) -> str:
    """Return a command of the laboratory as it is typed.

    Places stand as `shown_place` has them. Left out is what was not named: None, False, "" and [].
    """
    words = [PROGRAM, name, *(_word(argument) for argument in arguments if argument is not None)]
    for option, value in options.items():
        flag = f"--{option.replace('_', '-')}"
        if value is True:
            words.append(flag)
        elif isinstance(value, list | tuple):
            words += [word for item in value for word in (flag, _word(item))]
        elif value is not None and value is not False and value != "":
            words += [flag, _word(value)]
    return " ".join(words)


def _word(value: object) -> str:
    if isinstance(value, Path):
        place = shown_place(value)
        return f'"{place}"' if " " in place else place
    return f"{value:g}" if isinstance(value, float) else shlex.quote(str(value))


def named_data(options: DataConfig) -> dict[str, object]:
    """Return the options that name data, as `typed_command` takes them."""
    path, vocabulary = (
        Path(value) if value and Path(value).exists() else value
        for value in (options.path, options.vocabulary)
    )
    named = {"data": path, "format": options.format, "task": options.task, "fold": options.fold}
    return {**named, "vocabulary": vocabulary}


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


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8, and make its folder where that is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_study(folder: Path, page: str, points: Sequence[Any]) -> None:
    """Write a study's page, and its points a line each.

    Args:
        points: instances of dataclasses.
    """
    rows = "".join(f"{json.dumps(asdict(point), ensure_ascii=False)}\n" for point in points)
    for name, text in {POINTS: rows, "README.md": page}.items():
        write_text(folder / name, text)


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

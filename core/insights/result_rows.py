"""What a result row says, read without the laboratory: its facts and its means.

The rows of a study are one file, rows.npz, which `training evaluate` and `training compare` write; a
row is named as if that file were a folder, such as rows.npz/flat-s1-test. A run leaves the same means
in its metrics.json.
"""

from __future__ import annotations

import json
import math
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError

FORMAT = "strata-result-1"
ROWS = "rows.npz"

HEADER = "/header.npy"
"""Ends the name of a file in the archive that each row has one of."""

Means = Mapping[str, Mapping[str, float]]

DAMAGED = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError),
    # The archive notices a flipped bit: as a wrong stream, or as a flag that asks for a password.
    *(zipfile.BadZipFile, zlib.error, RuntimeError),
)
"""What reading a row raises where its file is damaged, or is something else."""


@dataclass(frozen=True, slots=True)
class Result:
    """A model on a split.

    Attributes:
        facts: what it is a result of: arm, seed, command, minutes and the like.
        means: subset -> measure -> value in [0, 1]; NaN where there is nothing to measure.
    """

    facts: Mapping[str, Any]
    means: Means

    @property
    def arm(self) -> str:
        """Name that it shares with the same model from other seeds."""
        return str(self.facts["arm"])


def place_of(path: Path) -> tuple[Path, str]:
    """Return the file that a row is kept in, and what its arrays are called there before their name."""
    parts = path.parts
    end = parts.index(ROWS) + 1
    return Path(*parts[:end]), "/".join(parts[end:])


def row_paths(folder: Path, split: str = "") -> list[Path]:
    """Return the rows that a folder keeps of a split, or of all, in the order of their names.

    Raises:
        ConfigError: the file of the rows is damaged.
    """
    file = folder / ROWS
    if not file.is_file():
        return []
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(HEADER) for name in archive.namelist() if HEADER in name]
    except DAMAGED as error:
        raise ConfigError(f"{file} holds no result rows ({error}).") from error
    return [file / name for name in sorted(names) if name.endswith(split)]


def read_result(path: Path) -> Result:
    """Read the header of a row.

    Raises:
        ConfigError: it is missing, damaged, or no result row.
    """
    try:
        file, name = place_of(path)
        with file.open("rb") as raw, np.load(raw, allow_pickle=False) as rows:
            header = json.loads(rows[f"{name}/header"].tobytes())
        if header["format"] != FORMAT:
            raise ConfigError(f"{path} is a result of another format than {FORMAT}.")
        return Result({"arm": path.name, **header["facts"]}, checked_means(header["means"]))
    except DAMAGED as error:
        raise ConfigError(f"{path} is not a result row ({error}).") from error


def results_in(folder: Path, split: str) -> Iterator[Result]:
    """Read every row of a split in a folder of results, and every judged run in one of runs.

    Raises:
        ConfigError: a file of them is damaged.
    """
    for path in row_paths(folder, f"-{split}"):
        yield read_result(path)
    for path in sorted(folder.glob("*/metrics.json")):
        result = _of_run(path.parent, split)
        if result is not None:
            yield result


def _of_run(folder: Path, split: str) -> Result | None:
    """Return what a run was judged to do on a split; None where it was not judged on it."""
    unreadable = "{folder} holds no run that can be read ({reason})."
    with MEASUREMENT_FILES.translated(unreadable, folder=folder):
        facts = json.loads((folder / "run.json").read_text("utf-8"))
        means = json.loads((folder / "metrics.json").read_text("utf-8"))
        if split not in means:
            return None
        return Result({**facts, **name_of(folder)}, checked_means(means[split]))


def name_of(folder: Path) -> dict[str, Any]:
    """Return arm and seed of a run as `training compare` names them.

    A baseline goes by its folder, and by the seed in its run.json.

    Raises:
        OSError, ValueError: a file of it cannot be read.
    """
    path, facts = folder / "config.toml", folder / "run.json"
    if path.is_file():
        config = tomllib.loads(path.read_text("utf-8"))
        name, seed = str(config.get("name", "run")), config.get("seed", 1)
    else:
        described = json.loads(facts.read_text("utf-8")) if facts.is_file() else {}
        name, seed = folder.name, (described.get("config") or {}).get("seed")
    if seed is None:
        return {"arm": name}
    return {"arm": name.removesuffix(f"-s{seed}"), "seed": seed}


def require_one_each(names: Iterable[tuple[str, object]]) -> None:
    """Refuse two results of one arm and seed, which no mean should count as two seeds.

    Raises:
        ConfigError: there are two, or one of an arm names its seed and another does not.
    """
    found: dict[str, set[object]] = {}
    for arm, seed in names:
        seeds = found.setdefault(arm, set())
        if seed in seeds:
            raise ConfigError(
                f"Two results are of the arm {arm} and seed {seed}: name one of them, or rename "
                "its run (`name` in its config.toml)."
            )
        seeds.add(seed)
        if None in seeds and len(seeds) > 1:
            raise ConfigError(
                f"One result of the arm {arm} names its seed and another does not, so that one run "
                "may count twice: keep one of them."
            )


def checked_means(means: Mapping[str, Any]) -> Means:
    """Return means as numbers; NaN stays where there was nothing to measure.

    Raises:
        AttributeError, TypeError, ValueError: they are no mappings of numbers.
    """
    checked = {
        str(subset): {str(name): float(value) for name, value in of.items()}
        for subset, of in means.items()
    }
    if any(math.isinf(value) for of in checked.values() for value in of.values()):
        raise ValueError("a measure that is infinite")
    return checked

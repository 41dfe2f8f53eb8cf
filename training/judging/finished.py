"""Rows of what is finished: run folders, row files, and folders of either, by arm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import ConfigError
from core.model.plans import PLAN_NAMES
from training.config import DataConfig
from training.judging.folders import (
    KnownData,
    RunFolder,
    config_of,
    identity_of,
    over,
)
from training.judging.judge import judge_run
from training.judging.rows import ROWS, ResultRow, row_paths
from training.results.tables import RowsByArm

ORDER = ("plain", *PLAN_NAMES)
"""Plans, the paper's in the order of its Table 1; other arms follow in that of the alphabet."""


def finished_rows(
    places: Sequence[Path], split: str, options: DataConfig, *, depth: int = 6
) -> RowsByArm:
    """Return one row a run and split, the seeds of an arm together.

    Args:
        places: run folders, folders of these, folders of rows, or rows (rows.npz/NAME). Runs are
            judged anew; rows are taken as they are.
        options: data that the command line names, over what the runs were made from.
    Raises:
        ConfigError: a place holds nothing that is finished, or two results are of one arm and seed.
    """
    files = dict.fromkeys(path for place in places for path in _files(place, split))
    data = KnownData()
    rows = {
        path: _judged(path, split, options, data, depth=depth)
        if path.is_dir()
        else _with_arm(ResultRow.load(path), path)
        for path in files
    }
    return by_arm(rows.values())


def by_arm(rows: Iterable[ResultRow]) -> dict[str, list[ResultRow]]:
    """Return rows by arm in the order of seeds, the paper's plans first.

    Raises:
        ConfigError: two rows are of the same arm and seed, or those of an arm of other settings.
    """
    rows = list(rows)
    require_one_each((str(row.facts["arm"]), row.facts.get("seed")) for row in rows)
    rows_by_arm: dict[str, dict[object, ResultRow]] = {}
    for row in rows:
        rows_by_arm.setdefault(str(row.facts["arm"]), {})[row.facts.get("seed")] = row
    for arm, of in rows_by_arm.items():
        _require_one_setting(arm, list(of.values()))
    return {
        arm: [of[seed] for seed in sorted(of, key=_seed_number)]
        for arm, of in _ordered(rows_by_arm)
    }


def _require_one_setting(arm: str, rows: Sequence[ResultRow]) -> None:
    """Refuse seeds of an arm that differ in more than the seed.

    Where each seed takes a fold of its own, the digests differ with it, and so do the documents.
    """
    digests = {str(row.facts["digest"]) for row in rows if row.facts.get("digest")}
    if len(digests) > 1 and len({row.documents for row in rows}) == 1:
        raise ConfigError(
            f"The seeds of the arm {arm} were trained with different settings "
            f"({', '.join(sorted(digests))}): train them alike (--refresh), or name them apart."
        )


def _seed_number(seed: object) -> int:
    return seed if isinstance(seed, int) else -1


def _ordered(
    rows_by_arm: Mapping[str, dict[object, ResultRow]],
) -> list[tuple[str, dict[object, ResultRow]]]:
    rank = {plan: number for number, plan in enumerate(ORDER)}
    return sorted(rows_by_arm.items(), key=lambda item: (rank.get(item[0], len(ORDER)), item[0]))


def _files(place: Path, split: str) -> Iterator[Path]:
    if ROWS in place.parts or (place / "run.json").is_file():
        yield place
        return
    rows = row_paths(place, f"-{split}")
    runs = sorted(path.parent for path in place.glob("*/run.json"))
    if not rows and not runs:
        raise ConfigError(f"{place} holds no finished run and no result row of {split}.")
    yield from rows
    yield from runs


def _with_arm(row: ResultRow, path: Path) -> ResultRow:
    """Return the row with its arm; those of `evaluate` are named by their place alone."""
    if "arm" in row.facts:
        return row
    return replace(row, facts={**row.facts, "arm": path.name})


def _as_kept(row: ResultRow) -> ResultRow:
    """Return a fresh row as it would be read from its file, where names stand in order."""
    means = {subset: dict(sorted(of.items())) for subset, of in sorted(row.means.items())}
    return replace(row, means=means)


def _judged(
    folder: Path, split: str, options: DataConfig, known_data: KnownData, *, depth: int
) -> ResultRow:
    run, config = RunFolder.finished(folder), config_of(folder)
    data = known_data.of(over(run.data(), options))
    depth = config.model.depth if config else depth
    return _as_kept(judge_run(run, data, depth, identity_of(folder), [split])[split])


def require_one_each(names: Iterable[tuple[str, object]]) -> None:
    """Refuse two results of one arm and seed, which no mean should count as two seeds.

    Raises:
        ConfigError: there are two, or one of an arm names its seed and another does not.
    """
    seeds_by_arm: dict[str, set[object]] = {}
    for arm, seed in names:
        seeds = seeds_by_arm.setdefault(arm, set())
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

"""Arms times seeds, row by row: what is finished is read, what is missing is trained.

The rows of a study are a small file of metrics that is committed, so a long comparison adds up over several
sessions and machines, and the tables and the bootstrap need nothing but the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from core.errors import ConfigError
from training.config import DataConfig, RunConfig
from training.judging.arms import Arm, paper_grid, portable_digest, require_distinct
from training.judging.folders import JudgedData, KnownData, RunFolder
from training.judging.judge import judge_run, write_metrics
from training.judging.recorded import note_command, write_text
from training.judging.rows import ROWS, ResultRow, row_paths
from training.results.report import report
from training.results.tables import RowsByArm

SPLITS = ("dev", "test")
TABLES = "table.md"
"""The page of a study, beside its rows."""

PLAIN_ARMS = ("flat", "plain")
"""What arms with something added are usually compared with."""

Train = Callable[[RunConfig, Path], Path]
"""Trains a configuration into a folder and returns the folder of the finished run."""

Check = Callable[[Sequence[RunConfig], Callable[[DataConfig], JudgedData]], None]
"""Refuses configurations that cannot be trained; it may read their data."""


@dataclass(slots=True)
class Comparison:
    """A base configuration, the arms, the seeds, and where rows and runs are kept.

    Attributes:
        results: folder of the rows and tables; small, committed.
        runs: folder of the runs (score matrices, checkpoints); large, not committed.
        refresh: train a row anew where it was made from another configuration.
        command: that asked for it, without arms and seeds; rows note it with their own.
        splits: that rows are made of.
        check: is given what is to be trained before the first of it is.
    """

    base: RunConfig
    arms: Sequence[Arm]
    seeds: Sequence[int]
    results: Path
    runs: Path
    refresh: bool = False
    command: str = ""
    say: Callable[[str], None] = print
    splits: Sequence[str] = SPLITS
    check: Check | None = None
    # A copy with other arms shares what was read.
    data: KnownData = field(default_factory=KnownData)

    def __post_init__(self) -> None:
        self.arms = require_distinct(self.arms)
        # A setting that does not exist is found now, and not when its arm's turn comes.
        for arm, seed in self._pairs():
            arm.configure(self.base, seed)

    def run(self, train: Train) -> dict[str, dict[str, list[ResultRow]]]:
        """Train what is missing; every row, by split and arm, in the order of the seeds.

        Raises:
            ConfigError: a row was made from another configuration and `refresh` is off, or one of
                the runs cannot be trained.
        """
        self.require_ready()
        for arm, seed in self._pairs():
            if self._is_finished(arm, seed):
                self.say(f"{arm.name}, seed {seed}: finished before")
                continue
            self.say(f"{arm.name}, seed {seed}: training")
            self._make_row(arm, seed, train)
        return self.rows()

    def rows(self) -> dict[str, dict[str, list[ResultRow]]]:
        """Return the rows that are finished, by split and arm."""
        rows: dict[str, dict[str, list[ResultRow]]] = {split: {} for split in self.splits}
        there = set(row_paths(self.results))
        for split in self.splits:
            for arm, seed in self._pairs():
                path = self.row_path(arm, seed, split)
                if path in there:
                    rows[split].setdefault(arm.name, []).append(ResultRow.load(path))
        return rows

    def row_path(self, arm: Arm, seed: int, split: str) -> Path:
        """Return where the row of an arm, a seed and a split is kept."""
        return self.results / ROWS / f"{arm.name}-s{seed}-{split}"

    def _pairs(self) -> Iterator[tuple[Arm, int]]:
        """Yield all arms with the first seed, then with the next, so that early rows compare."""
        return ((arm, seed) for seed in self.seeds for arm in self.arms)

    def require_ready(self) -> None:
        """Look through all rows that are there, and check the rest, before anything is trained.

        Raises:
            ConfigError: a row was made from another configuration and `refresh` is off, or one of
                the runs cannot be trained.
        """
        missing = [pair for pair in self._pairs() if not self._is_finished(*pair)]
        # What a finished run was made of may be gone.
        unmade = [pair for pair in missing if not (self._run_path(*pair) / "run.json").is_file()]
        if self.check and unmade:
            self.check([arm.configure(self.base, seed) for arm, seed in unmade], self.data.of)

    def _is_finished(self, arm: Arm, seed: int) -> bool:
        paths = [self.row_path(arm, seed, split) for split in self.splits]
        if not set(paths) <= set(row_paths(self.results)):
            return False
        wanted = portable_digest(arm.configure(self.base, seed))
        stale = [path for path in paths if ResultRow.load(path).facts.get("digest") != wanted]
        if stale and not self.refresh:
            raise ConfigError(
                f"{stale[0]} was made from another configuration: restore that, name other "
                "--results, or use --refresh to train the row anew."
            )
        return not stale

    def _run_path(self, arm: Arm, seed: int) -> Path:
        digest = portable_digest(arm.configure(self.base, seed))
        return self.runs / f"{arm.name}-s{seed}-{digest}"

    def _make_row(self, arm: Arm, seed: int, train: Train) -> None:
        config = arm.configure(self.base, seed)
        digest = portable_digest(config)
        folder = train(config, self._run_path(arm, seed))
        facts = {"arm": arm.name, "seed": seed, "digest": digest, "changes": arm.shown_changes()}
        if self.command:
            command = f"{self.command} --arm {arm.as_option()} --seeds {seed}"
            facts["command"] = command
            note_command(folder, command)
        run = RunFolder.finished(folder)
        rows = judge_run(run, self.data.of(config.data), config.model.depth, facts)
        write_metrics(run, rows)
        for split in self.splits:
            rows[split].save(self.row_path(arm, seed, split))


def best_of_grid(comparison: Comparison, train: Train | None) -> Comparison:
    """Return the comparison with each arm at those rates of the paper's grid that are best on dev.

    The grid is trained from the first seed and judged on dev alone; its rows and tables are kept in
    a folder beside the others, which is called …-grid.

    Args:
        train: None where the grid is finished.
    Raises:
        ConfigError: a row of the grid is missing, or was made from another configuration.
    """
    grids = {arm.name: paper_grid([arm]) for arm in comparison.arms}
    search = replace(
        comparison,
        arms=[arm for grid in grids.values() for arm in grid],
        seeds=comparison.seeds[:1],
        results=comparison.results.with_name(f"{comparison.results.name}-grid"),
        splits=("dev",),
    )
    rows = (search.run(train) if train else search.rows())["dev"]
    missing = [arm.name for arm in search.arms if arm.name not in rows]
    if missing:
        raise ConfigError(f"The grid has no row of {missing[0]}: train it, without --tables-only.")
    write_tables(search)
    chosen = [max(grid, key=lambda arm: _quality(rows[arm.name][0])) for grid in grids.values()]
    comparison.say(f"best on dev: {', '.join(arm.name for arm in chosen)}")
    return replace(comparison, arms=chosen)


def _quality(row: ResultRow) -> float:
    levels = row.mean("r_precision_micro")
    return row.mean("ndcg@5") if np.isnan(levels) else levels


def write_tables(comparison: Comparison, *, against: str = "") -> dict[str, str]:
    """Return the tables of a comparison's finished rows, as `write_pages` writes them."""
    rows = {split: of for split, of in comparison.rows().items() if of}
    results = comparison.results
    return write_pages(rows, title=results.name, results=results, against=against)


def write_pages(
    rows: Mapping[str, RowsByArm], *, title: str, results: Path | None, against: str = ""
) -> dict[str, str]:
    """Write the tables of all splits into `results`, where a folder is named.

    Args:
        rows: split -> arm -> rows.
        against: arm that differences are taken from; "" for "flat" or "plain", or the first.
    Returns:
        The Markdown of each split.
    Raises:
        ConfigError: there is no such arm.
    """
    pages: dict[str, str] = {}
    for split, of in rows.items():
        chosen = chosen_arm(of, against)
        pages[split] = report(of, against=chosen, title=f"{title}: {split}")
    if results is not None and pages:
        write_text(results / TABLES, on_one_page(pages))
    return pages


def on_one_page(pages: Mapping[str, str]) -> str:
    """Return the tables of test, which answer the question, above those of dev."""
    return "\n".join(pages[split] for split in reversed(SPLITS) if split in pages)


def chosen_arm(rows: RowsByArm, against: str) -> str:
    """Return the arm to compare with: the one named, "flat" or "plain", or the first.

    Raises:
        ConfigError: there is no such arm.
    """
    if against and against not in rows:
        raise ConfigError(f"There is no arm {against!r}; there are {', '.join(rows)}.")
    return against or next((arm for arm in PLAIN_ARMS if arm in rows), next(iter(rows)))

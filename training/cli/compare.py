"""Commands that judge runs and bundles, compare arms and seeds, and look inside a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from core.errors import ConfigError
from training.cli.options import (
    RESULTS,
    RUNS,
    Depth,
    Documents,
    Encoder,
    NamedRun,
    Split,
    TablesOnly,
    command,
    data_options,
    say,
)
from training.config import DataConfig, RunConfig

if TYPE_CHECKING:
    from training.judging.arms import Arm
    from training.judging.compare import Check, Comparison
    from training.judging.rows import ResultRow

GROUP = "Judge and compare"


@command(GROUP, "evaluate runs/mine assets/models/eurovoc --split test", data=data_options)
def evaluate(
    folders: Annotated[list[Path], Argument(metavar="RUN_OR_BUNDLE")],
    *,
    data: DataConfig,
    split: Split = "dev",
    depth: Depth = 6,
    results: Annotated[Path | None, Option(help="folder to keep the rows in")] = None,
    record: Annotated[
        bool, Option("--record", help="write the means into the manifests of bundles")
    ] = False,
) -> None:
    """Judge finished runs or a bundle, with tables; --results keeps rows of them."""
    from training.judging.judge import judge_folders
    from training.judging.rows import ROWS
    from training.results.report import report

    rows = judge_folders(folders, data, split=split, depth=depth)
    if results:
        for name, row in zip(_file_names(rows), rows.values(), strict=True):
            row.save(results / ROWS / f"{name}-{split}")
    if record:
        _record(folders, rows, split)
    by_arm = {name: [row] for name, row in rows.items()}
    print(report(by_arm, against=next(iter(by_arm)), title=f"Results on {split}"))


def _file_names(rows: Mapping[str, ResultRow]) -> list[str]:
    """Return arm and seed of each run, or its folder's name where several have them.

    Baselines and bundles go by their folders, too.
    """
    plain = [
        f"{row.facts['arm']}-s{row.facts['seed']}" if {"digest", "seed"} <= set(row.facts) else name
        for name, row in rows.items()
    ]
    names = [
        name if plain.count(short) > 1 else short for name, short in zip(rows, plain, strict=True)
    ]
    return [name.replace("/", "-") for name in names]


def _record(folders: Sequence[Path], rows: Mapping[str, ResultRow], split: str) -> None:
    from core.model.bundle.manifest import MANIFEST, record_about, record_metrics
    from training.judging.folders import names_apart

    for folder, name in zip(folders, names_apart(folders), strict=True):
        if (folder / MANIFEST).is_file():
            threshold = rows[name].threshold
            if split == "dev" and threshold is not None:
                record_about(folder, {"threshold": threshold})
            means = {
                subset: {metric: round(value, 4) for metric, value in values.items()}
                for subset, values in rows[name].means.items()
            }
            record_metrics(folder, {split: means})


@dataclass(frozen=True, slots=True)
class ArmOptions:
    """What the commands take that train arms from several seeds."""

    arm: Annotated[
        list[str] | None,
        Option(
            metavar="NAME:KEY=VALUE,…",
            help="an arm with settings of its own, such as alone:model.plan=none (; between them "
            "where values have commas); repeatable",
        ),
    ] = None
    seeds: Annotated[str, Option(help="such as 1,2,3")] = "1"
    encoder: Encoder = ""
    out: Annotated[Path | None, Option(help="folder of the runs (runs/NAME)")] = None
    results: Annotated[
        Path | None, Option(help="folder of rows and tables (docs/results/NAME)")
    ] = None
    refresh: Annotated[bool, Option("--refresh", help="train stale rows anew")] = False
    tables_only: TablesOnly = False

    def comparison(
        self, run: NamedRun, config: RunConfig, arms: Sequence[Arm], *, name: str
    ) -> Comparison:
        """Return the comparison of arms of a configuration, its folders by this name."""
        from training.judging.arms import parse_seeds
        from training.judging.compare import Comparison

        check: Check | None = None
        if not self.tables_only:
            from training.fitting.train import require_trainable

            check = require_trainable
        return Comparison(
            base=config,
            arms=arms,
            seeds=parse_seeds(self.seeds),
            results=self.results or RESULTS / name,
            runs=self.out or RUNS / name,
            refresh=self.refresh,
            command=run.command("compare"),
            say=say,
            check=check,
        )


@command(
    GROUP,
    "compare training/configs/plans_base.toml --plans flat,last_half --seeds 1,2,3",
    arms=ArmOptions,
    data=data_options,
)
def compare(
    places: Annotated[
        list[Path],
        Argument(
            metavar="CONFIG.toml | RUN_FOLDER …",
            help="a configuration to train arms of, or finished runs, folders of runs or of rows",
        ),
    ],
    *,
    plans: Annotated[str, Option(help="such as flat,last_half: an arm each")] = "",
    arms: ArmOptions,
    grid: Annotated[
        bool,
        Option("--grid", help="every arm at those rates of the paper's grid that are best on dev"),
    ] = False,
    against: Annotated[
        str, Option(help="arm that differences are taken from (flat, or the first)")
    ] = "",
    data: DataConfig,
    split: Annotated[Literal["dev", "test", "both"], Option(help="of finished runs")] = "both",
    depth: Annotated[int, Option(help="levels of finished runs without config.toml")] = 6,
) -> None:
    """Train plans or arms from several seeds and make the tables, or make them of finished runs:
    mean ± std over seeds, paired bootstrap against one arm, documents seen, steps, minutes and
    commit.
    """
    if places[0].suffix == ".toml":
        if len(places) > 1:
            raise ConfigError("One configuration at a time: arms and seeds make the comparison.")
        pages = _compare_arms(NamedRun(places[0], arms.encoder), arms, plans, against, grid=grid)
    else:
        splits = ("dev", "test") if split == "both" else (split,)
        pages = _compare_finished(places, data, splits, against, depth=depth, out=arms.results)
    for text in pages.values():
        print(text)


def _compare_finished(
    places: Sequence[Path],
    data: DataConfig,
    splits: Sequence[str],
    against: str,
    *,
    depth: int,
    out: Path | None,
) -> Mapping[str, str]:
    from training.judging.compare import write_pages
    from training.judging.finished import finished_rows

    rows = {split: finished_rows(places, split, data, depth=depth) for split in splits}
    title = ", ".join(place.name for place in places)
    title = title if len(title) <= 60 else f"{len(places)} results"
    return write_pages(rows, title=title, results=out, against=against)


def _compare_arms(
    run: NamedRun, options: ArmOptions, plans: str, against: str, *, grid: bool
) -> Mapping[str, str]:
    from training.judging.arms import parse_arm, plan_arms
    from training.judging.compare import Train, best_of_grid, write_tables

    config = run.load()
    arms = [*plan_arms(plans), *(parse_arm(text) for text in options.arm or ())]
    comparison = options.comparison(run, config, arms, name=config.name)
    train_arm: Train | None = None
    if not options.tables_only:
        from training.fitting.train import train

        # Arms of the same data share what was read.
        def train_arm(run: RunConfig, out: Path) -> Path:
            return train(run, out, data=comparison.data.of(run.data))

    if grid:
        comparison = best_of_grid(comparison, train_arm)
    if train_arm:
        comparison.run(train_arm)
    pages = write_tables(comparison, against=against)
    if not pages:
        raise ConfigError(
            f"There are no rows to make tables of in {comparison.results}: train the arms, without "
            "--tables-only, or name the --results and --seeds of those that are trained."
        )
    return pages


@command(GROUP, "insights assets/models/eurovoc --split dev", data=data_options)
def insights(
    folder: Annotated[Path, Argument(metavar="BUNDLE")],
    *,
    data: DataConfig,
    split: Split = "dev",
    documents: Documents = 0,
    depth: Depth = 6,
) -> None:
    """Where a model is good and where it errs, for the page Insights."""
    from training.studies.insights import InsightsScope, write_insights

    wanted = InsightsScope(split, documents, depth)
    print(write_insights(folder, data, wanted))


@command(GROUP, "utilization runs/mine --split dev --query both", data=data_options)
def utilization(
    folders: Annotated[
        list[Path] | None, Argument(metavar="RUN_OR_BUNDLE", help="none: the tables alone")
    ] = None,
    *,
    data: DataConfig,
    split: Split = "dev",
    query: Annotated[Literal["cls", "mean", "both"], Option(help="rows of the attention")] = "both",
    documents: Documents = 0,
    before: Annotated[
        bool, Option("--before", help="also the encoder that the first run started from")
    ] = False,
    out: Annotated[
        Path,
        Option(help="a folder a model comes into it, and the tables (docs/results/utilization)"),
    ] = RESULTS / "utilization",
) -> None:
    """How much of an encoder's layers and heads is used, beside Table 2 of the paper."""
    from training.studies.utilization import UtilizationStudy, write_tables

    queries = ("cls", "mean") if query == "both" else (query,)
    measuring = UtilizationStudy(
        data=data,
        split=split,
        queries=queries,
        out=out,
        at_most=documents,
        before=before,
        say=say,
    )
    measuring.run(folders or [])
    for text in write_tables(out, queries).values():
        print(text)

"""Commands that judge finished runs and bundles, and compare arms and seeds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError
from training.cli.options import (
    CONFIGS,
    RESULTS,
    RUNS,
    add_arms,
    add_data,
    add_encoder,
    command_with_encoder,
    configured,
    data_options,
)

if TYPE_CHECKING:
    from training.judging.rows import ResultRow


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `compare`."""
    parser.add_argument(
        "places",
        type=Path,
        nargs="+",
        metavar="CONFIG.toml | RUN_FOLDER …",
        help="a configuration to train arms of, or finished runs, folders of runs or of rows",
    )
    parser.add_argument("--plans", default="", help="such as flat,last_half: an arm each")
    add_arms(
        parser,
        arm_help="an arm with settings of its own, such as alone:model.plan=none (; between "
        "them where values have commas); repeatable",
    )
    parser.add_argument(
        "--grid", action="store_true", help="every arm at the paper's learning and dropout rates"
    )
    parser.add_argument(
        "--against", default="", help="arm that differences are taken from (flat, or the first)"
    )
    finished = parser.add_argument_group("of finished runs")
    add_data(finished)
    finished.add_argument("--split", choices=("dev", "test", "both"), default="both")
    finished.add_argument("--depth", type=int, default=6, help="levels of runs without config.toml")
    parser.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> None:
    if options.places[0].suffix == ".toml":
        _compare_arms(options)
    else:
        _compare_finished(options)


def _compare_finished(options: argparse.Namespace) -> None:
    from training.judging.compare import write_pages
    from training.judging.finished import finished_rows

    splits = ("dev", "test") if options.split == "both" else (options.split,)
    data = data_options(options)
    rows = {
        split: finished_rows(options.places, split, data, depth=options.depth) for split in splits
    }
    title = ", ".join(place.name for place in options.places)
    title = title if len(title) <= 60 else f"{len(options.places)} results"
    pages = write_pages(rows, title=title, results=options.results, against=options.against)
    for text in pages.values():
        print(text)


def _compare_arms(options: argparse.Namespace) -> None:
    from training.judging.arms import paper_grid, parse_arm, parse_seeds, plan_arms
    from training.judging.compare import Comparison, write_tables

    if len(options.places) > 1:
        raise ConfigError("One configuration at a time: arms and seeds make the comparison.")
    options.config = options.places[0]
    config = configured(options)
    arms = [*plan_arms(options.plans), *(parse_arm(text) for text in options.arm)]
    comparison = Comparison(
        base=config,
        arms=paper_grid(arms) if options.grid else arms,
        seeds=parse_seeds(options.seeds),
        results=options.results or RESULTS / config.name,
        runs=options.out or RUNS / config.name,
        refresh=options.refresh,
        command=command_with_encoder("compare", options),
        say=lambda line: print(line, file=sys.stderr),
    )
    if not options.tables_only:
        from training.fitting.train import train

        comparison.run(train)
    for text in write_tables(comparison, against=options.against).values():
        print(text)


def add_small_data(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `small-data`."""
    parser.add_argument(
        "cells", nargs="*", metavar="CELL", help="such as cmc2007 or reuters-single-50; none: all"
    )
    parser.add_argument(
        "--config", type=Path, default=CONFIGS / "small_data.toml", metavar="CONFIG.toml"
    )
    add_encoder(parser)
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument(
        "--starts", action="store_true", help="also labels that start at random or by keywords"
    )
    parser.add_argument("--out", type=Path, help="folder of the runs (runs/small-data)")
    parser.add_argument("--results", type=Path, help="of the table (docs/results/small-data)")
    parser.add_argument("--tables-only", action="store_true", help="train nothing")
    parser.set_defaults(command=_small_data)


def _small_data(options: argparse.Namespace) -> None:
    from training.judging.arms import parse_seeds
    from training.results.label_table import write_table
    from training.studies.label_study import Study, cells_named

    config = configured(options)
    study = Study(
        base=config,
        groups=cells_named(options.cells),
        seeds=parse_seeds(options.seeds),
        results=options.results or RESULTS / config.name,
        runs=options.out or RUNS / config.name,
        starts=options.starts,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if not options.tables_only:
        from training.fitting.train import train

        study.run(train, after=lambda: write_table(study))
    print(write_table(study))


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `evaluate`."""
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN_OR_BUNDLE")
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.add_argument("--results", type=Path, help="folder to keep the rows in (small files)")
    parser.add_argument(
        "--record", action="store_true", help="write the means into the manifests of bundles"
    )
    parser.set_defaults(command=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from training.judging.judge import judge_folders
    from training.results.report import report

    rows = judge_folders(
        options.folders, data_options(options), split=options.split, depth=options.depth
    )
    if options.results:
        for name, row in rows.items():
            row.save(options.results / f"{_file_name(name, row)}-{options.split}.npz")
    if options.record:
        _record(options.folders, rows, options.split)
    by_arm = {name: [row] for name, row in rows.items()}
    print(report(by_arm, against=next(iter(by_arm)), title=f"Results on {options.split}"))


def _file_name(folder: str, row: ResultRow) -> str:
    """Return arm and seed of a run's row; a baseline or bundle has its folder's name."""
    has_config = "digest" in row.facts and "seed" in row.facts
    return f"{row.facts['arm']}-s{row.facts['seed']}" if has_config else folder


def _record(folders: Sequence[Path], rows: Mapping[str, ResultRow], split: str) -> None:
    from core.model.bundle.manifest import MANIFEST, record_about, record_metrics

    for folder in folders:
        if (folder / MANIFEST).is_file():
            threshold = rows[folder.name].threshold
            if split == "dev" and threshold is not None:
                record_about(folder, {"threshold": threshold})
            means = {
                subset: {metric: round(value, 4) for metric, value in values.items()}
                for subset, values in rows[folder.name].means.items()
            }
            record_metrics(folder, {split: means})

"""The command that varies one setting after another and draws the results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError
from training.cli.options import RESULTS, RUNS, add_arms, command_with_encoder, configured, say
from training.config import RunConfig

if TYPE_CHECKING:
    from training.judging.arms import Arm
    from training.judging.compare import Comparison


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sweep`."""
    parser.add_argument(
        "place",
        type=Path,
        metavar="CONFIG.toml | RESULTS",
        help="a configuration to be varied, or the folder of a sweep, to draw it again",
    )
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="KEY=VALUE,…",
        help="a setting and its values (between ; where they have commas); repeatable, each alone",
    )
    add_arms(
        parser,
        arm_help="a line of its own, with settings of its own; repeatable",
        name="NAME-sweep",
    )
    parser.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="PLACE | NAME=DEV/TEST",
        help="a dashed line: finished runs or rows, or published figures in %%; repeatable",
    )
    parser.add_argument(
        "--measure", default="", help="such as ndcg@5 (accuracy, or micro-F1 at 0.5)"
    )
    parser.add_argument(
        "--x", choices=("value", "parameters"), default="value", help="what is drawn to the right"
    )
    parser.set_defaults(command=_sweep)


def _sweep(options: argparse.Namespace) -> None:
    from training.results.sweep_figure import write_sweep

    if options.place.suffix == ".toml":
        print(_swept(options))
    elif options.over:
        raise ConfigError(f"{options.place} is no configuration: --over varies one.")
    else:
        print(write_sweep(options.place))


def _swept(options: argparse.Namespace) -> str:
    from training.judging.arms import parse_arm
    from training.judging.compare import write_tables
    from training.results.sweep_figure import write_sweep
    from training.results.sweep_record import SweepSpec, joined_seeds
    from training.studies.sweep import digested, parse_axis, references, require_measure, swept_arms

    options.config = options.place
    config = configured(options)
    series = [parse_arm(text) for text in options.arm]
    arms, points = swept_arms(config, [parse_axis(text) for text in options.over], series)
    comparison = _comparison(options, config, arms)
    seeds = joined_seeds(comparison.results, comparison.seeds)
    if not options.refresh:
        replace(comparison, seeds=seeds).require_fresh()
    if options.measure:
        require_measure(options.measure, comparison.judged_data(config.data), config)
    # Only now: a sweep that is refused leaves what was drawn before as it is.
    SweepSpec(
        title=f"{config.name}: {', '.join(dict.fromkeys(point.key for point in points))}",
        points=digested(points, arms, config),
        seeds=seeds,
        measure=options.measure,
        x=options.x,
        references=references(options.reference, options.measure),
    ).save(comparison.results)
    if not options.tables_only:
        _train_missing(comparison)
    write_tables(replace(comparison, seeds=comparison.seeds if options.refresh else seeds))
    return write_sweep(comparison.results)


def _comparison(options: argparse.Namespace, config: RunConfig, arms: Sequence[Arm]) -> Comparison:
    from training.judging.arms import parse_seeds
    from training.judging.compare import Comparison

    return Comparison(
        base=config,
        arms=arms,
        seeds=parse_seeds(options.seeds),
        results=options.results or RESULTS / f"{config.name}-sweep",
        runs=options.out or RUNS / f"{config.name}-sweep",
        refresh=options.refresh,
        # A value of a sweep is an arm of a comparison, and trained again as one.
        command=command_with_encoder("compare", options),
        say=say,
    )


def _train_missing(comparison: Comparison) -> None:
    from training.fitting.train import train
    from training.results.sweep_figure import write_sweep

    def drawn_then_trained(run: RunConfig, out: Path) -> Path:
        # A long sweep can be looked at while it goes on.
        write_sweep(comparison.results)
        return train(run, out)

    comparison.run(drawn_then_trained)

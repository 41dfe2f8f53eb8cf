"""The command that varies one setting after another and draws the results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from core.errors import ConfigError
from training.cli.compare import GROUP, ArmOptions
from training.cli.options import NamedRun, command
from training.config import RunConfig

if TYPE_CHECKING:
    from training.judging.compare import Comparison


@dataclass(frozen=True, slots=True)
class FigureOptions:
    """What is varied, and what is drawn."""

    over: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE,…",
            help="a setting and its values (between ; where they have commas); repeatable, each "
            "alone",
        ),
    ] = None
    reference: Annotated[
        list[str] | None,
        Option(
            metavar="PLACE | NAME=DEV/TEST",
            help="a dashed line: finished runs or rows, or published figures in %; repeatable",
        ),
    ] = None
    measure: Annotated[str, Option(help="such as ndcg@5 (accuracy, or micro-F1 at 0.5)")] = ""
    x: Annotated[
        Literal["value", "parameters"], Option("--x", help="what is drawn to the right")
    ] = "value"


@command(
    GROUP,
    "sweep training/configs/table2/docbert.toml --over optim.epochs=4,30",
    figure=FigureOptions,
    arms=ArmOptions,
)
def sweep(
    place: Annotated[
        Path,
        Argument(
            metavar="CONFIG.toml | RESULTS",
            help="a configuration to be varied, or the folder of a sweep, to draw it again",
        ),
    ],
    *,
    figure: FigureOptions,
    arms: ArmOptions,
) -> None:
    """Vary one setting after another, train what is missing, and draw quality against the setting
    (or against parameters), with other models as lines. The folders are called NAME-sweep.
    """
    from training.results.sweep_figure import write_sweep

    if place.suffix == ".toml":
        print(_swept(NamedRun(place, arms.encoder), figure, arms))
    elif figure.over:
        raise ConfigError(f"{place} is no configuration: --over varies one.")
    else:
        print(write_sweep(place))


def _swept(run: NamedRun, figure: FigureOptions, options: ArmOptions) -> str:
    from training.judging.arms import parse_arm
    from training.judging.compare import write_tables
    from training.results.sweep_figure import write_sweep
    from training.results.sweep_record import SweepSpec, joined_seeds
    from training.studies.sweep import digested, parse_axis, references, require_measure, swept_arms

    config = run.load()
    series = [parse_arm(text) for text in options.arm or ()]
    arms, points = swept_arms(config, [parse_axis(text) for text in figure.over or ()], series)
    comparison = options.comparison(run, config, arms, name=f"{config.name}-sweep")
    seeds = joined_seeds(comparison.results, comparison.seeds)
    (comparison if options.refresh else replace(comparison, seeds=seeds)).require_ready()
    if figure.measure:
        require_measure(figure.measure, comparison.judged_data(config.data), config)
    # Only now: a sweep that is refused leaves what was drawn before as it is.
    SweepSpec(
        title=f"{config.name}: {', '.join(dict.fromkeys(point.key for point in points))}",
        points=digested(points, arms, config),
        seeds=seeds,
        measure=figure.measure,
        x=figure.x,
        references=references(figure.reference or [], figure.measure),
    ).save(comparison.results)
    if not options.tables_only:
        _train_missing(comparison)
    write_tables(replace(comparison, seeds=comparison.seeds if options.refresh else seeds))
    return write_sweep(comparison.results)


def _train_missing(comparison: Comparison) -> None:
    from training.fitting.train import train
    from training.results.sweep_figure import write_sweep

    def drawn_then_trained(run: RunConfig, out: Path) -> Path:
        # A long sweep can be looked at while it goes on.
        write_sweep(comparison.results)
        return train(run, out)

    comparison.run(drawn_then_trained)

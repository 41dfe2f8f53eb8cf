"""Command line: `python -m training train | evaluate | compare | baseline | linear | fuse | bundle | stack`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError, StrataError
from core.settings import PROJECT_ROOT
from training.config import DataConfig, RunConfig, load_config

if TYPE_CHECKING:
    from training.rows import ResultRow

RUNS = PROJECT_ROOT / "runs"
RESULTS = PROJECT_ROOT / "docs" / "results"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 1 and a sentence on stderr where it cannot be done."""
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = options.command
    try:
        command(options)
    except StrataError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from the last checkpoint.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has enough (`| head`); nothing may be flushed into the pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_train(commands.add_parser("train", help="train one configuration"))
    _add_evaluate(commands.add_parser("evaluate", help="judge finished runs or a bundle"))
    _add_insights(
        commands.add_parser(
            "insights", help="where a model is good and where it errs, for the page"
        )
    )
    _add_utilization(
        commands.add_parser("utilization", help="how much of an encoder is used, beside Table 2")
    )
    _add_compare(commands.add_parser("compare", help="plans or arms × seeds, with tables"))
    _add_baseline(commands.add_parser("baseline", help="a tree of TF-IDF classifiers (omikuji)"))
    _add_linear(commands.add_parser("linear", help="the pruned linear suggester of a bundle"))
    _add_fuse(commands.add_parser("fuse", help="weighted mean of two runs, tuned on dev"))
    _add_bundle(commands.add_parser("bundle", help="package a run for serving"))
    _add_stack(commands.add_parser("stack", help="a deeper encoder: layers on top of themselves"))
    return parser


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME)")
    parser.add_argument("--fresh", action="store_true", help="do not resume what was begun there")
    parser.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> None:
    from training.folders import RunFolder, load_data
    from training.judge import judge_run, write_metrics
    from training.run import is_main_process, train

    config = _configured(options)
    run = RunFolder(train(config, options.out or RUNS / config.name, fresh=options.fresh))
    if is_main_process():
        write_metrics(run, judge_run(run, load_data(config.data), config.model.depth, {}))
        print(run.path)


def _configured(options: argparse.Namespace) -> RunConfig:
    config = load_config(options.config)
    return config.replace("model.encoder", options.encoder) if options.encoder else config


def _add_evaluate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN_OR_BUNDLE")
    _add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.add_argument("--results", type=Path, help="folder to keep the rows in (small files)")
    parser.add_argument(
        "--record", action="store_true", help="write the means into the manifests of bundles"
    )
    parser.set_defaults(command=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from training.judge import judge_folders
    from training.tables import report

    rows = judge_folders(
        options.folders, _data_options(options), split=options.split, depth=options.depth
    )
    if options.results:
        for name, row in rows.items():
            row.save(options.results / f"{name}-{options.split}.npz")
    if options.record:
        _record(options.folders, rows, options.split)
    by_arm = {name: [row] for name, row in rows.items()}
    print(report(by_arm, against=next(iter(by_arm)), title=f"Results on {options.split}"))


def _record(folders: Sequence[Path], rows: Mapping[str, ResultRow], split: str) -> None:
    from core.model.bundle import MANIFEST, record_metrics

    for folder in folders:
        if (folder / MANIFEST).is_file():
            means = {
                subset: {metric: round(value, 4) for metric, value in values.items()}
                for subset, values in rows[folder.name].means.items()
            }
            record_metrics(folder, {split: means})


def _add_insights(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="BUNDLE_OR_RUN")
    _add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--documents", type=int, default=0, help="only so many; 0 for all")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.set_defaults(command=_insights)


def _insights(options: argparse.Namespace) -> None:
    from training.insights import Wanted, write_insights

    wanted = Wanted(options.split, options.documents, options.depth)
    print(write_insights(options.folder, _data_options(options), wanted))


def _add_utilization(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", type=Path, nargs="*", metavar="RUN_OR_BUNDLE", help="none: the tables alone"
    )
    _add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--query", choices=("cls", "mean", "both"), default="both", help="rows of the attention"
    )
    parser.add_argument("--documents", type=int, default=0, help="at most so many; 0 for all")
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS / "utilization",
        help="a folder a model comes into it, and the tables (docs/results/utilization)",
    )
    parser.set_defaults(command=_utilization)


def _utilization(options: argparse.Namespace) -> None:
    from training.utilization import Measuring, write_tables

    queries = ("cls", "mean") if options.query == "both" else (options.query,)
    measuring = Measuring(
        data=_data_options(options),
        split=options.split,
        queries=queries,
        out=options.out,
        at_most=options.documents,
        say=lambda line: print(line, file=sys.stderr),
    )
    measuring.run(options.folders)
    for text in write_tables(options.out, queries).values():
        print(text)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--plans", default="", help="such as flat,last_half: an arm each")
    parser.add_argument(
        "--arm",
        action="append",
        default=[],
        metavar="NAME:KEY=VALUE,…",
        help="an arm with settings of its own, such as alone:model.plan=none; repeatable",
    )
    parser.add_argument(
        "--grid", action="store_true", help="every arm at the paper's learning and dropout rates"
    )
    parser.add_argument("--seeds", default="1", help="such as 1,2,3")
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")
    parser.add_argument("--out", type=Path, help="folder of the runs (runs/NAME)")
    parser.add_argument(
        "--results", type=Path, help="folder of rows and tables (docs/results/NAME)"
    )
    parser.add_argument("--refresh", action="store_true", help="train stale rows anew")
    parser.add_argument("--tables-only", action="store_true", help="train nothing")
    parser.set_defaults(command=_compare)


def _compare(options: argparse.Namespace) -> None:
    from training.arms import paper_grid, parse_arm, parse_seeds, plan_arms
    from training.compare import Comparison, write_tables

    config = _configured(options)
    arms = [*plan_arms(options.plans), *(parse_arm(text) for text in options.arm)]
    comparison = Comparison(
        base=config,
        arms=paper_grid(arms) if options.grid else arms,
        seeds=parse_seeds(options.seeds),
        results=options.results or RESULTS / config.name,
        runs=options.out or RUNS / config.name,
        refresh=options.refresh,
        say=lambda line: print(line, file=sys.stderr),
    )
    if not options.tables_only:
        from training.run import train

        comparison.run(train)
    for text in write_tables(comparison).values():
        print(text)


def _add_baseline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tree", choices=("parabel", "bonsai"))
    parser.add_argument("--labels", choices=("assigned", "augmented", "both"), default="both")
    _add_data(parser)
    parser.add_argument("--depth", type=int, default=6, help="levels of the augmented labels")
    parser.add_argument("--max-characters", type=int, default=5000, help="that are read; 0 for all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/omikuji-TREE)")
    parser.set_defaults(command=_baseline)


def _baseline(options: argparse.Namespace) -> None:
    from training.baseline_run import BaselineConfig, run_baseline
    from training.folders import load_data

    both = options.labels == "both"
    config = BaselineConfig(
        tree=options.tree,
        labels=("assigned", "augmented") if both else (options.labels,),
        depth=options.depth,
        max_characters=options.max_characters,
        n_threads=options.threads,
    )
    data = load_data(_data_options(options))
    out = options.out or RUNS / f"omikuji-{options.tree}"
    print(run_baseline(config, data, out))


def _add_linear(parser: argparse.ArgumentParser) -> None:
    _add_data(parser)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/linear)")
    parser.set_defaults(command=_linear)


def _linear(options: argparse.Namespace) -> None:
    from training.folders import load_data
    from training.linear import LinearConfig
    from training.linear_run import run_linear

    data = load_data(_data_options(options))
    print(run_linear(LinearConfig(), data, options.out or RUNS / "linear"))


def _add_fuse(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", type=Path, metavar="RUN")
    parser.add_argument("second", type=Path, metavar="RUN")
    _add_data(parser)
    parser.add_argument("--out", type=Path, required=True, help="folder of the fused scores")
    parser.set_defaults(command=_fuse)


def _fuse(options: argparse.Namespace) -> None:
    from training.folders import RunFolder, load_data, over
    from training.fuse import fuse_runs

    first, second = RunFolder.finished(options.first), RunFolder.finished(options.second)
    data = load_data(over(first.data(), _data_options(options)))
    weights = fuse_runs(first, second, data, options.out)
    for name, weight in weights.items():
        print(f"{name}: {weight:.2f} · {first.path.name} + {1 - weight:.2f} · {second.path.name}")
    print(options.out)


def _add_bundle(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--out", type=Path, required=True, help="folder of the bundle")
    parser.add_argument("--linear", type=Path, help="folder of a linear suggester, to be fused")
    parser.add_argument("--name", default="eurovoc", help="what the bundle calls itself")
    parser.set_defaults(command=_bundle)


def _bundle(options: argparse.Namespace) -> None:
    from training.package import package_bundle

    bundle = package_bundle(
        options.run, options.out, linear_folder=options.linear, name=options.name
    )
    print(bundle)


def _add_stack(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("encoder", metavar="ENCODER", help="hub id or folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the deeper encoder")
    parser.add_argument("--times", type=int, default=2, help="how often its layers are repeated")
    parser.set_defaults(command=_stack)


def _stack(options: argparse.Namespace) -> None:
    from training.stack import stack_encoder

    print(stack_encoder(options.encoder, options.out, times=options.times))


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", default="", help="folder of the corpus")
    parser.add_argument("--format", default="", help="acts_jsonl or eurlex57k")
    parser.add_argument("--vocabulary", default="", help="SKOS file")


def _data_options(options: argparse.Namespace) -> DataConfig:
    for place in (options.data, options.vocabulary):
        if place and not Path(place).exists():
            raise ConfigError(f"There is no {place}.")
    return DataConfig(
        format=options.format or "acts_jsonl", path=options.data, vocabulary=options.vocabulary
    )


if __name__ == "__main__":
    sys.exit(main())

"""Commands that train: a run, a baseline, a linear suggester, a deeper encoder."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.commands.options import RUNS, add_data, configured, data_options, say
from training.config import DataConfig, RunConfig, load_config


def add_train(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `train`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME)")
    parser.add_argument("--fresh", action="store_true", help="do not resume what was begun there")
    parser.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> None:
    config = configured(options)
    _trained(config, options.out or RUNS / config.name, fresh=options.fresh)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `resume`."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder that train or adapt began")
    parser.set_defaults(command=_resume)


def _resume(options: argparse.Namespace) -> None:
    from training.fitting.adapt import adapt
    from training.fitting.begun import command_of

    command = command_of(options.run)
    config = load_config(options.run / "config.toml")
    if command == "adapt":
        print(adapt(config, options.run, say=say))
    else:
        _trained(config, options.run)


def _trained(config: RunConfig, out: Path, *, fresh: bool = False) -> None:
    from training.fitting.run import is_main_process, train
    from training.judging.folders import RunFolder, load_data
    from training.judging.judge import judge_run, write_metrics

    run = RunFolder(train(config, out, fresh=fresh, say=say))
    if is_main_process():
        write_metrics(run, judge_run(run, load_data(config.data), config.model.depth, {}))
        print(run.path)


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `baseline`."""
    parser.add_argument("tree", choices=("parabel", "bonsai"))
    parser.add_argument("--labels", choices=("assigned", "augmented", "both"), default="both")
    add_data(parser)
    parser.add_argument("--depth", type=int, default=6, help="levels of the augmented labels")
    parser.add_argument("--max-characters", type=int, default=5000, help="that are read; 0 for all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/omikuji-TREE)")
    parser.set_defaults(command=_baseline)


def _baseline(options: argparse.Namespace) -> None:
    from training.baselines.tree_run import BaselineConfig, run_baseline
    from training.judging.folders import load_data, over

    both = options.labels == "both"
    config = BaselineConfig(
        tree=options.tree,
        labels=("assigned", "augmented") if both else (options.labels,),
        depth=options.depth,
        max_characters=options.max_characters,
        n_threads=options.threads,
    )
    data = load_data(over(DataConfig(), data_options(options)))
    say(data.corpus.report())
    out = options.out or RUNS / f"omikuji-{options.tree}"
    print(run_baseline(config, data, out))


def add_linear(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `linear`."""
    add_data(parser)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/linear)")
    parser.set_defaults(command=_linear)


def _linear(options: argparse.Namespace) -> None:
    from training.baselines.linear import LinearConfig
    from training.baselines.linear_run import run_linear
    from training.judging.folders import load_data, over

    data = load_data(over(DataConfig(), data_options(options)))
    say(data.corpus.report())
    print(run_linear(LinearConfig(), data, options.out or RUNS / "linear"))

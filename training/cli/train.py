"""Commands that train: a run of the guided classifier, a baseline, the linear suggester."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import ConfigError
from training.cli.options import (
    RUNS,
    add_data,
    add_training,
    command_with_encoder,
    configured,
    data_options,
    say,
)
from training.config import DataConfig, RunConfig, load_config
from training.judging.folders import JudgedData
from training.judging.recorded import data_words, note_command, shown_place


def add_train(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `train`."""
    add_training(parser)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="in place of what the configuration says, such as data.fold=everything; repeatable",
    )
    parser.set_defaults(command=_train)


def _train(options: argparse.Namespace) -> None:
    config = _changed(configured(options), options.set)
    out = options.out or RUNS / config.name
    words = command_with_encoder("train", options)
    command = " ".join([words, *(f"--set {shlex.quote(change)}" for change in options.set)])
    _trained(config, out, fresh=options.fresh, command=command)


def _changed(config: RunConfig, changes: Sequence[str]) -> RunConfig:
    """Return a configuration with other values for some keys."""
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise ConfigError(
                f"--set {change} has no value: write KEY=VALUE, such as model.depth=3."
            )
        config = config.replace(key.strip(), value.strip())
    return config


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `resume`."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder that train or adapt began")
    parser.set_defaults(command=_resume)


def _resume(options: argparse.Namespace) -> None:
    from training.fitting.encoders.adapt import adapt
    from training.fitting.resume import command_of

    command = command_of(options.run)
    config = load_config(options.run / "config.toml")
    if command == "adapt":
        print(adapt(config, options.run, say=say))
    else:
        _trained(config, options.run)


def _trained(config: RunConfig, out: Path, *, fresh: bool = False, command: str = "") -> None:
    from training.fitting.devices import is_main_process
    from training.fitting.train import train
    from training.judging.folders import RunFolder, load_data
    from training.judging.judge import judge_run, write_metrics

    run = RunFolder(train(config, out, fresh=fresh, say=say))
    if is_main_process():
        note_command(run.path, command)
        write_metrics(run, judge_run(run, load_data(config.data), config.model.depth, {}))
        print(run.path)


TREES = ("parabel", "bonsai")
CLASSICAL = ("lr", "svm", "knn")
TREE_CHARACTERS = 5000
TREE_DEPTH = 6


def add_baseline(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `baseline`."""
    parser.add_argument(
        "model",
        choices=(*CLASSICAL, *TREES),
        help="logistic regression, linear SVM, k nearest neighbours; trees of omikuji",
    )
    parser.add_argument(
        "--config", type=Path, metavar="CONFIG.toml", help="whose [data] and seed are taken"
    )
    add_data(parser)
    parser.add_argument("--seed", type=int, help="of the solver, and of what is drawn (1)")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/MODEL)")
    classical = parser.add_argument_group("of lr, svm and knn")
    classical.add_argument(
        "--tuned", action="store_true", help="choose terms and C (or k) on dev; slower"
    )
    classical.add_argument("--features", choices=("words", "stems"), help="(words)")
    classical.add_argument("--c", type=float, help="of lr and svm (1)")
    classical.add_argument("--k", type=int, help="neighbours of knn (5)")
    trees = parser.add_argument_group("of parabel and bonsai")
    trees.add_argument(
        "--labels",
        choices=("assigned", "augmented", "both"),
        help="both, where the vocabulary has levels",
    )
    trees.add_argument("--depth", type=int, help="levels of the augmented labels (6)")
    trees.add_argument("--max-characters", type=int, help="that are read (5000); 0 for all")
    trees.add_argument("--threads", type=int, help="(1)")
    parser.set_defaults(command=_baseline)


def _baseline(options: argparse.Namespace) -> None:
    _require_fitting(options)
    data, seed = _baseline_data(options)
    say(data.corpus.report())
    run = _classical if options.model in CLASSICAL else _tree
    print(run(options, data, seed))


def _require_fitting(options: argparse.Namespace) -> None:
    """Refuse what another model takes, before the corpus is read."""
    names = {
        "--tuned": (options.tuned, CLASSICAL),
        "--features": (options.features, CLASSICAL),
        "--c": (options.c is not None, ("lr", "svm")),
        "--k": (options.k is not None, ("knn",)),
        "--labels": (options.labels, TREES),
        "--max-characters": (options.max_characters is not None, TREES),
        "--depth": (options.depth is not None, TREES),
        "--threads": (options.threads is not None, TREES),
    }
    for name, (given, takers) in names.items():
        if given and options.model not in takers:
            raise ConfigError(f"{options.model} takes no {name}; it is of {', '.join(takers)}.")
    if options.c is not None and not 0 < options.c < math.inf:
        raise ConfigError(f"--c is a number above 0, not {options.c}.")
    if options.k is not None and options.k < 1:
        raise ConfigError(f"At least one neighbour votes: --k is 1 or more, not {options.k}.")
    chosen = [name for name in ("--features", "--c", "--k") if names[name][0]]
    if options.tuned and chosen:
        raise ConfigError(f"--tuned chooses {chosen[0]} itself: leave one of them out.")


def _baseline_data(options: argparse.Namespace) -> tuple[JudgedData, int]:
    """Return the configured corpus, with what the command line names instead, and the seed."""
    from training.judging.folders import load_data, over

    base, seed = DataConfig(), 1
    if options.config:
        config = load_config(options.config)
        base, seed = config.data, config.seed
    data = load_data(over(base, data_options(options)))
    given = getattr(options, "seed", None)
    return data, seed if given is None else given


def _classical(options: argparse.Namespace, data: JudgedData, seed: int) -> Path:
    from training.baselines.classical import ClassicalConfig
    from training.baselines.classical_run import run_classical

    config = ClassicalConfig(model=options.model, seed=seed)
    given = {"features": options.features, "c": options.c, "k": options.k}
    config = replace(config, **{name: value for name, value in given.items() if value is not None})
    name = f"{options.model}_tuned" if options.tuned else options.model
    return run_classical(
        config,
        data,
        options.out or RUNS / name,
        tuned=options.tuned,
        command=_baseline_command(options),
        say=say,
    )


def _tree(options: argparse.Namespace, data: JudgedData, seed: int) -> Path:
    from training.baselines.tree_run import BaselineConfig, run_baseline

    chosen = options.labels or ("both" if data.label_space.n_levels > 1 else "assigned")
    read = options.max_characters
    config = BaselineConfig(
        tree=options.model,
        labels=("assigned", "augmented") if chosen == "both" else (chosen,),
        depth=_depth(options),
        max_characters=TREE_CHARACTERS if read is None else read,
        n_threads=1 if options.threads is None else options.threads,
        seed=seed,
    )
    out = options.out or RUNS / f"omikuji-{options.model}"
    return run_baseline(config, data, out, command=_baseline_command(options))


def _depth(options: argparse.Namespace) -> int:
    return TREE_DEPTH if options.depth is None else int(options.depth)


def _baseline_command(options: argparse.Namespace) -> str:
    """Return the command as the run records it, with what decides its numbers."""
    words = ["python -m training baseline", options.model]
    if options.config:
        words += ["--config", shown_place(options.config)]
    words += data_words(data_options(options))
    words += ["--tuned"] if options.tuned else []
    words += ["--depth", str(_depth(options))] if options.model in TREES else []
    for name in ("features", "c", "k", "labels", "max_characters", "seed"):
        value = getattr(options, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return " ".join(words)


def add_linear(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `linear`."""
    parser.add_argument("--config", type=Path, metavar="CONFIG.toml", help="whose [data] is taken")
    add_data(parser)
    parser.add_argument(
        "--names",
        action="store_true",
        help="add the names of the labels to their weights, by the factor that is best on dev",
    )
    parser.add_argument("--out", type=Path, help="folder of the run (runs/linear)")
    parser.set_defaults(command=_linear)


def _linear(options: argparse.Namespace) -> None:
    from training.baselines.linear import LinearConfig
    from training.baselines.linear_run import run_linear

    data, _ = _baseline_data(options)
    say(data.corpus.report())
    words = ["python -m training linear"]
    words += ["--config", shown_place(options.config)] if options.config else []
    words += data_words(data_options(options)) + (["--names"] if options.names else [])
    config = LinearConfig(names=True, min_positives=1) if options.names else LinearConfig()
    print(run_linear(config, data, options.out or RUNS / "linear", command=" ".join(words)))


def add_retrain(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `retrain`."""
    parser.add_argument(
        "--project", required=True, metavar="NAME", help="name or id, in the home (STRATA_HOME)"
    )
    parser.add_argument(
        "--encoder",
        action="store_true",
        help="train the encoder of its model on what was decided, too",
    )
    parser.set_defaults(command=_retrain)


def _retrain(options: argparse.Namespace) -> None:
    from core.settings import Settings
    from training.retraining.retrain import retrain

    made, found = retrain(options.project, Settings.from_env(), encoder=options.encoder)
    print(
        f"nDCG@5 {100 * found.ndcg:.1f}, and {100 * found.ndcg_serving:.1f} of what serves, on the "
        f"newest {found.n_judged} (difference {100 * found.low:+.1f} to {100 * found.high:+.1f})"
    )
    for group in (*found.by_frequency, *found.by_branch):
        print(
            f"{group.name}: {group.n_found} of {group.n_assigned} among the first five, and "
            f"{group.n_found_serving} of what serves"
        )
    print(made)

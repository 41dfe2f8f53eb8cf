"""Commands that train: a run of the guided classifier, a baseline, the linear suggester."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from core.errors import ConfigError
from core.processes import without_garbage_collection
from training.cli.options import (
    RUNS,
    Fresh,
    NamedRun,
    Out,
    command,
    data_options,
    say,
)
from training.config import DataConfig, RunConfig, load_config
from training.judging.folders import JudgedData, RunFolder, load_corpus, load_data, over
from training.judging.recorded import named_data, note_command, typed_command

if TYPE_CHECKING:
    from core.serving.retraining import ModelComparison

GROUP = "Train"


@command(GROUP, "train training/configs/eurovoc_titles.toml --out runs/mine", run=NamedRun)
def train(
    *,
    run: NamedRun,
    out: Out = None,
    fresh: Fresh = False,
    changes: Annotated[
        list[str] | None,
        Option(
            "--set",
            metavar="KEY=VALUE",
            help="in place of what the configuration says, such as data.fold=everything; "
            "repeatable",
        ),
    ] = None,
) -> None:
    """Train one configuration, score dev and test, and write metrics.json."""
    config = _changed(run.load(), changes or [])
    command = typed_command("train", run.config, encoder=run.shown_encoder, set=changes)
    _trained(config, out or RUNS / config.name, fresh=fresh, command=command)


def _changed(config: RunConfig, changes: Sequence[str]) -> RunConfig:
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise ConfigError(
                f"--set {change} has no value: write KEY=VALUE, such as model.depth=3."
            )
        config = config.replace(key.strip(), value.strip())
    return config


@command(GROUP, "resume runs/mine")
def resume(
    run: Annotated[Path, Argument(metavar="RUN", help="folder that train or adapt began")],
) -> None:
    """Go on with a run of train or adapt that was stopped or killed; the numbers are those of an
    unbroken run.
    """
    from training.fitting.encoders.adapt import adapt
    from training.fitting.resume import command_of

    kind = command_of(run)
    config = load_config(run / "config.toml")
    if kind == "adapt":
        print(adapt(config, run, say=say))
    else:
        _trained(config, run)


@command(GROUP, "average runs/one runs/two --out runs/mean")
def average(
    runs: Annotated[list[Path], Argument(metavar="RUN", help="finished runs of several seeds")],
    *,
    out: Annotated[Path, Option(help="folder of the run with their mean weights")],
) -> None:
    """Make one run of several that went on from the same weights: the mean of theirs."""
    from training.fitting.train import average_runs

    average_runs(runs, out)
    _judged(load_config(out / "config.toml"), out, typed_command("average", *runs, out=out))


def _trained(config: RunConfig, out: Path, *, fresh: bool = False, command: str = "") -> None:
    with without_garbage_collection():
        from training.fitting.devices import is_main_process
        from training.fitting.train import train

    train(config, out, fresh=fresh, say=say)
    if is_main_process():
        _judged(config, out, command)


def _judged(config: RunConfig, out: Path, command: str) -> None:
    from training.judging.judge import judge_run, write_metrics

    note_command(out, command)
    run = RunFolder(out)
    write_metrics(run, judge_run(run, load_data(config.data), config.model.depth, {}))
    print(out)


TREES = ("parabel", "bonsai")
CLASSICAL = ("lr", "svm", "knn")
TREE_CHARACTERS = 5000
TREE_DEPTH = 6


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What the models take, by model."""

    tuned: Annotated[
        bool,
        Option("--tuned", help="of lr, svm and knn: choose terms and C (or k) on dev; slower"),
    ] = False
    features: Annotated[
        Literal["words", "stems"] | None, Option(help="of lr, svm and knn (words)")
    ] = None
    c: Annotated[float | None, Option("--c", help="of lr and svm (1)")] = None
    k: Annotated[int | None, Option("--k", help="neighbours of knn (5)")] = None
    labels: Annotated[
        Literal["assigned", "augmented", "both"] | None,
        Option(help="of parabel and bonsai: both, where the vocabulary has levels"),
    ] = None
    depth: Annotated[
        int | None, Option(help="of parabel and bonsai: levels of the augmented labels (6)")
    ] = None
    max_characters: Annotated[
        int | None, Option(help="of parabel and bonsai: that are read (5000); 0 for all")
    ] = None
    threads: Annotated[int | None, Option(help="of parabel and bonsai (1)")] = None
    names: Annotated[
        bool,
        Option(
            "--names",
            help="of linear: add the names of the labels to their weights, by the factor that is "
            "best on dev",
        ),
    ] = False
    name_weight: Annotated[
        float | None,
        Option(min=0.0, help="that factor, where dev was learned from: what the twin has"),
    ] = None

    def require_fitting(self, model: str) -> None:
        """Refuse what another model takes.

        Raises:
            ConfigError: an option is not of this model, is out of range, or chosen twice.
        """
        takers: dict[str, tuple[str, ...]] = {"tuned": CLASSICAL, "features": CLASSICAL}
        takers |= {"c": ("lr", "svm"), "k": ("knn",)}
        takers |= dict.fromkeys(("labels", "max_characters", "depth", "threads"), TREES)
        takers |= dict.fromkeys(("names", "name_weight"), ("linear",))
        for name in self.given():
            if model not in takers[name]:
                raise ConfigError(
                    f"{model} takes no {_option(name)}; it is of {', '.join(takers[name])}."
                )
        if self.c is not None and not 0 < self.c < math.inf:
            raise ConfigError(f"--c is a number above 0, not {self.c}.")
        if self.k is not None and self.k < 1:
            raise ConfigError(f"At least one neighbour votes: --k is 1 or more, not {self.k}.")
        if self.name_weight is not None and not self.names:
            raise ConfigError("--name-weight is the factor of --names: name both, or neither.")
        chosen = [name for name in ("features", "c", "k") if name in self.given()]
        if self.tuned and chosen:
            raise ConfigError(
                f"--tuned chooses {_option(chosen[0])} itself: leave one of them out."
            )

    def given(self) -> dict[str, Any]:
        """Return what was named, by option."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {name: v for name, v in values.items() if v is not None and v is not False}


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@command(
    GROUP,
    "baseline svm --config training/configs/reuters.toml --tuned",
    data=data_options,
    options=BaselineOptions,
)
def baseline(
    model: Annotated[
        Literal["lr", "svm", "knn", "parabel", "bonsai", "linear"],
        Argument(
            help="logistic regression, linear SVM, k nearest neighbours; trees of omikuji; the small "
            "linear suggester that a bundle fuses with an encoder"
        ),
    ],
    *,
    config: Annotated[
        Path | None, Option(metavar="CONFIG.toml", help="whose [data] and seed are taken")
    ] = None,
    data: DataConfig,
    seed: Annotated[int | None, Option(help="of the solver, and of what is drawn (1)")] = None,
    out: Annotated[Path | None, Option(help="folder of the run (runs/MODEL)")] = None,
    options: BaselineOptions,
) -> None:
    """Train what a large model must beat, on the same data: logistic regression (lr), a linear SVM
    (svm) or k nearest neighbours (knn) on TF-IDF, as set or --tuned on dev; trees of such
    classifiers (parabel, bonsai); or the linear suggester of bundles (linear).
    """
    options.require_fitting(model)
    run = load_config(config) if config else RunConfig()
    judged = load_data(over(run.data, data))
    say(judged.corpus.report())
    named = {name: value for name, value in options.given().items() if name != "threads"}
    depth = TREE_DEPTH if options.depth is None else options.depth
    named |= {"depth": depth} if model in TREES else {}
    command = typed_command(
        "baseline", model, config=config, **named_data(data), **named, seed=seed
    )
    if model == "linear":
        print(_linear(options, judged, out or RUNS / model, command))
        return
    train_it = _classical if model in CLASSICAL else _tree
    seed = run.seed if seed is None else seed
    print(train_it(model, options, judged, out, seed=seed, command=command))


def _linear(options: BaselineOptions, data: JudgedData, out: Path, command: str) -> Path:
    from training.baselines.linear import LinearConfig
    from training.baselines.linear_run import run_linear

    settings = LinearConfig()
    if options.names:
        settings = LinearConfig(names=True, name_weight=options.name_weight, min_positives=1)
    return run_linear(settings, data, out, command=command)


def _classical(
    model: str,
    options: BaselineOptions,
    data: JudgedData,
    out: Path | None,
    *,
    seed: int,
    command: str,
) -> Path:
    from training.baselines.classical import ClassicalConfig
    from training.baselines.classical_run import run_classical

    given = {k: v for k, v in options.given().items() if k in ("features", "c", "k")}
    config = ClassicalConfig(model=model, seed=seed, **given)
    out = out or RUNS / (f"{model}_tuned" if options.tuned else model)
    return run_classical(config, data, out, tuned=options.tuned, command=command, say=say)


def _tree(
    model: str,
    options: BaselineOptions,
    data: JudgedData,
    out: Path | None,
    *,
    seed: int,
    command: str,
) -> Path:
    from training.baselines.trees import BaselineConfig, run_baseline

    chosen = options.labels or ("both" if data.label_space.n_levels > 1 else "assigned")
    read = options.max_characters
    config = BaselineConfig(
        tree=model,
        labels=("assigned", "augmented") if chosen == "both" else (chosen,),
        depth=TREE_DEPTH if options.depth is None else options.depth,
        max_characters=TREE_CHARACTERS if read is None else read,
        n_threads=1 if options.threads is None else options.threads,
        seed=seed,
    )
    return run_baseline(config, data, out or RUNS / f"omikuji-{model}", command=command)


@command(GROUP, "retrain --project eurovoc")
def retrain(
    *,
    project: Annotated[str, Option(metavar="NAME", help="name or id, in the home (STRATA_HOME)")],
    encoder: Annotated[
        bool,
        Option("--encoder", help="train the encoder of its model on what was decided, too"),
    ] = False,
) -> None:
    """Make a bundle of what was decided in a project, judge it beside what serves on the newest
    finished documents, and offer it on the page Models.
    """
    from core.settings import Settings

    with without_garbage_collection():
        from training.retraining.retrain import retrain

    made, comparison = retrain(project, Settings.from_env(), encoder=encoder)
    _print_comparison(comparison)
    print(made)


@command(GROUP, "refresh assets/models/eurovoc acts.csv --out runs/refreshed", data=data_options)
def refresh(
    bundle: Annotated[Path, Argument(metavar="BUNDLE")],
    newer: Annotated[list[Path], Argument(metavar="FILE", help="CSV or JSON Lines")],
    *,
    out: Annotated[Path, Option(help="folder of the bundle that is made")],
    judged: Annotated[
        float,
        Option(min=0, max=0.5, help="share of the newest, by which both are compared; 0: none"),
    ] = 0.2,
    earlier: Annotated[
        bool,
        Option(
            "--earlier",
            help="learn the earlier documents of the bundle again, from --data or where they lie",
        ),
    ] = False,
    only: Annotated[
        Path | None, Option(metavar="FILE", help="ids of the documents that count, one a line")
    ] = None,
    data: DataConfig,
) -> None:
    """Have a bundle learn documents that came after those that it knows, with the concepts that
    people assigned, and compare it with the one that it is made of.
    """
    with without_garbage_collection():
        from training.retraining.refresh import Refresh, refresh
        from training.shipping.shipped import data_of_bundle

    corpus = load_corpus(over(data_of_bundle(bundle), data)) if earlier or data.path else None
    ids = frozenset(only.read_text("utf-8").split()) if only else None
    comparison = refresh(Refresh(bundle, newer, corpus, judged, ids), out, say=say)
    if comparison is not None:
        _print_comparison(comparison)
    print(out)


def _print_comparison(comparison: ModelComparison) -> None:
    print(
        f"nDCG@5 {100 * comparison.ndcg:.1f}, and {100 * comparison.ndcg_serving:.1f} of what serves, on the "
        f"newest {comparison.n_judged} (difference {100 * comparison.low:+.1f} to {100 * comparison.high:+.1f})"
    )
    for group in (*comparison.by_frequency, *comparison.by_branch):
        print(
            f"{group.name}: {group.n_found} of {group.n_assigned} among the first five, and "
            f"{group.n_found_serving} of what serves"
        )

"""What several commands share: where things lie, and options that name data."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.config import NO_PLACES, DataConfig, RunConfig, load_config
from training.judging.recorded import shown_place

RUNS = PROJECT_ROOT / "runs"
RESULTS = PROJECT_ROOT / "docs" / "results"
CONFIGS = PROJECT_ROOT / "training" / "configs"


def configured(options: argparse.Namespace) -> RunConfig:
    """Return the configuration that a command line names, with the encoder that it names."""
    config = load_config(options.config)
    return config.replace("model.encoder", options.encoder) if options.encoder else config


def say(line: str) -> None:
    """Print a line to stderr.

    Of several processes only the first prints, by the rank that torchrun and accelerate give each.
    """
    if os.environ.get("RANK", "0") == "0":
        print(line, file=sys.stderr, flush=True)


def add_encoder(parser: argparse._ActionsContainer) -> None:
    """Declare the encoder that a command line names; see `configured`."""
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")


def add_training(parser: argparse._ActionsContainer) -> None:
    """Declare the options of a command that trains one configuration in a folder."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    add_encoder(parser)
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME)")
    parser.add_argument("--fresh", action="store_true", help="do not resume a run that is there")


def add_arms(parser: argparse._ActionsContainer, *, arm_help: str, name: str = "NAME") -> None:
    """Declare the options of a command that trains arms from several seeds.

    Args:
        name: of the folders of runs and of results.
    """
    parser.add_argument(
        "--arm", action="append", default=[], metavar="NAME:KEY=VALUE,…", help=arm_help
    )
    parser.add_argument("--seeds", default="1", help="such as 1,2,3")
    add_encoder(parser)
    parser.add_argument("--out", type=Path, help=f"folder of the runs (runs/{name})")
    parser.add_argument(
        "--results", type=Path, help=f"folder of rows and tables (docs/results/{name})"
    )
    parser.add_argument("--refresh", action="store_true", help="train stale rows anew")
    parser.add_argument("--tables-only", action="store_true", help="train nothing")


def command_with_encoder(command: str, options: argparse.Namespace) -> str:
    """Return a command to type again; it names an encoder of the hub, but no folder."""
    words = f"python -m training {command} {shown_place(options.config)}"
    named = options.encoder and not Path(options.encoder).exists()
    return f"{words} --encoder {options.encoder}" if named else words


def origin_of(origin: str) -> tuple[str, Path]:
    """Parse the date up to which an earlier bundle has learned, and its folder.

    Raises:
        ConfigError: it is not written as a date and a folder.
    """
    date, _, folder = origin.partition("=")
    if not (date[:4].isdecimal() and folder):
        raise ConfigError(f"--origin {origin}: write a date and a bundle, 2013-01-01=FOLDER.")
    return date, Path(folder)


def add_data(parser: argparse._ActionsContainer) -> None:
    """Declare the options that name a corpus and its vocabulary."""
    parser.add_argument("--data", default="", help="folder of the corpus")
    parser.add_argument(
        "--format", default="", help="of the corpus: acts_jsonl, eurlex57k, reuters, table …"
    )
    parser.add_argument("--task", default="", help="of the corpus's tasks, such as mrpc of glue")
    parser.add_argument("--fold", default="", help="such as 2/5: the second fifth is test")
    parser.add_argument("--vocabulary", default="", help="SKOS file, or icd10cm")


def data_options(options: argparse.Namespace) -> DataConfig:
    """Return the data options of a command line; "" for those that it does not name.

    Raises:
        ConfigError: a place that it names is not there.
    """
    named = NO_PLACES["data.vocabulary"]
    for place in (options.data, "" if options.vocabulary in named else options.vocabulary):
        if place and not Path(place).exists():
            raise ConfigError(f"There is no {place}.")
    return DataConfig(
        format=options.format,
        path=options.data,
        vocabulary=options.vocabulary,
        task=options.task,
        fold=options.fold,
    )

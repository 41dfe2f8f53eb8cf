"""What several commands share: where things lie, and options that name data."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.config import NO_PLACES, DataConfig, RunConfig, load_config

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
    """Return what a command line says about the data; "" for whatever it does not name.

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

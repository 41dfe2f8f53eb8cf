"""Commands that look at a corpus before anything is trained on it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from training.cli.options import add_data, data_options, say
from training.config import DataConfig, load_config


def add_describe(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `describe`."""
    parser.add_argument(
        "config",
        type=Path,
        nargs="?",
        metavar="CONFIG.toml",
        help="a configuration that names the corpus, where no option does",
    )
    add_data(parser)
    parser.set_defaults(command=_describe)


def _describe(options: argparse.Namespace) -> None:
    from training.judging.folders import load_corpus, over
    from training.studies.description import describe

    named = load_config(options.config).data if options.config else DataConfig()
    # All documents are counted, whatever share of them a run is judged on.
    data = replace(over(named, data_options(options)), judged=0)
    corpus = load_corpus(data)
    say(corpus.report())
    print(describe(corpus, data))

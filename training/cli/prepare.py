"""Commands that come before training: a corpus described, an encoder or word vectors made."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.cli.options import RUNS, add_data, add_training, configured, data_options, say
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
    data = over(named, data_options(options)).model_copy(update={"judged": 0})
    corpus = load_corpus(data)
    say(corpus.report())
    print(describe(corpus, data))


def add_stack(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `stack`."""
    parser.add_argument("encoder", metavar="ENCODER", help="hub id or folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the deeper encoder")
    parser.add_argument("--times", type=int, default=2, help="how often its layers are repeated")
    parser.set_defaults(command=_stack)


def _stack(options: argparse.Namespace) -> None:
    from training.fitting.encoders.resize import stack_encoder

    print(stack_encoder(options.encoder, options.out, times=options.times))


def add_adapt(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `adapt`."""
    add_training(parser)
    parser.set_defaults(command=_adapt)


def _adapt(options: argparse.Namespace) -> None:
    from training.fitting.encoders.adapt import adapt

    config = configured(options)
    print(adapt(config, options.out or RUNS / config.name, fresh=options.fresh, say=say))


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `vectors`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="of the student")
    parser.add_argument("--encoder", required=True, help="hub id or folder")
    parser.add_argument("--size", type=int, help="units of a vector (network.vector_size)")
    parser.add_argument("--out", type=Path, required=True, help="file for network.vectors")
    parser.set_defaults(command=_vectors)


def _vectors(options: argparse.Namespace) -> None:
    from training.config import load_config
    from training.fitting.encoders.resize import write_small_vectors

    config = load_config(options.config)
    size = config.network.vector_size if options.size is None else options.size
    print(write_small_vectors(config, options.encoder, size, options.out))

"""Commands that make an encoder: deeper, or used to the language of a domain, or its words smaller."""

from __future__ import annotations

import argparse
from pathlib import Path

from training.cli.options import RUNS, configured, say


def add_stack(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `stack`."""
    parser.add_argument("encoder", metavar="ENCODER", help="hub id or folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the deeper encoder")
    parser.add_argument("--times", type=int, default=2, help="how often its layers are repeated")
    parser.set_defaults(command=_stack)


def _stack(options: argparse.Namespace) -> None:
    from training.fitting.encoders.stack import stack_encoder

    print(stack_encoder(options.encoder, options.out, times=options.times))


def add_adapt(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `adapt`."""
    parser.add_argument("config", type=Path, metavar="CONFIG.toml")
    parser.add_argument("--encoder", help="hub id or folder, instead of the configured one")
    parser.add_argument("--out", type=Path, help="folder of the run (runs/NAME)")
    parser.add_argument("--fresh", action="store_true", help="do not resume what was begun there")
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
    from training.fitting.encoders.small_vectors import write_small_vectors

    config = load_config(options.config)
    size = config.network.vector_size if options.size is None else options.size
    print(write_small_vectors(config, options.encoder, size, options.out))

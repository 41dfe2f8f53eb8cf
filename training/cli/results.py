"""Commands that measure speed, and that write the record of what was measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.judging.arms import split_list


def add_benchmark(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `benchmark`."""
    parser.add_argument(
        "--encoder",
        default="",
        help="bert-base, minilm-6 or minilm-12 (their shapes, random weights), a hub id or a folder"
        " (minilm-6; bert-base on a GPU)",
    )
    parser.add_argument("--lengths", default="", help="tokens, such as 64,128,512 (all three)")
    parser.add_argument(
        "--precisions", default="", help="such as fp32,bf16 (what this machine has)"
    )
    parser.add_argument("--batch-size", type=int, default=0, help="documents a step (8, or 32)")
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="that each figure is taken over"
    )
    parser.add_argument("--out", type=Path, help="folder to add rows.jsonl and table.md to")
    parser.set_defaults(command=_benchmark)


def _benchmark(options: argparse.Namespace) -> None:
    from training.benchmarks.throughput import Bench, benchmark
    from training.results.speed_table import keep, table

    bench = Bench(
        encoder=options.encoder,
        lengths=_lengths(options.lengths),
        precisions=tuple(split_list(options.precisions)),
        batch_size=options.batch_size,
        seconds=options.seconds,
    )
    speeds = benchmark(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    if options.out:
        keep(speeds, options.out)
    print(table(speeds))


def _lengths(text: str) -> tuple[int, ...]:
    lengths = split_list(text)
    wrong = [length for length in lengths if not length.isdecimal() or int(length) < 1]
    if wrong:
        raise ConfigError(f"Lengths are numbers of tokens such as 64,512, not {wrong[0]!r}.")
    return tuple(int(length) for length in lengths)


def add_results(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `results`."""
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a page is out of date"
    )
    parser.set_defaults(command=_results)


def _results(options: argparse.Namespace) -> None:
    from training.results.committed import update_pages

    for path in update_pages(PROJECT_ROOT, check=options.check):
        print(path)

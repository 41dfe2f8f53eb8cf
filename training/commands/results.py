"""Commands that measure speed, and that write the record of what was measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.settings import PROJECT_ROOT


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
    parser.add_argument("--out", type=Path, help="file to add the rows to, as JSON Lines")
    parser.set_defaults(command=_benchmark)


def _benchmark(options: argparse.Namespace) -> None:
    from training.throughput import benchmark

    print(benchmark(options, say=lambda line: print(line, file=sys.stderr, flush=True)))


def add_results(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `results`."""
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a page is out of date"
    )
    parser.set_defaults(command=_results)


def _results(options: argparse.Namespace) -> None:
    from training.record import update_pages

    for path in update_pages(PROJECT_ROOT, check=options.check):
        print(path)

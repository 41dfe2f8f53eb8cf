"""Commands that look inside a finished run or a bundle."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from training.cli.options import RESULTS, add_data, data_options


def add_insights(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `insights`."""
    parser.add_argument("folder", type=Path, metavar="BUNDLE_OR_RUN")
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--documents", type=int, default=0, help="only so many; 0 for all")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.set_defaults(command=_insights)


def _insights(options: argparse.Namespace) -> None:
    from training.studies.insights import InsightsScope, write_insights

    wanted = InsightsScope(options.split, options.documents, options.depth)
    print(write_insights(options.folder, data_options(options), wanted))


def add_utilization(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `utilization`."""
    parser.add_argument(
        "folders", type=Path, nargs="*", metavar="RUN_OR_BUNDLE", help="none: the tables alone"
    )
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--query", choices=("cls", "mean", "both"), default="both", help="rows of the attention"
    )
    parser.add_argument("--documents", type=int, default=0, help="at most so many; 0 for all")
    parser.add_argument(
        "--before", action="store_true", help="also the encoder that the first run started from"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS / "utilization",
        help="a folder a model comes into it, and the tables (docs/results/utilization)",
    )
    parser.set_defaults(command=_utilization)


def _utilization(options: argparse.Namespace) -> None:
    from training.studies.utilization import UtilizationStudy, write_tables

    queries = ("cls", "mean") if options.query == "both" else (options.query,)
    measuring = UtilizationStudy(
        data=data_options(options),
        split=options.split,
        queries=queries,
        out=options.out,
        at_most=options.documents,
        before=options.before,
        say=lambda line: print(line, file=sys.stderr),
    )
    measuring.run(options.folders)
    for text in write_tables(options.out, queries).values():
        print(text)


def add_attention(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `attention`."""
    parser.add_argument("plain", type=Path, metavar="RUN_PLAIN")
    parser.add_argument("labels", type=Path, metavar="RUN_LABELS")
    parser.add_argument("--text", action="append", default=[], help="an invented text; repeatable")
    parser.add_argument(
        "--out", type=Path, help="file to write (RUN_LABELS/insights/attention.json)"
    )
    parser.set_defaults(command=_attention)


def _attention(options: argparse.Namespace) -> None:
    from training.studies.label_attention import compare_attention

    print(compare_attention(options.plain, options.labels, options.text, options.out))

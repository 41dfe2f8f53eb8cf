"""Commands that judge finished runs and bundles, and look into them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from training.cli.options import RESULTS, add_data, data_options

if TYPE_CHECKING:
    from training.judging.rows import ResultRow


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `evaluate`."""
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN_OR_BUNDLE")
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.add_argument("--results", type=Path, help="folder to keep the rows in (small files)")
    parser.add_argument(
        "--record", action="store_true", help="write the means into the manifests of bundles"
    )
    parser.set_defaults(command=_evaluate)


def _evaluate(options: argparse.Namespace) -> None:
    from training.judging.judge import judge_folders
    from training.results.report import report

    rows = judge_folders(
        options.folders, data_options(options), split=options.split, depth=options.depth
    )
    if options.results:
        for name, row in rows.items():
            row.save(options.results / f"{_file_name(name, row)}-{options.split}.npz")
    if options.record:
        _record(options.folders, rows, options.split)
    by_arm = {name: [row] for name, row in rows.items()}
    print(report(by_arm, against=next(iter(by_arm)), title=f"Results on {options.split}"))


def _file_name(folder: str, row: ResultRow) -> str:
    """A run's row goes by arm and seed, wherever it lies; a baseline's or bundle's by its folder."""
    has_config = "digest" in row.facts and "seed" in row.facts
    return f"{row.facts['arm']}-s{row.facts['seed']}" if has_config else folder


def _record(folders: Sequence[Path], rows: Mapping[str, ResultRow], split: str) -> None:
    from core.model.bundle import MANIFEST, record_metrics

    for folder in folders:
        if (folder / MANIFEST).is_file():
            means = {
                subset: {metric: round(value, 4) for metric, value in values.items()}
                for subset, values in rows[folder.name].means.items()
            }
            record_metrics(folder, {split: means})


def add_latency(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `latency`."""
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN_OR_BUNDLE")
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--batch-size", type=int, default=128, help="documents read together")
    parser.add_argument("--repeats", type=int, default=3, help="turns, of which the median counts")
    parser.add_argument(
        "--single", type=int, default=200, help="documents read one by one; 0 for all"
    )
    parser.add_argument("--documents", type=int, default=0, help="only so many; 0 for all")
    parser.add_argument("--threads", type=int, default=1, help="of torch (1); 0 for its default")
    parser.add_argument("--out", type=Path, help="folder of rows to add latency.jsonl to")
    parser.set_defaults(command=_latency)


def _latency(options: argparse.Namespace) -> None:
    from core.insights.timings import add_timings
    from training.benchmarks.latency import Race
    from training.judging.recorded import data_words, shown_place
    from training.results.latency_table import latency_table

    data = data_options(options)
    places = [shown_place(folder) for folder in options.folders]
    words = [*places, *data_words(data), "--split", options.split, *_race_words(options)]
    race = Race(
        split=options.split,
        batch_size=options.batch_size,
        repeats=options.repeats,
        single=options.single,
        documents=options.documents,
        threads=options.threads,
        command=" ".join(["python -m training latency", *words]),
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    timings = race.run(options.folders, data)
    if options.out:
        add_timings(timings, options.out)
    print(latency_table(timings))


def _race_words(options: argparse.Namespace) -> list[str]:
    """What decides the times; without the number of threads another machine takes its own."""
    names = ("batch_size", "repeats", "single", "documents", "threads")
    given = {name.replace("_", "-"): getattr(options, name) for name in names}
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


def add_insights(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `insights`."""
    parser.add_argument("folder", type=Path, metavar="BUNDLE_OR_RUN")
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument("--documents", type=int, default=0, help="only so many; 0 for all")
    parser.add_argument("--depth", type=int, default=6, help="levels that are judged")
    parser.set_defaults(command=_insights)


def _insights(options: argparse.Namespace) -> None:
    from training.studies.insights import Wanted, write_insights

    wanted = Wanted(options.split, options.documents, options.depth)
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
    from training.studies.utilization import Measuring, write_tables

    queries = ("cls", "mean") if options.query == "both" else (options.query,)
    measuring = Measuring(
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

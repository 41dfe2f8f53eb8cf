"""Commands that measure speed, look inside a model, and write the tables of what was measured."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.cli.options import RESULTS, add_data, data_options, origin_of, say
from training.config import DataConfig
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
    from training.benchmarks.throughput import ThroughputBenchmark, benchmark
    from training.results.speed_tables import keep_speeds, speed_table

    bench = ThroughputBenchmark(
        encoder=options.encoder,
        lengths=_lengths(options.lengths),
        precisions=tuple(split_list(options.precisions)),
        batch_size=options.batch_size,
        seconds=options.seconds,
    )
    speeds = benchmark(bench, say=lambda line: print(line, file=sys.stderr, flush=True))
    if options.out:
        keep_speeds(speeds, options.out)
    print(speed_table(speeds))


def _lengths(text: str) -> tuple[int, ...]:
    lengths = split_list(text)
    wrong = [length for length in lengths if not length.isdecimal() or int(length) < 1]
    if wrong:
        raise ConfigError(f"Lengths are numbers of tokens such as 64,512, not {wrong[0]!r}.")
    return tuple(int(length) for length in lengths)


def add_cold_curve(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `cold-curve`."""
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--annif",
        nargs=2,
        type=Path,
        metavar=("PYTHON", "FOLDER"),
        help="Annif's interpreter, and a folder in which its vocabulary eurovoc is loaded",
    )
    parser.add_argument("--out", type=Path, help="folder for the page (docs/results/cold-start)")
    parser.add_argument(
        "--record", action="store_true", help="have the page Vocabulary say what was found"
    )
    parser.set_defaults(command=_cold_curve)


def _cold_curve(options: argparse.Namespace) -> None:
    from core.suggest.cold_start.suggester import default_ranker
    from training.judging.folders import load_data, over
    from training.studies.cold_start_study import (
        annif_curve,
        curve,
        record_expected,
        save_study,
        study_page,
    )

    data = load_data(over(DataConfig(), data_options(options)))
    points = list(curve(data, options.split, default_ranker(), say=say))
    if options.annif:
        python, folder = options.annif
        points += annif_curve(python, folder, data, options.split, say=say)
    words = ["--split", options.split, *(["--annif", "PYTHON", "FOLDER"] if options.annif else [])]
    command = " ".join(["python -m training cold-curve", *words])
    if options.record:
        record_expected(points)
    if options.out:
        save_study(options.out, points, command=command, split=options.split)
    print(study_page(points, command=command, split=options.split))


def add_learning_curve(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `learning-curve`."""
    parser.add_argument("bundle", type=Path, metavar="BUNDLE", help="that has learned from train")
    parser.add_argument(
        "--origin",
        required=True,
        metavar="DATE=BUNDLE",
        help="a bundle of the same recipe that has learned from the documents before this date",
    )
    parser.add_argument(
        "--retrained", type=Path, metavar="BUNDLE", help="one that has learned from dev, too"
    )
    add_data(parser)
    parser.add_argument("--out", type=Path, help="folder for the page (docs/results/learning)")
    parser.set_defaults(command=_learning_curve)


def _learning_curve(options: argparse.Namespace) -> None:
    from core.suggest.correction.suggester import default_corrector
    from training.studies.learning_study import save_study, study, study_page

    date, origin = origin_of(options.origin)
    found = study(
        options.bundle,
        (date, origin),
        data_options(options),
        default_corrector(),
        retrained=options.retrained,
        say=say,
    )
    words = [
        "BUNDLE",
        f"--origin {date}=BUNDLE",
        *(["--retrained BUNDLE"] * bool(options.retrained)),
    ]
    command = " ".join(["python -m training learning-curve", *words])
    if options.out:
        save_study(options.out, found, command=command)
    print(study_page(found, command=command))


def add_hints(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `hints`."""
    parser.add_argument(
        "bundle",
        type=Path,
        nargs="?",
        metavar="BUNDLE",
        help="that never saw the split; none: as if the vocabulary were new",
    )
    add_data(parser)
    parser.add_argument("--split", choices=("dev", "test"), default="dev")
    parser.add_argument(
        "--finished",
        type=int,
        default=0,
        help="documents of train that were finished before (0); without a model, they teach",
    )
    parser.add_argument("--out", type=Path, help="folder for the page (docs/results/hints)")
    parser.add_argument(
        "--record", action="store_true", help="have the app go by it for this vocabulary"
    )
    parser.set_defaults(command=_hints)


def _hints(options: argparse.Namespace) -> None:
    from core.review.hints import NO_MODEL
    from core.settings import Settings
    from core.suggest.opening import open_suggester
    from training.judging.folders import load_data, over
    from training.judging.recorded import data_words, shown_place
    from training.studies.hint_study import (
        HintMeasurement,
        measure,
        record_measured,
        save_study,
        study_page,
        teach,
    )

    named = data_options(options)
    data = load_data(over(DataConfig(), named))
    hierarchy = data.label_space.hierarchy
    hierarchy_of_names = None if options.bundle else hierarchy
    suggester = open_suggester(options.bundle, hierarchy_of_names, Settings.from_env().home)
    if suggester is None:
        raise ConfigError("Nothing suggests here: name a bundle.")
    teach(suggester, data.corpus.train, options.finished)
    place = [shown_place(options.bundle)] if options.bundle else []
    finished = ["--finished", str(options.finished)] if options.finished else []
    words = [*place, *data_words(named), "--split", options.split, *finished]
    model = f"model {options.bundle.name}" if options.bundle else "no model"
    after = f", {options.finished:,} finished" if options.finished else ""
    found = HintMeasurement(
        what=f"{data.source.format}, {model}{after}",
        vocabulary=hierarchy.vocabulary_id if options.bundle else NO_MODEL,
        split=options.split,
        command=" ".join(["python -m training hints", *words]),
        points=tuple(measure(suggester, data.corpus.split(options.split), hierarchy)),
    )
    if options.record:
        record_measured(found)
    if options.out:
        save_study(options.out, found)
    print(study_page([found]))


def add_search(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `search`."""
    parser.add_argument("half", choices=("table", "bar", "both"), help="of the queries")
    parser.add_argument("--icd9", type=Path, help="folder of the files of ICD-9-CM")
    parser.add_argument("--state", default="now", help="what the figures are called in the record")
    parser.add_argument("--out", type=Path, help="folder for the record (docs/results/search)")
    parser.add_argument(
        "--misses", action="store_true", help="print queries of table.csv that miss; not of bar.csv"
    )
    parser.set_defaults(command=_search)


def _search(options: argparse.Namespace) -> None:
    from core.settings import Settings
    from training.judging.folders import development_data
    from training.studies.everyday_search import (
        BAR,
        HEAD,
        TABLE,
        OpenedVocabularies,
        keep_record,
        measure,
        missed,
        tables,
    )

    opened = OpenedVocabularies(
        Settings.from_env().home, options.icd9 or development_data() / "icd9cm"
    )
    lines = []
    for half in (TABLE, BAR) if options.half == "both" else (options.half,):
        found = measure(half, opened)
        lines += tables(half, found)
        if options.misses and half == TABLE:
            print("\n".join(missed(found)))
    print("\n".join([HEAD, *lines]))
    if options.out:
        keep_record(options.out, options.state, lines)


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
    from training.benchmarks.latency import LatencyBenchmark
    from training.judging.recorded import data_words, shown_place
    from training.results.speed_tables import latency_table

    data = data_options(options)
    places = [shown_place(folder) for folder in options.folders]
    words = [*places, *data_words(data), "--split", options.split, *_latency_words(options)]
    benchmark = LatencyBenchmark(
        split=options.split,
        batch_size=options.batch_size,
        repeats=options.repeats,
        single=options.single,
        documents=options.documents,
        threads=options.threads,
        command=" ".join(["python -m training latency", *words]),
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    timings = benchmark.run(options.folders, data)
    if options.out:
        add_timings(timings, options.out)
    print(latency_table(timings))


def _latency_words(options: argparse.Namespace) -> list[str]:
    """Return the options that decide the times, the number of threads among them."""
    names = ("batch_size", "repeats", "single", "documents", "threads")
    given = {name.replace("_", "-"): getattr(options, name) for name in names}
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


# ---------------------------------------------------------------------- looking inside


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

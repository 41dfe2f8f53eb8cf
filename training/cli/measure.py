"""Commands that measure speed, look inside a model, and write the tables of what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from typer import Argument, Option

from core.errors import ConfigError
from training.cli.compare import GROUP
from training.cli.options import (
    RESULTS,
    Documents,
    Split,
    command,
    data_options,
    origin_of,
    say,
)
from training.config import DataConfig
from training.judging.folders import development_data, load_data, over
from training.judging.recorded import named_data, typed_command, write_study

RunsOrBundles = Annotated[list[Path], Argument(metavar="RUN_OR_BUNDLE")]


@command(GROUP, "measure cold-start --split dev", data=data_options)
def cold_curve(
    *,
    data: DataConfig,
    split: Split = "dev",
    out: Annotated[
        Path | None, Option(help="folder for the page (docs/results/cold-start)")
    ] = None,
    record: Annotated[
        bool, Option("--record", help="have the page Vocabulary say what was found")
    ] = False,
) -> None:
    """How good suggestions are without a model, after no document, ten, and so on to all."""
    from core.suggest.cold_start.suggester import default_ranker
    from training.studies.cold_start_study import curve, record_expected, study_page

    judged = load_data(over(DataConfig(), data))
    points = list(curve(judged, split, default_ranker(), say=say))
    command = typed_command("measure cold-start", split=split)
    page = study_page(points, command=command, split=split)
    if record:
        record_expected(points)
    if out:
        write_study(out, page, points)
    print(page)


@command(GROUP, "measure learning BUNDLE --origin 2013=runs/bundle-2012", data=data_options)
def learning_curve(
    bundle: Annotated[Path, Argument(metavar="BUNDLE", help="that has learned from train")],
    *,
    origin: Annotated[
        str,
        Option(
            metavar="DATE=BUNDLE",
            help="a bundle of the same recipe that has learned from the documents before this date",
        ),
    ],
    data: DataConfig,
    out: Annotated[Path | None, Option(help="folder for the page (docs/results/learning)")] = None,
) -> None:
    """What learning from decisions brings, by month: dev and then test arrive, are suggested for and
    decided.
    """
    from core.suggest.correction.suggester import default_corrector
    from training.studies.learning_study import study, study_page

    date, origin_bundle = origin_of(origin)
    curve = study(bundle, (date, origin_bundle), data, default_corrector(), say=say)
    command = typed_command("measure learning", "BUNDLE", origin=f"{date}=BUNDLE")
    page = study_page(curve, command=command)
    if out:
        write_study(out, page, curve)
    print(page)


@command(GROUP, "measure hints runs/twin/eurovoc --split test", data=data_options)
def hints(
    bundle: Annotated[
        Path | None,
        Argument(
            metavar="BUNDLE",
            help="that never saw the split; none: as if the vocabulary were new",
        ),
    ] = None,
    *,
    data: DataConfig,
    split: Split = "dev",
    finished: Annotated[
        int,
        Option(
            help="documents of train that were finished before (0); without a model, they teach"
        ),
    ] = 0,
    out: Annotated[Path | None, Option(help="folder for the page (docs/results/hints)")] = None,
    record: Annotated[
        bool, Option("--record", help="have the app go by it for this vocabulary")
    ] = False,
) -> None:
    """How often a concept that was taken away from a document is among the three that are called
    missed, and one that was put in among those called odd.
    """
    from core.review.hints import NO_MODEL
    from core.settings import Settings
    from core.suggest.opening import open_suggester
    from training.shipping.shipped import require_unseen
    from training.studies.hint_study import (
        HintMeasurement,
        measure,
        record_measured,
        save_study,
        study_page,
        teach,
    )

    judged = load_data(over(DataConfig(), data))
    if bundle:
        require_unseen(bundle, judged.corpus, split)
    hierarchy = judged.label_space.hierarchy
    hierarchy_of_names = None if bundle else hierarchy
    suggester = open_suggester(bundle, hierarchy_of_names, Settings.from_env().home)
    if suggester is None:
        raise ConfigError("Nothing suggests here: name a bundle.")
    teach(suggester, judged.corpus.train, finished)
    model = f"model {bundle.name}" if bundle else "no model"
    after = f", {finished:,} finished" if finished else ""
    measurement = HintMeasurement(
        what=f"{judged.source.format}, {model}{after}",
        vocabulary=hierarchy.vocabulary_id if bundle else NO_MODEL,
        split=split,
        command=typed_command(
            "measure hints", bundle, **named_data(data), split=split, finished=finished or None
        ),
        points=tuple(measure(suggester, judged.corpus.split(split), hierarchy)),
    )
    if record:
        record_measured(measurement)
    if out:
        save_study(out, measurement)
    print(study_page([measurement]))


@command(GROUP, "measure newer acts.jsonl assets/models/eurovoc runs/refreshed")
def newer(
    file: Annotated[Path, Argument(metavar="FILE", help="CSV or JSON Lines, with CELEX numbers")],
    bundles: Annotated[list[Path], Argument(metavar="BUNDLE")],
    *,
    learned: Annotated[
        Path | None, Option(help="write the ids of what a bundle may learn, and judge nothing")
    ] = None,
    every: Annotated[bool, Option("--every", help="judge by all documents of the file")] = False,
    into: Annotated[
        Path | None,
        Option(help="bundle whose card gets the share of concepts that the first suggests at all"),
    ] = None,
    in_turn: Annotated[
        bool, Option("--in-turn", help="what learning from each document brings to the next")
    ] = False,
    learned_to: Annotated[int, Option(help="year of the newest documents the first knows")] = 2017,
) -> None:
    """How good bundles are on documents that came after those that the first has learned from, by
    year; another may have been refreshed with the half that is not judged.
    """
    from core.model.bundle.bundle import load_bundle
    from training.retraining.newer_documents import read_newer_documents
    from training.studies.newer_study import (
        halves,
        judge,
        newer_table,
        one_by_one,
        record_coverage,
    )

    hierarchy = load_bundle(bundles[0]).label_space.hierarchy
    documents = read_newer_documents([file], hierarchy)
    may_learn, judged = halves(documents)
    if learned is not None:
        learned.write_text("".join(f"{row.document_id}\n" for row in may_learn), "utf-8")
        return
    if into is not None:
        print(record_coverage(into, bundles[0], (may_learn, judged), learned_to))
        return
    shown = documents if every else judged
    if in_turn:
        print(one_by_one(bundles[0], shown))
        return
    values = {}
    for bundle in bundles:
        say(f"{bundle} reads {len(shown):,} documents")
        values[bundle.name] = judge(bundle, shown)
    print(newer_table(values, shown))


@command(GROUP, "measure search table --misses")
def search(
    half: Annotated[Literal["table", "bar", "both"], Argument(help="of the queries")],
    *,
    icd9: Annotated[Path | None, Option(help="folder of the files of ICD-9-CM")] = None,
    misses: Annotated[
        bool, Option("--misses", help="print queries of table.csv that miss; not of bar.csv")
    ] = False,
) -> None:
    """How often search has the concept that everyday words mean first, and among the first five, by
    vocabulary and kind of query.
    """
    from core.settings import Settings
    from training.results.tables import markdown
    from training.studies.everyday_search import (
        BAR,
        HEAD,
        TABLE,
        measure,
        missed,
        rows_of,
    )

    home, icd9_folder = Settings.from_env().home, icd9 or development_data() / "icd9cm"
    rows = []
    for queries in (TABLE, BAR) if half == "both" else (half,):
        outcomes = measure(queries, home, icd9_folder)
        rows += rows_of(queries, outcomes)
        if misses and queries == TABLE:
            print("\n".join(missed(outcomes)))
    print(markdown(HEAD, rows))


@command("The record", "results")
def results(
    *,
    check: Annotated[
        bool, Option("--check", help="write nothing; fail where a page is out of date")
    ] = False,
) -> None:
    """Write the pages of docs/results anew from the committed rows; trains nothing."""
    from training.results.committed import update_pages

    for path in update_pages(RESULTS, check=check):
        print(path)


@command(
    GROUP,
    "measure latency runs/reuters/* --format reuters --split dev --batch-size 128",
    data=data_options,
)
def latency(
    folders: RunsOrBundles,
    *,
    data: DataConfig,
    split: Split = "dev",
    batch_size: Annotated[int, Option(min=1, help="documents read together")] = 128,
    repeats: Annotated[int, Option(min=1, help="turns, of which the median counts")] = 3,
    single: Annotated[int, Option(min=0, help="documents read one by one; 0 for all")] = 200,
    documents: Documents = 0,
    threads: Annotated[int, Option(min=0, help="of torch (1); 0 for its default")] = 1,
    out: Annotated[Path | None, Option(help="folder of rows to add latency.jsonl to")] = None,
) -> None:
    """Seconds over a split in batches and milliseconds over one document, of runs, baselines and
    bundles in one session; --out keeps them beside rows of results.
    """
    from training.judging.latency import LatencyBenchmark
    from training.results.speed_tables import latency_table
    from training.results.timings import add_timings

    # What decides the times, the number of threads among it.
    measured = {"batch_size": batch_size, "repeats": repeats, "single": single}
    measured |= {"documents": documents, "threads": threads}
    command = typed_command(
        "measure latency", *folders, **named_data(data), split=split, **measured
    )
    benchmark = LatencyBenchmark(split=split, **measured, command=command, say=say)
    timings = benchmark.run(folders, data)
    if out:
        add_timings(timings, out)
    print(latency_table(timings))

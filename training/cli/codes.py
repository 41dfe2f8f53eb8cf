"""Commands that judge models and names of codes, as the clinical challenges do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from training.cli.options import RESULTS, say
from training.judging.recorded import shown_place

if TYPE_CHECKING:
    from core.suggest.correction.suggester import CorrectedSuggester
    from core.suggest.names.matcher import LexicalMatcher
    from core.vocabulary.concepts import Hierarchy
    from training.corpora.corpus import LabelledDocument
    from training.judging.measured import ArmFigures


MEGABYTE = 1e6


def add_lexical(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `lexical`."""
    parser.add_argument("cases", type=Path, metavar="CODIESP", help="folder of CodiEsp's cases")
    parser.add_argument(
        "--bundle", type=Path, help="also what names add to this bundle of codes, on dev"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS / "lexical",
        help="folder for the page (docs/results/lexical)",
    )
    parser.set_defaults(command=_lexical)


def _lexical(options: argparse.Namespace) -> None:
    from training.corpora.readers.clinical.codiesp import read_codiesp
    from training.judging.measured import save_figures
    from training.studies.lexical_study import (
        beside_table,
        judge,
        lexical_page,
        right_by_assertion,
        right_by_kind,
    )

    places = [shown_place(options.cases)]
    places += ["--bundle", shown_place(options.bundle)] if options.bundle else []
    command = " ".join(["python -m training lexical", *places])
    corpus = read_codiesp(options.cases)
    say("ICD-10-CM is read …")
    matcher, about = _measured_matcher()
    say("Names are looked for …")
    text = lexical_page(
        right_by_kind(corpus.train, matcher),
        right_by_assertion(corpus.train, matcher),
        judge(corpus.dev, matcher),
        {**about, "command": command},
    )
    if options.bundle:
        beside = _beside(options.bundle, matcher, corpus.dev)
        text += beside_table(options.bundle.name, beside)
        save_figures(options.out, beside, command=command)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(text, "utf-8")
    print(text)


def _measured_matcher() -> tuple[LexicalMatcher, dict[str, str]]:
    """Return a matcher of the names of ICD-10-CM, and what it took to build and to open it."""
    import os
    import tempfile
    import time

    from core.suggest.names.matcher import LexicalMatcher
    from core.vocabulary.codes.icd10cm import icd10cm

    hierarchy = icd10cm()
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "names.npz"
        for _ in ("build", "open"):
            started = time.process_time()
            matcher = LexicalMatcher.open(hierarchy, path)
            seconds.append(f"{time.process_time() - started:.1f}")
        megabytes = f"{path.stat().st_size / MEGABYTE:.1f}"
    return matcher, {
        "vocabulary": f"ICD-10-CM of {hierarchy.version} ({len(hierarchy):,} concepts)",
        "wordings": f"{len(matcher):,}",
        "machine": f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "build": seconds[0],
        "open": seconds[1],
        "megabytes": megabytes,
    }


def _beside(
    bundle: Path, matcher: LexicalMatcher, cases: Sequence[LabelledDocument]
) -> dict[str, ArmFigures]:
    """Return the bundle alone, and with names as the app serves it."""
    from core.suggest.codes.ranker import ranker_of, shipped
    from core.suggest.codes.suggester import CodesSuggester
    from core.suggest.opening import load_suggester
    from training.studies.lexical_study import measured, ranked_by

    model = load_suggester(bundle)
    served = CodesSuggester(matcher, ranker_of(bundle), model, shipped("alone"))
    return {
        "as_served": measured(ranked_by(served, cases)),
        "model_alone": measured(ranked_by(model, cases)),
    }


def add_learned_codes(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `learned-codes`."""
    parser.add_argument("cases", type=Path, metavar="CODIESP", help="folder of CodiEsp's cases")
    parser.add_argument("reports", type=Path, metavar="REPORTS", help="file of CMC 2007's reports")
    parser.add_argument("icd9cm", type=Path, metavar="ICD9CM", help="folder of ICD-9-CM's files")
    parser.add_argument("--bundle", type=Path, help="also beside this bundle of ICD-10-CM")
    parser.add_argument(
        "--out",
        type=Path,
        default=RESULTS / "learned-codes",
        help="folder for the page (docs/results/learned-codes)",
    )
    parser.set_defaults(command=_learned_codes)


def _learned_codes(options: argparse.Namespace) -> None:
    from core.vocabulary.codes.icd10cm import icd10cm
    from core.vocabulary.readers import read_vocabulary
    from training.corpora.readers.clinical.cmc2007 import read_cmc2007
    from training.corpora.readers.clinical.codiesp import read_codiesp
    from training.studies.learned_codes_study import learned_page, save_expected, taught

    cases, reports = read_codiesp(options.cases), read_cmc2007(options.reports)
    in_order = [*reports.train, *reports.dev, *reports.test]
    others = [report for n, report in enumerate(in_order) if n % 4 != 3]
    radiology = read_vocabulary(sorted(options.icd9cm.iterdir())).hierarchy
    half = len(cases.dev) // 2
    title = "ICD-10-CM by names: CodiEsp train finished, dev judged"
    tables = [(title, list(taught(_learning(icd10cm()), cases.train, cases.dev)))]
    title = "ICD-9-CM by names: three of four of CMC 2007's reports finished, the fourth judged"
    tables += [(title, list(taught(_learning(radiology), others, in_order[3::4])))]
    if options.bundle:
        name = options.bundle.name
        title = f"ICD-10-CM by names and {name}: half of CodiEsp dev finished, half judged"
        beside = _learning(icd10cm(), options.bundle)
        tables += [(title, list(taught(beside, cases.dev[:half], cases.dev[half:])))]
    save_expected(tables[0][1], tables[1][1])
    places = [shown_place(path) for path in (options.cases, options.reports, options.icd9cm)]
    places += ["--bundle", shown_place(options.bundle)] if options.bundle else []
    text = learned_page(tables, command=" ".join(["python -m training learned-codes", *places]))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "README.md").write_text(text, "utf-8")
    print(text)


def _learning(hierarchy: Hierarchy, bundle: Path | None = None) -> CorrectedSuggester:
    """Return what suggests codes and learns, as the app serves it."""
    import tempfile

    from core.suggest.correction.suggester import CorrectedSuggester
    from core.suggest.opening import load_suggester, with_names

    model = load_suggester(bundle) if bundle else None
    with tempfile.TemporaryDirectory() as folder:
        suggester = with_names(model, hierarchy, Path(folder), learns=True, bundle_dir=bundle)
    assert isinstance(suggester, CorrectedSuggester)
    return suggester


def add_coded(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `coded`."""
    parser.add_argument(
        "folders", type=Path, nargs="+", metavar="RUN", help="finished runs, or folders of them"
    )
    parser.add_argument(
        "--mix",
        action="append",
        default=[],
        metavar="ARM+ARM",
        help="also the mean of two arms, its weight tuned on dev; repeatable",
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="ARM",
        help="arm to compare with (the first); repeatable",
    )
    parser.add_argument("--title", default="", help="of the page (that of the first folder)")
    parser.add_argument("--results", type=Path, help="folder to write table.md and figures.json to")
    parser.set_defaults(command=_coded)


def _coded(options: argparse.Namespace) -> None:
    from training.judging.measured import save_figures
    from training.studies.coded_study import CodedStudy, measured, page

    study = CodedStudy(options.folders)
    arms = [study.arm(name) for name in [*study.folds, *options.mix]]
    against = [study.arm(name).name for name in options.against or [arms[0].name]]
    text = page(
        arms,
        title=options.title or options.folders[0].name,
        against=against,
        command=_command(options),
    )
    if options.results:
        options.results.mkdir(parents=True, exist_ok=True)
        (options.results / "table.md").write_text(text, encoding="utf-8")
        save_figures(options.results, measured(arms), command=_command(options))
    print(text)


def _command(options: argparse.Namespace) -> str:
    words = ["python -m training coded", *(shown_place(folder) for folder in options.folders)]
    words += [f"--mix {name}" for name in options.mix]
    words += [f"--against {name}" for name in options.against]
    return " ".join(words)

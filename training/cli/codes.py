"""Commands that judge models and names of codes, as the clinical challenges do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from training.cli.compare import GROUP
from training.cli.options import PROGRAM, RESULTS, command, say
from training.judging.recorded import shown_place

if TYPE_CHECKING:
    from core.suggest.correction.suggester import CorrectedSuggester
    from core.suggest.names.matcher import LexicalMatcher
    from core.vocabulary.concepts import Hierarchy
    from training.corpora.corpus import LabelledDocument
    from training.judging.measured import ArmFigures


MEGABYTE = 1e6

Cases = Annotated[Path, Argument(metavar="CODIESP", help="folder of CodiEsp's cases")]


@command(GROUP, "lexical DATA/codiesp")
def lexical(
    cases: Cases,
    *,
    bundle: Annotated[
        Path | None, Option(help="also what names add to this bundle of codes, on dev")
    ] = None,
    out: Annotated[Path, Option(help="folder for the page (docs/results/lexical)")] = RESULTS
    / "lexical",
) -> None:
    """Count how often a name of a code in a case is a code of it, by kind of name on train, and
    with precision, recall and time on dev.
    """
    from training.corpora.readers.clinical.codiesp import read_codiesp
    from training.judging.measured import save_figures
    from training.shipping.shipped import require_unseen
    from training.studies.lexical_study import (
        beside_table,
        judge,
        lexical_page,
        right_by_assertion,
        right_by_kind,
    )

    places = [f"{PROGRAM} lexical", shown_place(cases)]
    places += ["--bundle", shown_place(bundle)] if bundle else []
    command = " ".join(places)
    corpus = read_codiesp(cases)
    if bundle:
        require_unseen(bundle, corpus, "dev")
    say("ICD-10-CM is read …")
    matcher, about = _measured_matcher()
    say("Names are looked for …")
    text = lexical_page(
        right_by_kind(corpus.train, matcher),
        right_by_assertion(corpus.train, matcher),
        judge(corpus.dev, matcher),
        {**about, "command": command},
    )
    if bundle:
        beside = _beside(bundle, matcher, corpus.dev)
        text += beside_table(bundle.name, beside)
        save_figures(out, beside, command=command)
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.md").write_text(text, "utf-8")
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


@command(GROUP, "learned-codes DATA/codiesp DATA/cmc2007/radiology_reports.xml DATA/icd9cm")
def learned_codes(
    cases: Cases,
    reports: Annotated[Path, Argument(metavar="REPORTS", help="file of CMC 2007's reports")],
    icd9cm: Annotated[Path, Argument(metavar="ICD9CM", help="folder of ICD-9-CM's files")],
    *,
    bundle: Annotated[Path | None, Option(help="also beside this bundle of ICD-10-CM")] = None,
    out: Annotated[Path, Option(help="folder for the page (docs/results/learned-codes)")] = RESULTS
    / "learned-codes",
) -> None:
    """Show what finished documents teach where codes are assigned, by names alone and beside a
    model.
    """
    from core.vocabulary.codes.icd10cm import icd10cm
    from core.vocabulary.readers import read_vocabulary
    from training.corpora.readers.clinical.cmc2007 import read_cmc2007
    from training.corpora.readers.clinical.codiesp import read_codiesp
    from training.shipping.shipped import require_unseen
    from training.studies.learned_codes_study import learned_page, save_expected, taught

    corpus, radiology_reports = read_codiesp(cases), read_cmc2007(reports)
    if bundle:
        require_unseen(bundle, corpus, "dev")
    in_order = [
        *radiology_reports.train,
        *radiology_reports.dev,
        *radiology_reports.test,
    ]
    others = [report for n, report in enumerate(in_order) if n % 4 != 3]
    radiology = read_vocabulary(sorted(icd9cm.iterdir())).hierarchy
    half = len(corpus.dev) // 2
    title = "ICD-10-CM by names: CodiEsp train finished, dev judged"
    tables = [(title, list(taught(_learning(icd10cm()), corpus.train, corpus.dev)))]
    title = "ICD-9-CM by names: three of four of CMC 2007's reports finished, the fourth judged"
    tables += [(title, list(taught(_learning(radiology), others, in_order[3::4])))]
    if bundle:
        name = bundle.name
        title = f"ICD-10-CM by names and {name}: half of CodiEsp dev finished, half judged"
        beside = _learning(icd10cm(), bundle)
        tables += [(title, list(taught(beside, corpus.dev[:half], corpus.dev[half:])))]
    save_expected(tables[0][1], tables[1][1])
    places = [shown_place(path) for path in (cases, reports, icd9cm)]
    places += ["--bundle", shown_place(bundle)] if bundle else []
    text = learned_page(tables, command=" ".join([f"{PROGRAM} learned-codes", *places]))
    out.mkdir(parents=True, exist_ok=True)
    (out / "README.md").write_text(text, "utf-8")
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


@command(GROUP, "coded runs/icd9cm-radiology --mix guided+lr --against lr")
def coded(
    folders: Annotated[
        list[Path], Argument(metavar="RUN", help="finished runs, or folders of them")
    ],
    *,
    mix: Annotated[
        list[str] | None,
        Option(
            metavar="ARM+ARM",
            help="also the mean of two arms, its weight tuned on dev; repeatable",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        Option(metavar="ARM", help="arm to compare with (the first); repeatable"),
    ] = None,
    title: Annotated[str, Option(help="of the page (that of the first folder)")] = "",
    results: Annotated[
        Path | None, Option(help="folder to write table.md and figures.json to")
    ] = None,
) -> None:
    """Judge finished runs as the clinical challenges do: folds pooled, micro- and macro-F1 at
    thresholds of dev, mean average precision over all gold codes, means of two arms.
    """
    from training.judging.measured import save_figures
    from training.studies.coded_study import CodedStudy, measured, page

    study = CodedStudy(folders)
    arms = [study.arm(name) for name in [*study.folds, *(mix or ())]]
    words = [f"{PROGRAM} coded", *(shown_place(folder) for folder in folders)]
    words += [f"--mix {name}" for name in mix or ()]
    words += [f"--against {name}" for name in against or ()]
    text = page(
        arms,
        title=title or folders[0].name,
        against=[study.arm(name).name for name in against or [arms[0].name]],
        command=" ".join(words),
    )
    if results:
        results.mkdir(parents=True, exist_ok=True)
        (results / "table.md").write_text(text, encoding="utf-8")
        save_figures(results, measured(arms), command=" ".join(words))
    print(text)

"""Commands for codes: what finds them is judged as the clinical challenges do, and as it is served."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from core.clinical.notation import ICD10CM
from core.errors import ConfigError
from training.cli.compare import GROUP
from training.cli.options import RESULTS, command, data_options, say
from training.cli.ship import GROUP as SHIP
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument
from training.corpora.readers.clinical.cmc2007 import read_cmc2007
from training.corpora.readers.clinical.codiesp import read_codiesp
from training.judging.recorded import typed_command, write_text

if TYPE_CHECKING:
    from core.clinical.names.matcher import LexicalMatcher
    from core.clinical.ranking.suggester import CodesSuggester
    from core.suggest.correction.suggester import CorrectedSuggester
    from core.suggest.label_suggester import LabelSuggester
    from core.vocabulary.concepts import Hierarchy
    from training.codes.served import ServedDocument


ALONE, BESIDE = "alone", "beside"
"""Folders of rankers: of names without a model, and beside one that has none of its own."""

Cases = Annotated[Path, Argument(metavar="CODIESP", help="folder of CodiEsp's cases")]


@command(GROUP, "measure learned-codes DATA/codiesp DATA/cmc2007/radiology_reports.xml DATA/icd9cm")
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
    from core.clinical.codes.icd10cm import icd10cm
    from core.vocabulary.readers import read_vocabulary
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
    command = typed_command("measure learned-codes", cases, reports, icd9cm, bundle=bundle)
    text = learned_page(tables, command=command)
    write_text(out / "README.md", text)
    print(text)


def _learning(hierarchy: Hierarchy, bundle: Path | None = None) -> CorrectedSuggester:
    import tempfile

    from core.suggest.correction.suggester import CorrectedSuggester
    from core.suggest.opening import load_suggester, with_names

    model = load_suggester(bundle) if bundle else None
    with tempfile.TemporaryDirectory() as folder:
        suggester = with_names(model, hierarchy, Path(folder), learns=True, bundle_dir=bundle)
    assert isinstance(suggester, CorrectedSuggester)
    return suggester


@command(
    SHIP,
    "fit codes runs/fold-1 runs/fold-2 --into assets/models/icd10cm-cases",
    data=data_options,
)
def rank_codes(
    folds: Annotated[
        list[Path], Argument(metavar="BUNDLE…", help="a bundle of each fold of the data")
    ],
    *,
    data: DataConfig,
    into: Annotated[Path | None, Option(help="bundle that gets the ranker")] = None,
    out: Annotated[
        Path | None,
        Option(help="folder for rankers of names alone, and beside a model without its own"),
    ] = None,
) -> None:
    """Fit what ranks names in the text and a model's codes together, on documents that the bundle
    of each fold has not learned.
    """
    from dataclasses import replace

    from core.model.bundle.bundle import rewrite_checksums
    from core.suggest.opening import load_suggester
    from training.codes.fitting import fit_codes, learned_by, read_fold

    matcher = _matcher(load_suggester(folds[0]).vocabulary_id)
    read = []
    for folder in folds:
        read.append(read_fold(folder, matcher, data))
        say(f"{folder}: {len(read[-1].cases):,} documents that it has not learned")
    cases = [case for fold in read for case in fold.cases]
    learned = learned_by(load_suggester(into)) if into else read[0].learned
    ranker = fit_codes(cases, matcher, learned=learned)
    if into:
        ranker.save(into)
        say(f"{into}: {rewrite_checksums(into)[:16]}")
    if out:
        fit_codes(cases, matcher, counted=False).save(out / BESIDE)
        without = [replace(case, found=None) for case in cases]
        replace(fit_codes(without, matcher), documents=None).save(out / ALONE)


@command(SHIP, "fit assertions MODELS/all-MiniLM-L6-v2 --cases DATA/codiesp")
def assertions(
    encoder: Annotated[
        Path, Argument(help="folder of an encoder, by whose embeddings words are read")
    ],
    *,
    cases: Annotated[Path, Option(help="folder of CodiEsp's cases, which affirm their codes")],
    out: Annotated[Path | None, Option(help="folder (assets/clinical/assertions)")] = None,
) -> None:
    """Fit the network that judges whether a note asserts a condition, on the lines of
    training/codes/assertion_lines.tsv.
    """
    from core.clinical.asserting.network import FOLDER
    from training.codes.assertion_lines import DEVELOPMENT, of_cases, read_lines
    from training.codes.assertions import fit_assertions

    names = of_cases(read_codiesp(cases).train, _matcher(ICD10CM))
    folder = out or FOLDER
    fit_assertions(read_lines(DEVELOPMENT), names, encoder, folder, say=say)
    print(folder)


@command(
    GROUP,
    "measure codes --bundle runs/twin/icd10cm-cases --cases DATA/codiesp",
    data=data_options,
)
def served_codes(
    *,
    data: DataConfig,
    fold_bundle: Annotated[
        list[Path] | None,
        Option(
            help="the bundle of one fold, judged on what it has not learned, with a ranker of the "
            "other folds; repeatable"
        ),
    ] = None,
    bundle: Annotated[
        Path | None, Option(help="judged as it is served, with its own ranker")
    ] = None,
    cases: Annotated[Path | None, Option(help="folder of CodiEsp, whose dev is judged")] = None,
    notes: Annotated[
        list[Path] | None,
        Option(help="JSON lines of encounters with notes and their codes; repeatable"),
    ] = None,
    as_text: Annotated[
        bool,
        Option("--as-text", help="read the parts of each document as one text under headings"),
    ] = False,
    out: Annotated[Path, Option(help="folder for the page")] = RESULTS / "served-codes",
) -> None:
    """Judge codes as the page serves them, a model and names ranked together: by folds, on
    CodiEsp's dev, and on files of hospital notes with their codes.
    """
    from training.codes.served import add_rows, table

    by_split: dict[str, list[ServedDocument]] = {}
    if fold_bundle:
        by_split |= _of_folds(fold_bundle, data, as_text=as_text)
    folds = dict.fromkeys(by_split, len(fold_bundle or ()))
    if bundle:
        by_split |= _of_bundle(bundle, cases, notes or [], as_text=as_text)
    if as_text:
        by_split = {f"{name}, as one text": rows for name, rows in by_split.items()}
        folds = {f"{name}, as one text": n for name, n in folds.items()}
    if not by_split:
        raise ConfigError("Nothing to judge: name --fold-bundle, or --bundle with what it reads.")
    command = typed_command(
        "measure codes",
        fold_bundle=fold_bundle,
        bundle=bundle,
        cases=cases,
        notes=notes,
        as_text=as_text,
    )
    print(table(add_rows(out, by_split, command=command, folds=folds)))


def _of_folds(
    folders: Sequence[Path], data: DataConfig, *, as_text: bool
) -> dict[str, list[ServedDocument]]:
    from core.suggest.opening import load_suggester
    from training.codes.fitting import alone, read_fold, served_by_folds

    matcher = _matcher(load_suggester(folders[0]).vocabulary_id)
    folds = [read_fold(folder, matcher, data) for folder in folders]
    read = (
        [read_fold(folder, matcher, data, as_text=True) for folder in folders] if as_text else folds
    )
    cases = [case for fold in read for case in fold.cases]
    name = f"{matcher.hierarchy.vocabulary_id}, {len(folds)} folds"
    served = [row for fold in served_by_folds(folds, matcher, read) for row in fold]
    return {f"{name}, model alone": list(alone(cases)), f"{name}, as served": served}


def _of_bundle(
    bundle: Path, cases: Path | None, notes: Sequence[Path], *, as_text: bool
) -> dict[str, list[ServedDocument]]:
    from core.suggest.opening import load_suggester
    from training.codes.served import pasted, served
    from training.shipping.shipped import require_unseen

    matcher = _matcher(load_suggester(bundle).vocabulary_id)
    suggester, model = _served_by(bundle, matcher)
    by_split: dict[str, list[ServedDocument]] = {}
    if cases:
        corpus = read_codiesp(cases)
        require_unseen(bundle, corpus, "dev")
        dev = corpus.dev
        dev = pasted(dev) if as_text else dev
        by_split[f"{bundle.name}, CodiEsp dev, model alone"] = served(model, dev)
        by_split[f"{bundle.name}, CodiEsp dev, as served"] = served(suggester, dev)
    for path in notes:
        name = f"{bundle.name}, {path.stem} notes, as served"
        rows = pasted(read_encounters(path)) if as_text else read_encounters(path)
        by_split[name] = served(suggester, rows, matcher.hierarchy)
    return by_split


def _served_by(bundle: Path, matcher: LexicalMatcher) -> tuple[CodesSuggester, LabelSuggester]:
    from core.clinical.ranking.ranker import ranker_of, shipped
    from core.clinical.ranking.suggester import CodesSuggester
    from core.suggest.opening import load_suggester

    model = load_suggester(bundle)
    return CodesSuggester(matcher, ranker_of(bundle), model, shipped(ALONE)), model


def read_encounters(path: Path) -> Sequence[LabelledDocument]:
    """Return the encounters of a file of JSON Lines, with their codes in the order of the file."""
    import json

    from core.clinical.encounters import encounter_of

    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [
        LabelledDocument(encounter_of(row, str(row["id"]))[0], tuple(row["codes"])) for row in rows
    ]


def _matcher(vocabulary_id: str) -> LexicalMatcher:
    from core.clinical.names.index import index_file
    from core.clinical.names.matcher import LexicalMatcher
    from core.settings import Settings
    from core.vocabulary.versions.keeping import whole_vocabulary

    home = Settings.from_env().home
    hierarchy = whole_vocabulary(vocabulary_id, home)
    return LexicalMatcher.open(hierarchy, index_file(hierarchy, home))

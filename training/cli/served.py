"""Commands that fit and judge what is served for codes: a model and names, ranked together."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError
from training.cli.options import RESULTS, add_data, data_options, say

if TYPE_CHECKING:
    from core.suggest.codes.suggester import CodesSuggester
    from core.suggest.names.matcher import LexicalMatcher
    from training.codes.served import ServedDocument
    from training.corpora.corpus import LabelledDocument

ALONE, BESIDE = "alone", "beside"


def add_rank_codes(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rank-codes`."""
    parser.add_argument(
        "folds", type=Path, nargs="+", metavar="BUNDLE", help="a bundle of each fold of the data"
    )
    parser.add_argument("--into", type=Path, metavar="BUNDLE", help="bundle that gets the ranker")
    parser.add_argument(
        "--out",
        type=Path,
        help="folder that gets the rankers for names alone, and beside a model without its own",
    )
    add_data(parser)
    parser.set_defaults(command=_rank_codes)


def _rank_codes(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from core.suggest.codes.known import CodeCounts
    from core.suggest.opening import load_suggester
    from training.codes.bundles import add_code_ranker, learned_by, read_fold
    from training.codes.fitting import fit_codes

    matcher = _matcher(load_suggester(options.folds[0]).vocabulary_id)
    named = data_options(options)
    folds = []
    for folder in options.folds:
        folds.append(read_fold(folder, matcher, named))
        say(f"{folder}: {len(folds[-1].cases):,} documents that it has not learned")
    cases = [case for fold in folds for case in fold.cases]
    learned = folds[0].learned
    if options.into:
        learned = learned_by(load_suggester(options.into))
    ranker = fit_codes(cases, matcher, learned=learned)
    if options.into:
        say(f"{options.into}: {add_code_ranker(options.into, ranker)[:16]}")
    if options.out:
        replace(ranker, counts=CodeCounts(), documents=None).save(options.out / BESIDE)
        without = [replace(case, found=None) for case in cases]
        replace(fit_codes(without, matcher), documents=None).save(options.out / ALONE)


def add_served_codes(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `served-codes`."""
    parser.add_argument(
        "--folds",
        type=Path,
        nargs="+",
        default=[],
        metavar="BUNDLE",
        help="a bundle of each fold: each is judged on what it has not learned, with a ranker of "
        "the other folds",
    )
    parser.add_argument("--bundle", type=Path, help="judged as it is served, with its own ranker")
    parser.add_argument("--cases", type=Path, metavar="CODIESP", help="its dev is judged")
    parser.add_argument(
        "--notes",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="JSON lines of encounters with notes and their codes",
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "served-codes")
    add_data(parser)
    parser.set_defaults(command=_served_codes)


def _served_codes(options: argparse.Namespace) -> None:
    from training.codes.page import add_rows, table

    found: dict[str, list[ServedDocument]] = {}
    if options.folds:
        found |= _of_folds(options)
    if options.bundle:
        found |= _of_bundle(options)
    if not found:
        raise ConfigError("Nothing to judge: name --folds, or --bundle with --cases or --notes.")
    arms = add_rows(options.out, found, command=_command(options))
    print(table(arms))


def _of_folds(options: argparse.Namespace) -> dict[str, list[ServedDocument]]:
    from core.suggest.opening import load_suggester
    from training.codes.bundles import alone, crossed, read_fold

    matcher = _matcher(load_suggester(options.folds[0]).vocabulary_id)
    folds = [read_fold(folder, matcher, data_options(options)) for folder in options.folds]
    cases = [case for fold in folds for case in fold.cases]
    name = f"{matcher.hierarchy.vocabulary_id}, {len(folds)} folds"
    served = [row for fold in crossed(folds, matcher) for row in fold]
    return {f"{name}, model alone": list(alone(cases)), f"{name}, as served": served}


def _of_bundle(options: argparse.Namespace) -> dict[str, list[ServedDocument]]:
    from core.suggest.opening import load_suggester
    from training.codes.served import served
    from training.corpora.readers.clinical.codiesp import read_codiesp

    model = load_suggester(options.bundle)
    matcher = _matcher(model.vocabulary_id)
    suggester = _served_by(options.bundle, matcher)
    found: dict[str, list[ServedDocument]] = {}
    if options.cases:
        dev = read_codiesp(options.cases).dev
        found[f"{options.bundle.name}, CodiEsp dev, model alone"] = served(model, dev)
        found[f"{options.bundle.name}, CodiEsp dev, as served"] = served(suggester, dev)
    for path in options.notes:
        name = f"{options.bundle.name}, {path.stem} notes, as served"
        found[name] = served(suggester, _encounters(path), matcher.hierarchy)
    return found


def _served_by(bundle: Path, matcher: LexicalMatcher) -> CodesSuggester:
    from core.suggest.codes.ranker import ranker_of, shipped
    from core.suggest.codes.suggester import CodesSuggester
    from core.suggest.opening import load_suggester

    return CodesSuggester(matcher, ranker_of(bundle), load_suggester(bundle), shipped(ALONE))


def _encounters(path: Path) -> Sequence[LabelledDocument]:
    """Read encounters with their codes from JSON lines."""
    import json

    from core.documents.clinical.encounters import encounter_of
    from training.corpora.corpus import LabelledDocument

    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [
        LabelledDocument(encounter_of(row, str(row["id"])), tuple(row["codes"])) for row in rows
    ]


def _matcher(vocabulary_id: str) -> LexicalMatcher:
    """Return what finds names of a vocabulary that was imported, or is built in."""
    from core.settings import Settings
    from core.suggest.names.index import index_file
    from core.suggest.names.matcher import LexicalMatcher
    from core.suggest.opening import whole_vocabulary

    home = Settings.from_env().home
    hierarchy = whole_vocabulary(vocabulary_id, home)
    return LexicalMatcher.open(hierarchy, index_file(hierarchy, home))


def _command(options: argparse.Namespace) -> str:
    from training.judging.recorded import shown_place

    words = ["python -m training served-codes"]
    for name in ("folds", "bundle", "cases", "notes"):
        value = getattr(options, name)
        places = [value] if isinstance(value, Path) else value or []
        words += [f"--{name}", *map(shown_place, places)] if places else []
    return " ".join(words)

"""What models suggest for documents that they have not learned, fold by fold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.documents.document import Document
from core.model.bundle.bundle import rewrite_checksums
from core.suggest.codes.ranker import CodeRanker
from core.suggest.codes.reading import AsRead
from core.suggest.codes.suggester import N_ASKED, CodesSuggester
from core.suggest.label_suggester import LabelSuggester
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.opening import load_suggester
from core.suggest.suggestions import Prediction
from training.codes.fitting import ReadCase, fit_codes, read_cases
from training.codes.served import ServedDocument, judged
from training.config import DataConfig
from training.shipping.shipped import load_bundle_data


@dataclass(frozen=True, slots=True)
class Fold:
    """The cases that one bundle of a study has not learned.

    Attributes:
        learned: codes that the bundle may assign.
    """

    cases: list[ReadCase]
    learned: frozenset[str]


def read_fold(folder: Path, matcher: LexicalMatcher, options: DataConfig) -> Fold:
    """Read the test documents of a bundle's fold with it, and look for names in them."""
    model = load_suggester(folder)
    documents = load_bundle_data(folder, options, model.label_space).corpus.test
    cases = read_cases(documents, matcher, predictions(model, [row.document for row in documents]))
    return Fold(cases, learned_by(model))


def predictions(model: LabelSuggester, documents: Sequence[Document]) -> Mapping[str, Prediction]:
    """Return what a model suggests for documents, by their ids."""
    read = [AsRead.of(document).document for document in documents]
    found = model.suggest_batch(read, limit=N_ASKED)
    return {
        document.document_id: prediction
        for document, prediction in zip(documents, found, strict=True)
    }


def learned_by(model: LabelSuggester) -> frozenset[str]:
    """Return the codes that a model may assign."""
    space = model.label_space
    return frozenset(space.concept_ids[column] for column in np.flatnonzero(space.assignable))


def add_code_ranker(folder: Path, ranker: CodeRanker) -> str:
    """Write a ranker of codes into a bundle, in the place of one that is there."""
    ranker.save(folder)
    return rewrite_checksums(folder)


def crossed(folds: Sequence[Fold], matcher: LexicalMatcher) -> Iterator[list[ServedDocument]]:
    """Yield what is served for each fold, ranked by what the other folds taught."""
    for number, fold in enumerate(folds):
        others = [case for n, other in enumerate(folds) if n != number for case in other.cases]
        ranker = fit_codes(others, matcher, learned=fold.learned)
        yield list(ranked(fold.cases, CodesSuggester(matcher, ranker)))


def ranked(cases: Sequence[ReadCase], suggester: CodesSuggester) -> Iterator[ServedDocument]:
    """Yield what is served for cases of which a model's suggestions are known."""
    for case in cases:
        chances = suggester.ranked(case.row.document, case.found).chances
        yield judged(case.row, list(chances), np.array(list(chances.values())))


def alone(cases: Sequence[ReadCase]) -> Iterator[ServedDocument]:
    """Yield what a model gives without names."""
    for case in cases:
        found = case.found.suggestions if case.found else ()
        codes = [one.concept_id for one in found]
        yield judged(case.row, codes, np.array([one.probability for one in found]))

"""Fits what ranks the codes of notes, on candidates that no model has learned from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core import metrics
from core.clinical.coding.code_sets import code_sets
from core.clinical.familiar import KnownDocuments
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Named, named_in
from core.clinical.notation import category_of
from core.clinical.ranking.denied import denied_of, with_narrower
from core.clinical.ranking.features import FEATURES, CodeFeatures
from core.clinical.ranking.known import CodeCounts
from core.clinical.ranking.phrases import LearnedPhrases, phrases_of
from core.clinical.ranking.ranker import CodeRanker
from core.clinical.ranking.reading import AsRead
from core.clinical.ranking.suggester import N_ASKED, CodesSuggester
from core.errors import ConfigError
from core.suggest.calibration import Platt, fit_platt
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.suggest.ranking.candidates import Candidates
from core.suggest.ranking.ranker import Ranker
from core.suggest.suggestions import Prediction
from training.codes.served import EVEN, SHOWN, ServedDocument, judged, pasted
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument
from training.ranking.examples import DescribedDocument, Examples
from training.ranking.fit_ranker import N_FOLDS, crossed, fit_order, folds_of
from training.shipping.shipped import load_bundle_data

Array = npt.NDArray[np.float32]

MAX_LEAVES = 8
SEED = 7
FACTORS = (1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.5)
"""Of the odds of all codes, that are tried."""
MOST_ERROR = 0.045
"""Calibration error that raised odds may have, on documents that were held out."""


@dataclass(frozen=True, slots=True)
class ReadCase:
    """A document with its codes, its names, and what a model that has not learned it suggests.

    Attributes:
        found: None where there is no model.
    """

    row: LabelledDocument
    named: tuple[Named, ...]
    found: Prediction | None


def counts_of(cases: Sequence[ReadCase], learned: Iterable[str] = ()) -> CodeCounts:
    """Count how often names were right in some cases; names that are denied do not count.

    A code that is newer than all that the cases were given counts as given where another one of
    its category was, as that stood for it. Where the cases were read by a model, the phrases beside
    which codes were given count, too.
    """
    sinces = (_since(code) for case in cases for code in case.row.assigned)
    newest = max(filter(None, sinces), default=date.max)
    pairs = []
    for case in cases:
        denied = denied_of(case.named)
        stand = [code.concept_id for code in case.named if code.concept_id not in denied]
        categories = set(map(category_of, case.row.assigned))
        newer = [
            i for i in stand if (_since(i) or newest) > newest and category_of(i) in categories
        ]
        pairs.append((stand, [*case.row.assigned, *newer]))
    read = [case for case in cases if case.found is not None]
    phrases = LearnedPhrases.of(
        (phrases_of(case.row.document, case.named), case.row.assigned) for case in read
    )
    return replace(CodeCounts.of(pairs, learned), phrases=phrases)


def _since(code: str) -> date | None:
    """Return the day from which on a code of ICD-10-CM is valid; None of another one."""
    validity = code_sets().by_code.get(code)
    return validity.since if validity else None


def examples_of_cases(
    cases: Sequence[ReadCase],
    matcher: LexicalMatcher,
    *,
    learned: Iterable[str] = (),
    counted: bool = True,
) -> Examples:
    """Return the candidates of cases; each is described by what the other folds say of codes.

    Args:
        counted: whether anything is known of what other cases say, beside what a model learned.
    """
    ids = [case.row.document_id for case in cases]
    folds = folds_of(ids, seed=SEED)
    features = []
    for fold in range(N_FOLDS):
        others = [case for case, case_fold in zip(cases, folds, strict=True) if case_fold != fold]
        counts = counts_of(others, learned) if counted else CodeCounts()
        features.append(CodeFeatures(matcher, counts))
    return Examples.gathered(
        _described(case, features[case_fold]) for case, case_fold in zip(cases, folds, strict=True)
    )


def _described(case: ReadCase, features: CodeFeatures) -> DescribedDocument:
    candidates = features(case.row.document, case.named, case.found)
    denied = with_narrower(denied_of(case.named), case.named, candidates.alone, features.matcher)
    undenied = [n for n, code in enumerate(candidates.ids) if code not in denied]
    position = {candidates.ids[row]: n for n, row in enumerate(undenied)}
    gold = [position.get(code, -1) for code in case.row.assigned]
    rows = candidates.rows[undenied]
    described = Candidates(np.arange(len(rows)), rows, FEATURES)
    return DescribedDocument(case.row.document_id, True, described, np.array(gold, dtype=np.int32))


def fit_codes(
    cases: Sequence[ReadCase],
    matcher: LexicalMatcher,
    *,
    learned: Iterable[str] = (),
    counted: bool = True,
) -> CodeRanker:
    """Fit a ranker and its counts on cases that the model has not learned from.

    Args:
        counted: False for a ranker of other texts, that knows nothing of what these cases say.
    Raises:
        ConfigError: all candidates are right, or none is.
    """
    codes = frozenset(learned)
    examples = examples_of_cases(cases, matcher, learned=codes, counted=counted)
    right = examples.is_assigned
    if right.all() or not right.any():
        raise ConfigError(
            f"Of {len(right):,} codes that are named or suggested in {len(cases):,} documents, "
            f"{right.sum():,} are right: a ranker learns from what is right and what is not. Name "
            "bundles of folds with more documents."
        )
    held_out = crossed(examples, max_leaf_nodes=MAX_LEAVES)
    platt = decided_at_half(held_out, right, int(examples.n_assigned.sum()))
    scorer = replace(fit_order(examples, max_leaf_nodes=MAX_LEAVES), platt=platt)
    ranker = Ranker(scorer, scorer, FEATURES)
    if not counted:
        return CodeRanker(ranker, CodeCounts())
    known_documents = KnownDocuments.of([case.row.document for case in cases])
    return CodeRanker(ranker, counts_of(cases, codes), known_documents)


def decided_at_half(log_odds: Array, right: npt.NDArray[np.bool_], n_gold: int) -> Platt:
    """Return a calibration by which 0.5 parts best what is right from what is not.

    Where many codes are found by nothing at all, F1 is best far below a probability of 0.5. So the
    odds of all codes are raised by one factor, as far as the calibration error stays small.

    Args:
        log_odds: of candidates, by rankers that have not learned them, (n_rows,).
        n_gold: codes that people gave, those among the candidates included.
    """
    fitted = fit_platt(log_odds, right.astype(np.float32))
    best, best_f1 = fitted, 0.0
    for factor in FACTORS:
        platt = Platt(fitted.slope, fitted.bias + float(np.log(factor)))
        p = platt(log_odds)
        error = metrics.expected_calibration_error(
            right[None].astype(float), p[None], bins=10, minimum=SHOWN
        )
        chosen = p >= EVEN
        f1 = 2 * right[chosen].sum() / max(chosen.sum() + n_gold, 1)
        if f1 > best_f1 and (factor == 1 or error <= MOST_ERROR):
            best, best_f1 = platt, float(f1)
    return best


# ---------------------------------------------------------------------- folds and bundles


@dataclass(frozen=True, slots=True)
class CodeFold:
    """The cases that one bundle of a study has not learned.

    Attributes:
        learned: codes that the bundle may assign.
    """

    cases: list[ReadCase]
    learned: frozenset[str]


def read_fold(
    folder: Path, matcher: LexicalMatcher, options: DataConfig, *, as_text: bool = False
) -> CodeFold:
    """Read the test documents of a bundle's fold with it, and look for names in them.

    Args:
        as_text: whether the parts of each document are read as one text.
    """
    model = load_suggester(folder)
    documents = load_bundle_data(folder, options, model.label_space).corpus.test
    documents = pasted(documents) if as_text else documents
    read = [AsRead.of(row.document).document for row in documents]
    predictions = model.suggest_batch(read, limit=N_ASKED)
    by_rules = KnownDocuments.of([row.document for row in documents]).are_reports
    cases = [
        ReadCase(row, tuple(named_in(row.document, matcher, by_rules=by_rules)), prediction)
        for row, prediction in zip(documents, predictions, strict=True)
    ]
    return CodeFold(cases, learned_by(model))


def learned_by(model: LabelSuggester) -> frozenset[str]:
    """Return the codes that a model may assign."""
    return frozenset(model.label_space.assignable_position)


def served_by_folds(
    folds: Sequence[CodeFold], matcher: LexicalMatcher, read: Sequence[CodeFold]
) -> Iterator[list[ServedDocument]]:
    """Yield what is served for each fold, ranked by what the other folds taught.

    Args:
        read: the same folds as they are judged: the documents may be in another style.
    """
    for number, fold in enumerate(read):
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
        suggestions = case.found.suggestions if case.found else ()
        codes = [suggestion.concept_id for suggestion in suggestions]
        yield judged(
            case.row, codes, np.array([suggestion.probability for suggestion in suggestions])
        )

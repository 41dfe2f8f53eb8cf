"""How often a name in a case is a code of it: precision and recall of lexical matches."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.suggest.backlog import BatchSuggester
from core.suggest.names.cues import FAMILY, NEGATED
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.names.mentions import MANY_WORDS, Mention, Named, named_in
from core.suggest.names.wordings import Kind
from training.corpora.corpus import LabelledDocument
from training.judging.coded import CodedDocuments, average_precision, counted
from training.judging.measured import Measured

LOWERED = "category"
AFFIRMED = "affirmed"
NOTE_WORDS = 2_000
SUGGESTIONS = 300
Cell = tuple[str, int]  # what a name is, and of how many words
Cases = Sequence[LabelledDocument]


@dataclass(frozen=True, slots=True)
class Judged:
    """What the names of some cases are worth.

    Attributes:
        counts: what is chosen -> names that are right, names, gold codes, over all cases.
        mean_average_precision: of the codes in the order of their probabilities.
        calibration: mean probability of all names, and how many of them are right.
        n_retired: gold codes that the vocabulary no longer has as codes: never found.
        milliseconds: of one core, median for a case, and for a note of `NOTE_WORDS` words.
    """

    counts: dict[str, tuple[int, int, int]]
    mean_average_precision: float
    calibration: tuple[float, float]
    n_retired: int
    milliseconds: tuple[float, float]


def speaks(named: Named) -> bool:
    """Whether some mention is neither denied nor of the family."""
    return any(
        one.assertion is None or one.assertion.status not in (NEGATED, FAMILY)
        for one in named.mentions
    )


CHOICES: dict[str, Callable[[Named], bool]] = {
    "all names": lambda one: True,
    "neither denied nor of the family": speaks,
    "of these, with a probability of 0.5 and more": lambda one: (
        speaks(one) and one.probability >= 0.5
    ),
}


def right_by_kind(cases: Cases, matcher: LexicalMatcher) -> dict[Cell, tuple[int, int]]:
    """Of the affirmed names of each kind, how many are codes of their case, and how many there are."""
    found: dict[Cell, list[bool]] = defaultdict(list)
    for case in cases:
        for named in named_in(case.document, matcher):
            if named.mentions[0].assertion is None:
                found[_cell(named.mentions[0])].append(named.concept_id in case.assigned)
    return {cell: (sum(right), len(right)) for cell, right in sorted(found.items())}


def right_by_assertion(cases: Cases, matcher: LexicalMatcher) -> dict[str, tuple[int, int]]:
    """The same by what is said of the mention that counts."""
    found: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        for named in named_in(case.document, matcher):
            said = named.mentions[0].assertion
            found[said.status if said else AFFIRMED].append(named.concept_id in case.assigned)
    return {status: (sum(right), len(right)) for status, right in sorted(found.items())}


def mean_average_precision(documents: CodedDocuments) -> float:
    """Over the documents that have a gold code."""
    return float(np.nanmean(average_precision(documents)))


def ranked_by(model: BatchSuggester, cases: Cases) -> CodedDocuments:
    """What a model suggests for some cases, in the shape in which codes are judged."""
    predictions = model.suggest_batch((case.document for case in cases), limit=SUGGESTIONS)
    found = [{one.concept_id: one.probability for one in p.suggestions} for p in predictions]
    return _in_columns(cases, found)


def measured(found: CodedDocuments) -> Measured:
    """Mean average precision, and micro-F1 of what is more probable than not."""
    figures = {
        "map": mean_average_precision(found),
        "micro_f1@0.5": counted(found, 0.5).micro_f1(),
    }
    return Measured(len(found.document_ids), 1, figures)


def judge(cases: Cases, matcher: LexicalMatcher) -> Judged:
    """Precision, recall, ranking and time of the names of some cases."""
    named = [named_in(case.document, matcher) for case in cases]
    gold = [frozenset(case.assigned) for case in cases]
    probabilities = [{one.concept_id: one.probability for one in those} for those in named]
    hierarchy = matcher.hierarchy
    n_gold = sum(map(len, gold))
    pairs = [(one, one.concept_id in codes) for those, codes in zip(named, gold, strict=True)
             for one in those]  # fmt: skip
    counts = {}
    for choice, keeps in CHOICES.items():
        right = [is_right for one, is_right in pairs if keeps(one)]
        counts[choice] = (sum(right), len(right), n_gold)
    retired = (i for codes in gold for i in codes
               if i not in hierarchy or not hierarchy[i].assignable)  # fmt: skip
    return Judged(
        counts=counts,
        mean_average_precision=mean_average_precision(_in_columns(cases, probabilities)),
        calibration=(
            float(np.mean([one.probability for one, _ in pairs])),
            float(np.mean([is_right for _, is_right in pairs])),
        ),
        n_retired=sum(1 for _ in retired),
        milliseconds=_times(cases, matcher),
    )


def _cell(mention: Mention) -> Cell:
    match = mention.match
    kind = LOWERED if match.lowered else Kind(match.kind).name.lower()
    apart = ", words between" if match.gap else ""
    return f"{kind}{apart}", min(match.n_words, MANY_WORDS)


def _in_columns(cases: Cases, found: Sequence[Mapping[str, float]]) -> CodedDocuments:
    codes = sorted({code for those in found for code in those})
    column = {code: n for n, code in enumerate(codes)}
    probs = np.zeros((len(cases), len(codes)))
    for row, those in enumerate(found):
        for code, probability in those.items():
            probs[row, column[code]] = probability
    ids = tuple(case.document.document_id for case in cases)
    gold = tuple(frozenset(case.assigned) for case in cases)
    return CodedDocuments(ids, tuple(codes), probs, gold)


def _times(cases: Cases, matcher: LexicalMatcher) -> tuple[float, float]:
    """Of the matching alone, in milliseconds: a case, and a long note made of several."""
    words = " ".join(case.document.text for case in cases).split(" ")
    notes = [" ".join(words[n : n + NOTE_WORDS]) for n in range(0, 20 * NOTE_WORDS, NOTE_WORDS)]
    texts = [case.document.text for case in cases[:100]]
    return _median(texts, matcher), _median([one for one in notes if one], matcher)


def _median(texts: Sequence[str], matcher: LexicalMatcher) -> float:
    taken = []
    for text in texts:
        started = time.process_time()
        matcher.matches(text)
        taken.append(1000 * (time.process_time() - started))
    return float(np.median(taken)) if taken else float("nan")

"""How often a name in a case is a code of it: lexical matches, judged and as a page."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core import metrics
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.names.mentions import MANY_WORDS, Mention, Named, named_in
from core.suggest.names.wordings import Kind
from core.suggest.protocol import Suggester
from training.corpora.corpus import LabelledDocument
from training.judging.coded import CodedDocuments, counted
from training.judging.measured import ArmFigures
from training.results.tables import markdown

LOWERED = "category"
AFFIRMED = "affirmed"
NOTE_WORDS = 2_000
SUGGESTIONS = 300
Cell = tuple[str, int]  # what a name is, and of how many words
Cases = Sequence[LabelledDocument]


@dataclass(frozen=True, slots=True)
class NameQuality:
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


CHOICES: dict[str, Callable[[Named], bool]] = {
    "all names": lambda mention: True,
    "neither denied nor of the family": lambda mention: not mention.is_denied,
    "of these, with a probability of 0.5 and more": lambda mention: (
        not mention.is_denied and mention.probability >= 0.5
    ),
}


def right_by_kind(cases: Cases, matcher: LexicalMatcher) -> dict[Cell, tuple[int, int]]:
    """Count by kind the affirmed names that are codes of their case, and all of them."""
    found: dict[Cell, list[bool]] = defaultdict(list)
    for case in cases:
        for named in named_in(case.document, matcher):
            if named.mentions[0].assertion is None:
                found[_cell(named.mentions[0])].append(named.concept_id in case.assigned)
    return {cell: (sum(right), len(right)) for cell, right in sorted(found.items())}


def right_by_assertion(cases: Cases, matcher: LexicalMatcher) -> dict[str, tuple[int, int]]:
    """Return the same counts by the assertion of the mention that counts."""
    found: dict[str, list[bool]] = defaultdict(list)
    for case in cases:
        for named in named_in(case.document, matcher):
            assertion = named.mentions[0].assertion
            found[assertion.status if assertion else AFFIRMED].append(
                named.concept_id in case.assigned
            )
    return {status: (sum(right), len(right)) for status, right in sorted(found.items())}


def ranked_by(suggester: Suggester, cases: Cases) -> CodedDocuments:
    """Return what a suggester finds in some cases, in the shape in which codes are judged."""
    predictions = suggester.suggest_batch((case.document for case in cases), limit=SUGGESTIONS)
    found = [
        {suggestion.concept_id: suggestion.probability for suggestion in p.suggestions}
        for p in predictions
    ]
    return _in_columns(cases, found)


def measured(found: CodedDocuments) -> ArmFigures:
    """Return mean average precision, and micro-F1 of what is more probable than not."""
    cut = counted(found, 0.5)
    figures = {
        "map": metrics.mean_defined(found.precisions()),
        "micro_f1@0.5": metrics.micro_f1(cut.gold, cut.predicted),
    }
    return ArmFigures(len(found.document_ids), 1, figures)


def judge(cases: Cases, matcher: LexicalMatcher) -> NameQuality:
    """Return precision, recall, ranking and time of the names of some cases."""
    named = [named_in(case.document, matcher) for case in cases]
    gold = [frozenset(case.assigned) for case in cases]
    probabilities = [
        {mention.concept_id: mention.probability for mention in those} for those in named
    ]
    hierarchy = matcher.hierarchy
    n_gold = sum(map(len, gold))
    pairs = [(mention, mention.concept_id in codes)
             for those, codes in zip(named, gold, strict=True)
             for mention in those]  # fmt: skip
    counts = {}
    for choice, keeps in CHOICES.items():
        right = [is_right for mention, is_right in pairs if keeps(mention)]
        counts[choice] = (sum(right), len(right), n_gold)
    retired = (i for codes in gold for i in codes
               if i not in hierarchy or not hierarchy[i].assignable)  # fmt: skip
    return NameQuality(
        counts=counts,
        mean_average_precision=metrics.mean_defined(_in_columns(cases, probabilities).precisions()),
        calibration=(
            float(np.mean([mention.probability for mention, _ in pairs])),
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
    probs = pd.DataFrame(found, columns=codes, dtype=float).fillna(0.0).to_numpy()
    ids = tuple(case.document.document_id for case in cases)
    gold = tuple(frozenset(case.assigned) for case in cases)
    return CodedDocuments(ids, tuple(codes), probs, gold)


def _times(cases: Cases, matcher: LexicalMatcher) -> tuple[float, float]:
    """Return milliseconds of the matching alone: of a case, and of a long note of several."""
    words = " ".join(case.document.text for case in cases).split(" ")
    notes = [" ".join(words[n : n + NOTE_WORDS]) for n in range(0, 20 * NOTE_WORDS, NOTE_WORDS)]
    texts = [case.document.text for case in cases[:100]]
    return _median(texts, matcher), _median([note for note in notes if note], matcher)


def _median(texts: Sequence[str], matcher: LexicalMatcher) -> float:
    taken = []
    for text in texts:
        started = time.process_time()
        matcher.matches(text)
        taken.append(1000 * (time.process_time() - started))
    return float(np.median(taken)) if taken else float("nan")


def lexical_page(
    by_kind: Mapping[Cell, tuple[int, int]],
    by_assertion: Mapping[str, tuple[int, int]],
    judged: NameQuality,
    about: Mapping[str, str],
) -> str:
    """Return the page in Markdown.

    Args:
        by_kind, by_assertion: of train, names that are right and all names.
        judged: of dev.
        about: what stands in the first lines: the vocabulary, its size, the command, the machine.
    """
    return "\n\n".join([*_head(about), *_dev(judged), *_kinds(by_kind), *_asserted(by_assertion)])


def beside_table(bundle: str, arms: Mapping[str, ArmFigures]) -> str:
    """Return what names add to a bundle, in Markdown; the model alone first."""
    rows = []
    for arm, words in (("model_alone", "the model"), ("as_served", "with names")):
        means = arms[arm].means
        rows.append([words, f"{means['map']:.3f}", f"{means['micro_f1@0.5']:.3f}"])
    table = markdown(["what suggests", "MAP", "micro-F1 at 0.5"], rows)
    return f"\n## Beside {bundle}, on dev\n\n{table}\n"


def _head(about: Mapping[str, str]) -> Iterator[str]:
    yield "# Names of codes in the text"
    yield f"By `{about['command']}` ({about['machine']})."
    yield (
        f"{about['vocabulary']}: {about['wordings']} wordings are looked for. The index takes "
        f"{about['build']} s of one core to build and {about['open']} s to open, and "
        f"{about['megabytes']} MB to keep."
    )


def _dev(judged: NameQuality) -> Iterator[str]:
    yield "## Quality on dev"
    rows = []
    for choice, (right, named, gold) in judged.counts.items():
        counts = metrics.Counts(*map(np.asarray, (right, named, gold)))
        figures = (counts.precision(), counts.recall(), counts.f1())
        rows.append([choice, f"{named:,}", *(f"{figure:.3f}" for figure in figures)])
    yield markdown(["which", "codes named", "precision", "recall", "micro-F1"], rows)
    expected, observed = judged.calibration
    gold = next(iter(judged.counts.values()))[2]
    yield (
        f"Mean average precision of the names alone: {judged.mean_average_precision:.3f}. They are "
        f"said to be right with a probability of {expected:.3f} on average, and "
        f"{observed:.3f} of them are. Of the {gold:,} gold codes {judged.n_retired:,} are no "
        "codes of today's release any more, so they are never found."
    )
    case, note = judged.milliseconds
    yield (
        f"Time of one core, median: {case:.1f} ms a case, {note:.1f} ms a note of {NOTE_WORDS:,} "
        "words."
    )


def _kinds(by_kind: Mapping[Cell, tuple[int, int]]) -> Iterator[str]:
    yield "## What probabilities rest on: names that are affirmed, on train"
    rows = []
    for (kind, n_words), (right, n) in by_kind.items():
        words = "3 and more" if n_words > 2 else str(n_words)
        rows.append([kind, words, f"{n:,}", f"{right / n:.2f}"])
    yield markdown(["name", "words", "names", "right"], rows)


def _asserted(by_assertion: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    rows = [[status, f"{n:,}", f"{right / n:.2f}"] for status, (right, n) in by_assertion.items()]
    yield markdown(["said of the mention", "names", "right"], rows)
    yield (
        "CodiEsp's annotators gave codes to what is denied about as often as to what is not. No "
        "coder may do that, so names that are denied, or are of the family, count half here: that "
        "is a decision, and no measurement."
    )

"""Codes of which a note speaks only to deny them: negated, of the family, or not yet so.

What has no name in the text, but a label that says all of a denied name ("bacterial pneumonia" of
"no pneumonia"), is denied with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from core.clinical.asserting.cues import HYPOTHETICAL, NEGATED, STATUSES
from core.clinical.assertions import is_denying
from core.clinical.names.clinical_words import keys_of
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import Named
from core.clinical.notation import category_of

DENIED_ODDS = 0.002
"""Of a denied code, times the odds that it would have."""
DENIED_AT_MOST = 0.9
"""Of the least probable code that a note names and does not deny, what a denied one has at most."""

RULED_OUT_TOGETHER = frozenset({"A41", "G03", "I21", "I26", "J18", "K35", "K81", "K85"})
"""Diseases of one place, where a note that rules out one name of them rules out the others."""


def denied_of(named: Sequence[Named]) -> dict[str, str]:
    """Return the codes that are named only where the note denies them, with how it does.

    Of several ways the strongest counts: what one place negates and another one supposes is
    negated. So is an infarction that is only presumed where "acute MI" is negated.
    """
    denied = {code.concept_id: status for code in named if (status := _status(code)) is not None}
    negated = {
        category_of(i) for i, status in denied.items() if status == NEGATED
    } & RULED_OUT_TOGETHER
    doubted = (
        i for code in named if category_of(i := code.concept_id) in negated and _is_doubted(code)
    )
    return denied | {i: NEGATED for i in doubted if i not in denied}


def with_narrower(
    denied: Mapping[str, str],
    named: Sequence[Named],
    others: Iterable[str],
    matcher: LexicalMatcher,
) -> dict[str, str]:
    """Return the denied codes, and those of the others whose label says all of a denied name.

    Args:
        others: codes that a model suggests.
    """
    statuses = dict(denied)
    has_name = {code.concept_id for code in named}
    words = [(i, written_words(code)) for code in named if (i := code.concept_id) in denied]
    spoken = [written_words(code) for code in named if code.concept_id not in denied]
    for concept_id in others:
        if concept_id in has_name or concept_id not in matcher.hierarchy:
            continue
        label = _label_words(matcher.hierarchy[concept_id].label())
        if any(key <= label for key in spoken):
            continue
        status = next((denied[i] for i, key in words if key and key <= label), None)
        if status is not None:
            statuses[concept_id] = status
    return statuses


def lowered(probability: float) -> float:
    """Return the probability of a code that is denied."""
    return with_odds(probability, DENIED_ODDS)


def denied_last(chances: Mapping[str, float], denied: Collection[str]) -> dict[str, float]:
    """Return probabilities where no denied code stands before another one, in their own order."""
    least = min((chance for i, chance in chances.items() if i not in denied), default=1.0)
    most = max((chance for i, chance in chances.items() if i in denied), default=0.0)
    share = DENIED_AT_MOST * least / most if most > DENIED_AT_MOST * least else 1.0
    return {i: chance * share if i in denied else chance for i, chance in chances.items()}


def with_odds(probability: float, times: float) -> float:
    """Return a probability with its odds multiplied."""
    odds = times * probability / max(1.0 - probability, 1e-6)
    return odds / (1.0 + odds)


def _is_doubted(named: Named) -> bool:
    return all(m.assertion and m.assertion.status == HYPOTHETICAL for m in named.mentions)


def _status(named: Named) -> str | None:
    assertions = [mention.assertion for mention in named.mentions]
    if not all(map(is_denying, assertions)):
        return None
    return min((assertion.status for assertion in assertions if assertion), key=STATUSES.index)


def written_words(named: Named) -> frozenset[str]:
    """Return the words of the mention that counts, as they are compared."""
    return _label_words(named.mentions[0].written)


def is_written(words: frozenset[str], named: Named) -> bool:
    """Return whether one of its mentions has just these words, as they are compared."""
    return any(_label_words(mention.written) == words for mention in named.mentions)


@lru_cache(maxsize=50_000)
def _label_words(text: str) -> frozenset[str]:
    return frozenset(keys_of(text))

"""What the places of labels say of concepts, as numbers: where, how often, and how long."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from core.suggest.ranking.label_matcher import LabelMatches

Array = npt.NDArray[np.float32]

FAR = 12.0  # the logarithm of a word's number, where no label stands
NOWHERE = 1.5  # of a text's length, likewise

TITLE_FEATURES = ("title_count", "title_alone", "title_words", "title_preferred")
TEXT_FEATURES = (
    "text_count",
    "text_alone",
    "text_first",
    "text_first_share",
    "text_words",
    "text_preferred",
    "text_density",
)


def title_features(matches: LabelMatches, n_concepts: int) -> dict[str, Array]:
    """Return how the labels stand in a title, by `TITLE_FEATURES`, (n_concepts,) each."""
    count, alone, words, preferred = (filled(n_concepts, 0.0) for _ in range(4))
    for concept, match in matches.concepts.items():
        count[concept], alone[concept] = match.n_places, match.n_alone
        words[concept], preferred[concept] = match.n_words, match.is_preferred
    return {
        "title_count": count,
        "title_alone": alone,
        "title_words": words,
        "title_preferred": preferred,
    }


def text_features(matches: LabelMatches, n_concepts: int) -> dict[str, Array]:
    """Return how the labels stand in a text, by `TEXT_FEATURES`, (n_concepts,) each."""
    count, alone, words, preferred, density = (filled(n_concepts, 0.0) for _ in range(5))
    first, first_share = filled(n_concepts, FAR), filled(n_concepts, NOWHERE)
    n_words = max(matches.n_words, 1)
    for concept, match in matches.concepts.items():
        count[concept], alone[concept] = np.log1p(match.n_places), np.log1p(match.n_alone)
        words[concept], preferred[concept] = match.n_words, match.is_preferred
        first[concept], first_share[concept] = np.log1p(match.first), match.first / n_words
        density[concept] = 1000 * match.n_places / n_words
    return {
        "text_count": count,
        "text_alone": alone,
        "text_first": first,
        "text_first_share": first_share,
        "text_words": words,
        "text_preferred": preferred,
        "text_density": density,
    }


def standing(in_title: LabelMatches, in_text: LabelMatches, n_concepts: int) -> Array:
    """Return 1 where a label stands in the title, 2 in the text, 3 in both, 0 in neither."""
    counts = filled(n_concepts, 0.0)
    counts[list(in_title.concepts)] += 1
    counts[list(in_text.concepts)] += 2
    return counts


def filled(number: int, value: float) -> Array:
    """Return so many times the same value."""
    return np.full(number, value, dtype=np.float32)

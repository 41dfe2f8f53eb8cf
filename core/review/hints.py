"""What is pointed out before a document is finished: undecided concepts that were probably missed,
and accepted ones that are doubtful.

Both go by the probabilities of the suggestions. Which concepts are assigned together elsewhere
found no more on acts, and less on clinical cases, so it does not take part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from core.paths import PROJECT_ROOT
from core.review.decisions.decided import ACCEPTED, below
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

N_POINTED_OUT = 3
"""Concepts of each kind at most."""
LEAST_MISSED = 0.3
MOST_ODD = 0.02
"""Probabilities from which on, and up to which, a concept is pointed out; chosen on acts of 2016, so
that little is where nothing was changed."""
EXCLUDED = "excluded"

MEASURED = PROJECT_ROOT / "assets" / "hints" / "measured.json"
NO_MODEL = "no model"
WORTH = 0.5
MOST_NEEDLESS = 1.5
"""What is found less often than in half of the cases stays off, and so does what fills more than half
of the three places on documents as they were indexed."""


class Hints(NamedTuple):
    """Concept ids, the most telling first."""

    missed: tuple[str, ...] = ()
    odd: tuple[str, ...] = ()


def probably_missed(
    prediction: Prediction,
    states: Mapping[str, str],
    hierarchy: Hierarchy | None,
    *,
    is_hidden: Callable[[str], bool] = lambda _: False,
) -> tuple[str, ...]:
    """Return probable concepts that nobody has decided on, the most probable first.

    What is broader or narrower than an accepted concept is not missed: one of the two is assigned.

    Args:
        states: "accepted", "rejected", "excluded" or "open", of each decided concept.
        is_hidden: whether a rule of the project leaves a concept out.
    """
    accepted = {i for i, state in states.items() if state == ACCEPTED}
    ruled_out = {i for i, state in states.items() if state == EXCLUDED}
    missed = (
        row.concept_id
        for row in prediction.wanting
        if row.probability >= LEAST_MISSED
        and row.concept_id not in states
        and not is_hidden(row.concept_id)
        and not below(row.concept_id, ruled_out, hierarchy)
        and not _is_related(row.concept_id, accepted, hierarchy)
    )
    return tuple(islice(missed, N_POINTED_OUT))


def _is_related(concept_id: str, others: Collection[str], hierarchy: Hierarchy | None) -> bool:
    if hierarchy is None or concept_id not in hierarchy:
        return False
    if not hierarchy.ancestors(concept_id).isdisjoint(others):
        return True
    return any(other in hierarchy and concept_id in hierarchy.ancestors(other) for other in others)


def probably_odd(prediction: Prediction, accepted: Iterable[str]) -> tuple[str, ...]:
    """Return accepted concepts that are improbable or were not suggested, the least probable first.

    Of equals, those that come first are named; without any suggestions, nothing is odd.
    """
    if not prediction.suggestions:
        return ()
    chances = {**prediction.own_probability}
    chances.update((row.concept_id, row.probability) for row in prediction.suggestions)
    odd = [i for i in accepted if chances.get(i, 0.0) <= MOST_ODD]
    return tuple(sorted(odd, key=lambda i: chances.get(i, 0.0))[:N_POINTED_OUT])


# ---------------------------------------------------------------------- where it is worth it


class HintQuality(NamedTuple):
    """What was measured of one kind of hints on documents of one kind.

    Attributes:
        found: in what share of the cases the concept that was changed is among those pointed out.
        needless: how many are pointed out where nothing was changed, on average.
    """

    found: float
    needless: float

    @property
    def is_worth_it(self) -> bool:
        """Whether people are to see them."""
        return self.found > WORTH and self.needless <= MOST_NEEDLESS


class HintSwitch(NamedTuple):
    """Which kinds of hints are shown."""

    missed: bool = False
    odd: bool = False


TITLES, TEXTS = "titles", "full texts"


def hint_switch(vocabulary_id: str, *, has_model: bool, has_text: bool) -> HintSwitch:
    """Return what is shown for documents of a vocabulary, as measured.

    A thesaurus that nothing was measured on goes by EuroVoc as if it had been new, as does one
    without a model. Of code systems that says nothing.
    """
    measured = _measured()
    is_known = has_model and vocabulary_id in measured
    if not is_known and conventions_of(vocabulary_id).lexical:
        return HintSwitch()
    here = measured.get(vocabulary_id if is_known else NO_MODEL, {})
    of_kind = here.get(TEXTS if has_text else TITLES, {})
    return HintSwitch(**{name: quality.is_worth_it for name, quality in of_kind.items()})


def _measured() -> dict[str, dict[str, dict[str, HintQuality]]]:
    """Vocabulary -> kind of documents -> "missed" or "odd"; nothing where the file is not here."""
    try:
        return {
            vocabulary: {
                kind: {name: HintQuality(*row) for name, row in rows.items()}
                for kind, rows in kinds.items()
            }
            for vocabulary, kinds in json.loads(MEASURED.read_text("utf-8")).items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}

"""Which concepts each wording of a vocabulary's labels stands for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from core.suggest.names.wordings import Kind, wordings
from core.vocabulary.concepts import Hierarchy

MAX_RIVALS = 2  # concepts that one wording may stand for; of more it tells nothing
_UNSPECIFIED = re.compile(
    r"\b(?:unspecified|nos|initial encounter|without complications?|uncomplicated)\b",
    re.IGNORECASE,
)


class ConceptName(NamedTuple):
    """A concept that a wording stands for.

    Attributes:
        n_left_out: words of the label that are not in the wording.
        lowered: whether the wording names a category, and this is its code without particulars.
    """

    concept_id: str
    kind: Kind
    n_left_out: int
    lowered: bool = False

    @property
    def looseness(self) -> tuple[bool, Kind, int]:
        """How far the wording is from naming this very concept."""
        return self.lowered, self.kind, self.n_left_out


def names_of(hierarchy: Hierarchy, language: str = "en") -> dict[str, list[ConceptName]]:
    """The assignable concepts behind the keys of each wording, those that it names most literally."""
    everything: dict[str, list[ConceptName]] = defaultdict(list)
    for concept_id in hierarchy:
        for wording in wordings(hierarchy[concept_id], language):
            name = ConceptName(concept_id, wording.kind, wording.n_left_out)
            everything[wording.keys].append(name)
    plain = _PlainCodes(hierarchy, language)
    named = {keys: _most_literal(plain, names) for keys, names in everything.items()}
    return {keys: names for keys, names in named.items() if names}


def _most_literal(plain: _PlainCodes, names: Sequence[ConceptName]) -> list[ConceptName]:
    """Of the concepts that share a wording those that it says most of; none where they are many."""
    by_concept: dict[str, ConceptName] = {}
    for name in names:
        lowered = plain.lowered(name)
        if lowered is not None:
            known = by_concept.setdefault(lowered.concept_id, lowered)
            if lowered.looseness < known.looseness:
                by_concept[lowered.concept_id] = lowered
    if not by_concept:
        return []
    best = min(name.looseness for name in by_concept.values())
    kept = [name for name in by_concept.values() if name.looseness == best]
    return kept if len(kept) <= MAX_RIVALS else []


class _PlainCodes:
    """The code of each category that says no more than the category does."""

    def __init__(self, hierarchy: Hierarchy, language: str) -> None:
        self._hierarchy = hierarchy
        self._language = language
        self._known: dict[str, str | None] = {}

    def lowered(self, name: ConceptName) -> ConceptName | None:
        """The name of an assignable concept, or of the plain code below a category."""
        if self._hierarchy[name.concept_id].assignable:
            return name
        below = self._below(name.concept_id)
        return name._replace(concept_id=below, lowered=True) if below else None

    def _below(self, concept_id: str) -> str | None:
        if concept_id not in self._known:
            self._known[concept_id] = self._find(concept_id)
        return self._known[concept_id]

    def _find(self, concept_id: str) -> str | None:
        """Down the one narrower concept, or the one that says "unspecified", to a code."""
        hierarchy, here = self._hierarchy, concept_id
        while not hierarchy[here].assignable:
            narrower = hierarchy.narrower(here)
            plain = [i for i in narrower if _UNSPECIFIED.search(hierarchy[i].label(self._language))]
            if len(narrower) == 1:
                here = narrower[0]
            elif plain:
                here = min(plain, key=_plainness)
            else:
                return None
        return here


def _plainness(concept_id: str) -> tuple[int, str]:
    """ICD ends the plainest code in 9, or else in 0: asthma, unspecified, is J45.90."""
    return ("90".find(concept_id[-1]) if concept_id[-1] in "90" else 2), concept_id

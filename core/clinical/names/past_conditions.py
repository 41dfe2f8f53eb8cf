"""Conditions that are over where a note has them as history, and the codes of having had them.

A history of diabetes is diabetes; one of an acute myocardial infarction is an old infarction. What
is over is told by the code system itself: what it calls acute, injuries, and whatever has a code
"Personal history of …" or "Old …". Neoplasms have such codes, too; but whether one is over depends
on its treatment, of which its name says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from core.clinical.asserting.cues import says_over
from core.clinical.kinds import kind_named
from core.clinical.names.clinical_words import keys_of
from core.clinical.names.wordings import LexicalMatch
from core.clinical.notation import SYMPTOMS, category_of
from core.vocabulary.concepts import Concept, Hierarchy

_HISTORY = re.compile(r"(?:(?:personal )?history of|old|healed)\s+(?P<what>.+)", re.IGNORECASE)
# No names of what the patient had: residual classes, and what lasts, or does unless corrected.
_NO_NAME = re.compile(
    r"\bother\b|\bnot elsewhere classified\b|\bclassifiable\b|\(corrected\)|\bschizophrenia\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(r"(?<!\s)\s+without\b.*", re.IGNORECASE)
_NOTHING_KNOWN = re.compile(r"(?:,|(?<!\s))\s*\b(?:unspecified|NOS)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"(?<!\s)\s*[(\[][^()\[\]]*[)\]]")
_BRACKETS = re.compile(r"[()\[\]]")
_PARTS = re.compile(r"(?:,|(?<!\s))\s+(?:and|or)\s+|,\s+")
_ACUTE = re.compile(
    r"(?<!specified as )\b(?:acute|initial encounter|sepsis|septic shock)\b", re.IGNORECASE
)
_LASTING = re.compile(r"\bchronic\b|\bsequela\b|\blate effects?\b", re.IGNORECASE)
# In the name of a chapter.
_INJURIES = re.compile(r"\binjury\b", re.IGNORECASE)
_NEOPLASMS = re.compile(r"\bneoplasms\b", re.IGNORECASE)
# Of these, only words say that they are over: "Smokes" in a past history is said of today.
_SUBSTANCES = re.compile(r"\bpsychoactive substance use\b", re.IGNORECASE)
# The stay itself may be what these describe: "status post fall with hip fracture"; comorbidities
# are those of the stay.
_MAY_BE_THIS_STAY = re.compile(
    r"status post|s/p|(?:\b[^\W\d]+ )?resolved|comorbidities", re.IGNORECASE
)
# What an earlier pregnancy brought is over with it.
_PREGNANCIES = re.compile(r"\bpregnancy, childbirth\b", re.IGNORECASE)
_STATUSES = re.compile(r"\bfactors influencing health\b", re.IGNORECASE)
# A stay that ends with an acute condition “(resolved)” was for it.
_BARE_IN_BRACKETS = re.compile(r"[(\[](?!inactive|closed|outgrown)\w+[)\]]", re.IGNORECASE)
# Having had a thrombosis of a limb is in a residual code, "other venous thrombosis and embolism".
_OF_RESIDUAL = {"I82.4": "Z86.718", "I82.6": "Z86.718"}


PASSING = (
    "A04.72", "A08", "A09", "A37", "A38", "B01", "B02.9", "B05", "B06", "B26", "B37.0", "B37.3", "B59", "K56.60", "K56.69",
)  # fmt: skip
"""Beginnings of codes of what who had it has not any more, though no title calls it acute."""


class PastConditions:
    """What a vocabulary's codes say of a condition that the patient had.

    Args:
        matches: finds names of the hierarchy's codes in a text.
    """

    def __init__(
        self, hierarchy: Hierarchy, matches: Callable[[str], Sequence[LexicalMatch]]
    ) -> None:
        self._hierarchy = hierarchy
        self._codes: dict[str, str] = {}
        self._by_category: dict[str, list[tuple[frozenset[str], str]]] = {}
        for concept_id in hierarchy:
            concept = hierarchy[concept_id]
            for what in _conditions(concept) if concept.assignable else ():
                self._learn(what, concept_id, matches(what))

    def code_of(self, concept_id: str) -> str | None:
        """Return the code of having had this condition, such as that of an old infarction."""
        if concept_id in self._codes:
            return self._codes[concept_id]
        residual = _OF_RESIDUAL.get(concept_id[:5])
        if residual in self._hierarchy:
            return residual
        nearest = self._by_category.get(category_of(concept_id), ())
        words = frozenset(keys_of(self._hierarchy[concept_id].label()))
        return next((code for what, code in nearest if what <= words), None)

    def lasts(self, concept_id: str) -> bool:
        """Return whether who had a condition has it still: a disease that does not end by itself."""
        chapter = self._hierarchy.path(concept_id)[:1]
        may_end = self._says(SYMPTOMS, chapter) or self._says(_NEOPLASMS, chapter)
        return not may_end and not self.is_over(concept_id, "")

    def is_over(self, concept_id: str, cue: str) -> bool:
        """Return whether a condition is over that a note names with these words as history."""
        path = self._hierarchy.path(concept_id)
        if _MAY_BE_THIS_STAY.fullmatch(cue) or self._says(_NEOPLASMS, path[:1]):
            return False
        if says_over(cue) and not self._says(_STATUSES, path[:1]):
            return not (_BARE_IN_BRACKETS.fullmatch(cue) and self._says(_ACUTE, path))
        if self._says(_LASTING, path):
            return False
        is_of_section = kind_named(cue) is not None
        if is_of_section and self._says(_SUBSTANCES, path):
            return False
        if cue and not is_of_section and self._says(_PREGNANCIES, path[:1]):
            return True
        if concept_id.startswith(PASSING):
            return True
        is_short = self._says(_INJURIES, path[:1]) or self._says(_ACUTE, path)
        return is_short or self.code_of(concept_id) is not None

    def _learn(self, what: str, code: str, names: Sequence[LexicalMatch]) -> None:
        """Keep the codes that are named by all of what a code is the history of."""
        keys = frozenset(keys_of(what))
        for match in names:
            if match.n_words >= len(keys) and not match.gap and match.concept_id != code:
                self._codes.setdefault(match.concept_id, code)
                category = category_of(match.concept_id)
                self._by_category.setdefault(category, []).append((keys, code))

    def _says(self, words: re.Pattern[str], concept_ids: Sequence[str]) -> bool:
        labels = (self._hierarchy[concept_id].label() for concept_id in concept_ids)
        return any(words.search(label) for label in labels)


def _conditions(concept: Concept) -> Iterator[str]:
    """Yield what a code says that the patient had, in each of its parts."""
    also = (text for texts in concept.alt_labels.values() for text in texts)
    for label in (concept.label(), *also):
        history = _HISTORY.fullmatch(label)
        if history is None or _NO_NAME.search(label):
            continue
        what = _NOTHING_KNOWN.sub("", _WITHOUT.sub("", history["what"]))
        for text in {_IN_BRACKETS.sub("", what), _BRACKETS.sub("", what)}:
            yield from dict.fromkeys(part.strip() for part in (text, *_PARTS.split(text)) if part)

"""What titles of codes say besides each other: what one leaves open, its side, its words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.instructions import with_ancestors
from core.clinical.names.tables import patterns
from core.vocabulary.concepts import Hierarchy

RIGHT, LEFT, BOTH = "right", "left", "bilateral"
UNSPECIFIED = "unspecified"
CATEGORY_LENGTH = 3
# Codes with these words are never the first: another disease is behind them.
IN_ANOTHER = re.compile(r"\bin\b.*\bclassified elsewhere")
_WORD = re.compile(r"[a-z0-9]+")
_LITTLE = frozenset(patterns("coding", "word of a title that says little"))
# What a title leaves open by name: "of unspecified part of limb".
_OPEN = frozenset(["site", "part", "organism", "type", "stage", "severity", "degree", "side"])
_SIDES = frozenset((RIGHT, LEFT, BOTH, "unilateral"))


def words(title: str) -> frozenset[str]:
    """Return the words of a title that mean something, in the singular."""
    return frozenset(
        _singular(word) for word in _WORD.findall(title.lower()) if word not in _LITTLE
    )


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ries"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def stated_words(title: str) -> frozenset[str]:
    """Return the words that remain of a title without what it leaves open.

    ", unspecified organism" is left out, of "unspecified hip" the hip remains.
    """
    first, *further = title.lower().split(",")
    stated_parts = [part for part in further if not part.strip().startswith(UNSPECIFIED)]
    stated = words(",".join([first.partition(f"{UNSPECIFIED} whether")[0], *stated_parts]))
    return stated - _OPEN if UNSPECIFIED in title.lower() else stated


def without_side(title: str) -> frozenset[str]:
    """Return the words of a title apart from its side."""
    return words(title) - _SIDES


def side_of(title: str) -> str:
    """Return "right", "left", "bilateral", or "" where a title names no side, or more than one."""
    sides = _SIDES & set(_WORD.findall(title.lower()))
    named = sides - {"unilateral"}
    return next(iter(named)) if len(named) == 1 else ""


def has_side(title: str) -> bool:
    """Return whether a title says or leaves open a side."""
    return bool(_SIDES & set(_WORD.findall(title.lower())))


def open_places(code: str, hierarchy: Hierarchy) -> Iterator[tuple[str, str]]:
    """Yield where a code is less specific than its siblings: (it or one above it, their parent).

    A concept is so if its title says "unspecified" more often than that of its parent, or is the
    same. Nothing above a category counts.
    """
    for concept in with_ancestors(code, hierarchy):
        if len(concept.partition(".")[0]) > CATEGORY_LENGTH or len(concept) <= CATEGORY_LENGTH:
            return
        for parent in hierarchy.broader(concept):
            label, above = (
                hierarchy[concept_id].label().lower() for concept_id in (concept, parent)
            )
            if label.count(UNSPECIFIED) > above.count(UNSPECIFIED) or label == above:
                yield concept, parent

"""Codes that leave the side open though a sibling names it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.coding.findings import WARNING, Finding
from core.coding.instructions import with_ancestors
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import is_code

SIDES = (("right", "left"), ("right dominant", "left dominant"))  # the latter of hemiplegia
_OPEN = re.compile(r"\bunspecified\b", re.IGNORECASE)


def unspecified_side(concept_id: str, hierarchy: Hierarchy) -> Finding | None:
    """Return a warning where a code, or one above it, has siblings for right and left."""
    if concept_id not in hierarchy:
        return None
    for above in with_ancestors(concept_id, hierarchy):
        named = _sided_siblings(above, hierarchy)
        if named:
            ending = concept_id.removeprefix(above)
            right, left = (_named(side, ending, hierarchy) for side in named)
            words = f"{concept_id} leaves the side open; {right} is right, {left} is left."
            return Finding("laterality", WARNING, words, (concept_id,))
    return None


def _named(side: str, ending: str, hierarchy: Hierarchy) -> str:
    """Return the code of a side with the ending of the coded one; a category cannot be coded."""
    if side + ending in hierarchy:
        return side + ending
    return side if is_code(side, hierarchy) else f"what is below {side}"


def _sided_siblings(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return the siblings for right and left, where this label says "unspecified"."""
    siblings = {
        _words(other, hierarchy): other
        for broader in hierarchy.broader(concept_id)
        for other in hierarchy.narrower(broader)
    }
    for wording in _wordings(_words(concept_id, hierarchy)):
        if all(words in siblings for words in wording):
            return [siblings[words] for words in wording]
    return []


def _words(concept_id: str, hierarchy: Hierarchy) -> str:
    return hierarchy[concept_id].label().lower()


def _wordings(label: str) -> Iterator[tuple[str, ...]]:
    """Yield the label with each side in place of each "unspecified"."""
    for found in _OPEN.finditer(label):
        for sides in SIDES:
            yield tuple(label[: found.start()] + side + label[found.end() :] for side in sides)

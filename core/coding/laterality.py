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
    """A warning where the code, or what it is an encounter of, has siblings for right and left."""
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
    """The code of a side that ends as the coded one does, for a category cannot be accepted."""
    if side + ending in hierarchy:
        return side + ending
    return side if is_code(side, hierarchy) else f"what is below {side}"


def _sided_siblings(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """The siblings for right and left, whose labels say so where this one's says "unspecified"."""
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
    """The label with each side, for each place where it says that something is not specified."""
    for found in _OPEN.finditer(label):
        for sides in SIDES:
            yield tuple(label[: found.start()] + side + label[found.end() :] for side in sides)

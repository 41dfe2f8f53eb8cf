"""Sides: one that is left open, and right and left where one code says both.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding
from core.clinical.coding.titles import (
    BOTH,
    LEFT,
    RIGHT,
    UNSPECIFIED,
    has_side,
    open_places,
    side_of,
    stated_words,
    without_side,
    words,
)
from core.clinical.instructions import with_ancestors
from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Hierarchy, is_code

SOURCE = "Guidelines I.B.13"
SIDES = ((RIGHT, LEFT), ("right dominant", "left dominant"))  # the latter of hemiplegia
# Words that the title of both sides may lack: "right eye", but "bilateral".
PLACES = frozenset(["eye", "ear", "knee", "hip", "arm", "leg", "limb", "side"])
_UNSPECIFIED = re.compile(r"\bunspecified\b")


def open_side(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes that leave the side open though there are codes for right and left."""
    for code in checked.ids:
        finding = unspecified_side(code, checked.hierarchy)
        if finding:
            yield finding


def unspecified_side(concept_id: str, hierarchy: Hierarchy) -> Finding | None:
    """Return a warning where a code, or one above it, has siblings for right and left."""
    if concept_id not in hierarchy:
        return None
    sides = _named_sides(concept_id, hierarchy) or _sided_alternatives(concept_id, hierarchy)
    if not sides:
        return None
    sentence = f"{concept_id} leaves the side open; {sides[0]} is right, {sides[1]} is left."
    return Finding("laterality", WARNING, sentence, (concept_id,), source=SOURCE)


def _named_sides(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return the codes of which the title says a side in place of "unspecified"."""
    for above in with_ancestors(concept_id, hierarchy):
        named = _sided_siblings(above, hierarchy)
        if named:
            ending = concept_id.removeprefix(above)
            return [_sided(side, ending, hierarchy) for side in named]
    return []


def _sided(side: str, ending: str, hierarchy: Hierarchy) -> str:
    """Return the code of a side with the ending of the coded one; a category cannot be coded."""
    if side + ending in hierarchy:
        return side + ending
    return side if is_code(side, hierarchy) else f"what is below {side}"


def _sided_siblings(concept_id: str, hierarchy: Hierarchy) -> list[str]:
    """Return the siblings for right and left, where this label says "unspecified"."""
    siblings = {
        hierarchy[other].label().lower(): other
        for broader in hierarchy.broader(concept_id)
        for other in hierarchy.narrower(broader)
    }
    for wording in _wordings(hierarchy[concept_id].label().lower()):
        if all(words in siblings for words in wording):
            return [siblings[words] for words in wording]
    return []


def _wordings(label: str) -> Iterator[tuple[str, ...]]:
    """Yield the label with each side in place of each "unspecified"."""
    for wordings in _UNSPECIFIED.finditer(label):
        for sides in SIDES:
            yield tuple(
                label[: wordings.start()] + side + label[wordings.end() :] for side in sides
            )


def _sided_alternatives(code: str, hierarchy: Hierarchy) -> list[str]:
    """Return a right and a left code where every code that says more than this one has a side."""
    label = hierarchy[code].label()
    if hierarchy.vocabulary_id != ICD10CM or UNSPECIFIED not in label.lower() or has_side(label):
        return []
    stated = stated_words(label)
    for place, parent in open_places(code, hierarchy):
        candidates_below = hierarchy.descendants(place) | {place}
        titles = {
            sibling: hierarchy[sibling].label()
            for sibling in sorted(hierarchy.descendants(parent) - candidates_below)
            if is_code(sibling, hierarchy) and stated <= words(hierarchy[sibling].label())
        }
        sides = {side: one for one, title in reversed(titles.items()) if (side := side_of(title))}
        if {RIGHT, LEFT} <= sides.keys() and all(map(has_side, titles.values())):
            return [sides[RIGHT], sides[LEFT]]
    return []


def both_sides(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes of right and left for which one code says both."""
    for one, other in combinations(checked.diagnoses, 2):
        both = bilateral(one, other, checked.hierarchy) if one[:3] == other[:3] else ""
        if both:
            sentence = f"{both} says both sides, so it stands instead of {one} and {other}."
            remedy = checked.replaced((one, other), both)
            yield Finding(
                "bilateral", WARNING, sentence, (one, other), source=SOURCE, remedy=remedy
            )


def bilateral(one: str, other: str, hierarchy: Hierarchy) -> str:
    """Return the code of both sides of what two codes say of right and left; "" without one."""
    if one not in hierarchy or other not in hierarchy:
        return ""
    titles = [hierarchy[code].label() for code in (one, other)]
    if {side_of(title) for title in titles} != {RIGHT, LEFT}:
        return ""
    stated = without_side(titles[0])
    if stated != without_side(titles[1]):
        return ""
    candidates = []
    for code in sorted(hierarchy.descendants(one[:3])):
        title = hierarchy[code].label()
        same = without_side(title)
        if side_of(title) != BOTH or not is_code(code, hierarchy):
            continue
        if same <= stated and stated - same <= PLACES:
            candidates.append((len(stated - same), code))
    return min(candidates)[1] if candidates else ""

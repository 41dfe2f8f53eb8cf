"""The side of a code that leaves it open, where the note tells of one side of that part of the body alone.

"R knee pop with effusion. MRI: acute ACL tear" says the side in another sentence than the disease.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.13.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from core.clinical.names.tables import phrases
from core.clinical.stays.encounters import is_told_as_earlier
from core.clinical.stays.note import NO_BREATHS, NO_LITRES, StayCode, StayNote, span_of

_OPEN = re.compile(
    r"\bunspecified (?P<part>(?:great |lower |upper )?[a-z]+)\b(?!.*\bunspecified\b)"
)
_INJURIES = ("S", "T15", "T2")
"""Of these the only side that a note names is the side."""
_SIDES = {
    "right": rf"(?i:right|rt)|R(?!/){NO_BREATHS}",
    "left": rf"(?i:left|lt)|{NO_LITRES}L(?!\d)",
}
_ANY = {side: re.compile(rf"\b(?:{words})\b") for side, words in _SIDES.items()}
_VISIT = re.compile(r".{7}[A-Z]")
"""A code whose last character says which visit it is: its own broader concept leaves that open."""
_ANOTHER_MATTER = phrases("wounds", "another matter")
AT_LEAST = 0.6


def sides(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of the side in place of each that leaves it open."""
    for code in note.codes:
        label = note.hierarchy[code].label() if code in note.hierarchy else ""
        part = _OPEN.search(label)
        named = _named(part["part"], note) if part else set()
        if part and not named and code.startswith(_INJURIES):
            named = {side for side, pattern in _ANY.items() if any(note.affirmed(pattern))}
        if not part or len(named) != 1:
            continue
        (side,) = named
        title = label[: part.start()] + label[part.start() :].replace("unspecified", side, 1)
        *above, _ = note.hierarchy.path(code)
        steps = 2 if _VISIT.fullmatch(code) else 1
        # In a table of somebody's own a code may stand at the top.
        siblings = note.hierarchy.descendants(above[-steps:][0]) if above else frozenset()
        if _is_said_of_a_side(code, label, siblings, note):
            continue
        for sibling in siblings:
            if note.hierarchy[sibling].label() == title:
                chance = max(AT_LEAST, note.chances[code])
                yield StayCode(sibling, chance, note.spans(code), (code,))


def _is_said_of_a_side(code: str, label: str, siblings: Collection[str], note: StayNote) -> bool:
    """Return whether a code of a side says what this one leaves open, and is likelier."""
    sided = {label.replace("unspecified", side, 1) for side in _SIDES}
    return any(
        note.chances.get(sibling, 0.0) > note.chances[code]
        for sibling in siblings
        if note.hierarchy[sibling].label() in sided
    )


def _named(part: str, note: StayNote) -> set[str]:
    """Return the sides of a part of the body of which the note tells a disease."""
    return {
        side
        for side, pattern in _of_part(part).items()
        if any(_is_meant(match, note) for match in pattern.finditer(note.text))
    }


def _is_meant(match: re.Match[str], note: StayNote) -> bool:
    span = span_of(match)
    return not note.has_beside(_ANOTHER_MATTER, span) and not is_told_as_earlier(span, note)


@cache
def _of_part(part: str) -> dict[str, re.Pattern[str]]:
    return {
        side: re.compile(rf"\b(?:{words})\.? (?:\w+ )?(?i:{part})\b")
        for side, words in _SIDES.items()
    }

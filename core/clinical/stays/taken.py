"""What a patient is allergic to, and takes or no longer takes for long.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.21.c.3 (status: allergies, Z88
and Z91.0-, and long-term drug therapy, Z79, which is not coded of what is given for a time).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.kinds import ALLERGIES
from core.clinical.names.tables import expression, phrases, phrases_by_meaning
from core.clinical.sections import sections
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

LIKELY = 0.7
LONG_TERM = "Z79"


OF_ALLERGENS = phrases_by_meaning("taken", "allergy")
# How a drug is called that is taken each day; what is given for a time is no such use.
LONG_USE = phrases_by_meaning("taken", "taken for long")
_FOR_A_TIME = phrases("taken", "for a time")
_STOPPED_BEFORE = expression("taken", "stopped, before a drug")
_STOPPED_BEHIND = expression("taken", "stopped, behind a drug")
_AGAIN = phrases("taken", "taken again")
_REACH = 40
"""Characters before a drug in which is looked for what was done with it."""


def taken(note: StayNote) -> Iterator[StayCode]:
    """Yield what stands under allergies, and what is taken daily."""
    places = list(_sections_of_allergies(note))
    for code, pattern in OF_ALLERGENS.items():
        match = next((m for m in note.affirmed(pattern) if _is_in(m, places)), None)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))
    for code, pattern in LONG_USE.items():
        for match in note.affirmed(pattern):
            if not is_stopped(span_of(match), note) and not _is_for_a_time(match, note):
                yield StayCode(code, LIKELY, (span_of(match),))
                break


def no_longer_taken(note: StayNote) -> list[str]:
    """Return the codes of long-term use of drugs that the note names only where they were stopped."""
    return [
        code
        for code in note.says(LONG_TERM)
        if note.is_only(code, lambda span: is_stopped(span, note))
    ]


def is_stopped(span: Span, note: StayNote) -> bool:
    """Return whether a drug was stopped for good where it is named."""
    start, end = note.sentence(span.start)
    before = note.text[max(start, span.start - _REACH) : span.start]
    is_said = _STOPPED_BEFORE.search(before) or _STOPPED_BEHIND.match(note.text, span.end, end)
    return bool(is_said) and not _AGAIN.search(note.text, start, end)


def _is_for_a_time(match: re.Match[str], note: StayNote) -> bool:
    return bool(_FOR_A_TIME.search(note.text, *note.sentence(match.start())))


def _sections_of_allergies(note: StayNote) -> Iterator[tuple[int, int]]:
    for section in sections(note.text):
        if section.kind == ALLERGIES:
            yield section.body, section.end


def _is_in(match: re.Match[str], places: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in places)

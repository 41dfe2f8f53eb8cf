"""What caused an injury, what the patient was doing, and where: in the words of everyday.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.20: causes go with an injury (a);
one place (b), one activity (c) and one status (k) are coded, at the first visit. I.C.19.a: of a later
visit for the same injury the seventh character is D.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from core.clinical.names.tables import patterns, phrases, phrases_by_meaning
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.clinical.stays.places import is_injury, room_of_home

LIKELY, LESS_LIKELY = 0.7, 0.6
CAUSES = phrases_by_meaning("causes", "cause")
ALONE = phrases_by_meaning("causes", "cause where no other is told")
ACTIVITIES = phrases_by_meaning("causes", "activity")
PLACES = phrases_by_meaning("causes", "place")
SAYS_LESS = patterns("causes", "says less")
LEISURE = patterns("causes", "happens at leisure")
_LATER, _FIRST = phrases("causes", "later visit"), phrases("causes", "first visit")
EXTERNAL = ("V", "W", "X", "Y0")
PLACE, ACTIVITY = "Y92", "Y93"
ON_DUTY, AT_LEISURE = ("Y99.0", "Y99.1", "Y99.2"), "Y99.8"
INJURY, FIRST_VISIT, LATER_VISIT = "S", ("A", "B", "C"), "D"
OPENING = 250
"""Characters of a note in which it says what kind of visit it tells of."""
FAR = 200
"""Characters from what is told of an injury, within which its place is."""


def causes(note: StayNote) -> Iterator[StayCode]:
    """Yield the external causes, the activity and the place of an injury."""
    if not is_injury(note):
        return
    found = _found(CAUSES, note)
    if not found and not note.says(*EXTERNAL):
        found = _found(ALONE, note)
    vague = tuple(code for code in note.says(*SAYS_LESS) if code not in found)
    for code, match in found.items():
        yield StayCode(code, LIKELY, (span_of(match),), vague)
    named = [span for code in note.says(ACTIVITY) for span in note.spans(code)]
    activity = None if named else _first(_found(ACTIVITIES, note))
    if activity:
        named = [span_of(activity[1])]
        yield StayCode(activity[0], LESS_LIKELY, tuple(named))
    named += [span_of(match) for code, match in found.items() if code.startswith(LEISURE)]
    if named and not note.says(*ON_DUTY):
        yield StayCode(AT_LEISURE, LESS_LIKELY, tuple(named))
    if not note.says(PLACE):
        yield from _place(list(found.values()), note)


def _place(told: list[re.Match[str]], note: StayNote) -> Iterator[StayCode]:
    injuries = [
        span.start
        for code in note.says(INJURY)
        for span in note.spans(code)
        if span.field == "text"
    ]
    around = [match.start() for match in told] + injuries
    beside = {
        code: match
        for code, match in _found(PLACES, note).items()
        if any(abs(match.start() - at) < FAR for at in around)
    }
    place = _first(beside)
    if place:
        yield StayCode(place[0], LESS_LIKELY, (span_of(place[1]),))
    elif told:
        yield from room_of_home(told[0].start(), note)


def later_visits(note: StayNote) -> Iterator[StayCode]:
    """Yield injuries as of a later visit, where a note tells of nothing else."""
    if not _LATER.search(note.text, 0, OPENING) or _FIRST.search(note.text):
        return
    for code in note.says(INJURY):
        later = code[:-1] + LATER_VISIT
        if code.endswith(FIRST_VISIT) and later in note.hierarchy:
            yield StayCode(later, note.chances[code], note.spans(code), (code,))


def _found(table: Mapping[str, re.Pattern[str]], note: StayNote) -> dict[str, re.Match[str]]:
    matches = ((code, next(note.affirmed(pattern), None)) for code, pattern in table.items())
    return {code: match for code, match in matches if match}


def _first(found: Mapping[str, re.Match[str]]) -> tuple[str, re.Match[str]] | None:
    return min(found.items(), key=lambda item: item[1].start(), default=None)

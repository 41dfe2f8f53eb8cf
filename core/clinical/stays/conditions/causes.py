"""What caused an injury, what the patient was doing, and where: in the words of everyday.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.20: causes go with an injury (a);
one place (b), one activity (c) and one status (k) are coded, at the first visit. I.C.19.a: of a later
visit for the same injury the seventh character is D.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from core.clinical.names.tables import patterns, phrases, phrases_by_meaning
from core.clinical.stays.encounters import is_told_as_earlier
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.clinical.stays.places import is_injury, leaves_open, room_of_home

LIKELY, LESS_LIKELY = 0.7, 0.6
CAUSES = phrases_by_meaning("causes", "cause")
ALONE = phrases_by_meaning("causes", "cause where no other is told")
ACTIVITIES = phrases_by_meaning("causes", "activity")
PLACES = phrases_by_meaning("causes", "place")
STATUSES = phrases_by_meaning("causes", "status")
_INJURY = phrases("causes", "injury")
# What causes an injury of a kind, by the thing alone.
OF_A_BURN = phrases_by_meaning("causes", "cause of a burn")
OF_A_CUT = phrases_by_meaning("causes", "cause of a cut")
OF_A_FALL = phrases_by_meaning("causes", "cause of a fall")
_FALL = phrases("causes", "fall")
_ELSEWHERE = phrases("causes", "not where it happened")
_REACH = 40
"""Characters before a place in which is looked for what somebody does there."""
_BURN = re.compile(r"T2[0-5]")
_CUT = re.compile(r"S\d[18]")
SAYS_LESS = patterns("causes", "says less")
LEISURE = patterns("causes", "happens at leisure")
_LATER, _FIRST = phrases("causes", "later visit"), phrases("causes", "first visit")
EXTERNAL = ("V", "W", "X", "Y0")
PLACE, ACTIVITY = "Y92", "Y93"
ON_DUTY, AT_LEISURE = ("Y99.0", "Y99.1", "Y99.2"), "Y99.8"
INJURY, FIRST_VISIT, LATER_VISIT = "S", ("A", "B", "C"), "D"
BURNS = ("T20", "T21", "T22", "T23", "T24", "T25")
OPENING = 250
"""Characters of a note in which it says what kind of visit it tells of."""
MOST = 20
"""Places of the text where a home is looked for."""
FAR = 200
"""Characters from what is told of an injury, within which its place is."""


def causes(note: StayNote) -> Iterator[StayCode]:
    """Yield the external causes, the activity and the place of an injury."""
    if not is_injury(note) and not _is_hurt(note):
        return
    found = _found(CAUSES, note)
    if not found and not note.says(*EXTERNAL):
        found = _found(ALONE, note) or _by_the_thing(note)
    vague = tuple(code for code in note.says(*SAYS_LESS) if code not in found)
    for code, match in found.items():
        yield StayCode(code, LIKELY, (span_of(match),), vague)
    named = [span for code in note.says(ACTIVITY) for span in note.spans(code)]
    around = [match.start() for match in found.values()] + _injuries(note)
    activity = None if named else _first(_near(_told(ACTIVITIES, note), around))
    if activity:
        named = [span_of(activity[1])]
        yield StayCode(activity[0], LESS_LIKELY, tuple(named))
    named += [span_of(match) for code, match in found.items() if code.startswith(LEISURE)]
    status = _first(_told(STATUSES, note))
    if status:
        yield StayCode(status[0], LIKELY, (span_of(status[1]),))
    elif named and not note.says(*ON_DUTY):
        yield StayCode(AT_LEISURE, LESS_LIKELY, tuple(named))
    if not note.says(PLACE):
        yield from _place(list(found.values()), note)


def _is_hurt(note: StayNote) -> bool:
    """Return whether a note tells of a new injury that has no code so far: "4th and 5th MC fx"."""
    hurt = islice(note.affirmed(_INJURY), MOST)
    return any(not is_told_as_earlier(span_of(match), note) for match in hurt)


def _by_the_thing(note: StayNote) -> dict[str, re.Match[str]]:
    """Return the cause that what is named beside an injury of its kind is: a knife beside a cut."""
    for codes, table in ((_BURN, OF_A_BURN), (_CUT, OF_A_CUT)):
        if any(map(codes.match, note.codes)):
            found = _first(_near(_found(table, note), _injuries(note)))
            if found:
                return dict([found])
    falls = [match.start() for match in note.affirmed(_FALL)]
    found = _first(
        {
            code: match
            for code, match in _found(OF_A_FALL, note).items()
            if any(note.sentence(at) == note.sentence(match.start()) for at in falls)
        }
    )
    return dict([found]) if found else {}


def _injuries(note: StayNote) -> list[int]:
    """Return where the note tells of injuries."""
    named = (span for code in note.says(INJURY) for span in note.spans(code))
    return [span.start for span in named if span.field == "text"] + [
        match.start() for match in note.affirmed(_INJURY)
    ]


def _near(found: Mapping[str, re.Match[str]], places: list[int]) -> dict[str, re.Match[str]]:
    """Return what stands near an injury; all of it where no word says where that is told."""
    return {
        code: match
        for code, match in found.items()
        if not places or any(abs(match.start() - at) < FAR for at in places)
    }


def _place(told: list[re.Match[str]], note: StayNote) -> Iterator[StayCode]:
    """Yield the place, or the room of a home, that stands nearest to what happened."""
    around = [match.start() for match in told] + _injuries(note)
    beside = [
        StayCode(code, LESS_LIKELY, (span_of(match),))
        for code, match in _near(_told(PLACES, note), around).items()
    ]
    places = islice(sorted(set(around)), MOST)
    rooms = [room for at in places for room in room_of_home(at, note)]
    best = [min(rooms, key=lambda room: leaves_open(room.code))] if rooms else []
    nearest = min(
        (*beside, *best), key=lambda place: _distance(place.spans[0].start, around), default=None
    )
    if nearest:
        yield nearest


def _distance(at: int, places: list[int]) -> int:
    return min((abs(at - place) for place in places), default=0)


def later_visits(note: StayNote) -> Iterator[StayCode]:
    """Yield injuries as of a later visit, where a note tells of nothing else."""
    if not _LATER.search(note.text, 0, OPENING) or _FIRST.search(note.text):
        return
    for code in note.says(INJURY, *BURNS):
        later = code[:-1] + LATER_VISIT
        if code.endswith(FIRST_VISIT) and later in note.hierarchy:
            yield StayCode(later, note.chances[code], note.spans(code), (code,))


def _found(table: Mapping[str, re.Pattern[str]], note: StayNote) -> dict[str, re.Match[str]]:
    matches = ((code, next(note.affirmed(pattern), None)) for code, pattern in table.items())
    return {code: match for code, match in matches if match}


def _told(table: Mapping[str, re.Pattern[str]], note: StayNote) -> dict[str, re.Match[str]]:
    """Return what the note tells of as there when it happened: not where somebody works or lives."""
    found = {}
    for code, pattern in table.items():
        matches = (m for m in note.affirmed(pattern) if not _is_elsewhere(m, note))
        match = next(matches, None)
        if match:
            found[code] = match
    return found


def _is_elsewhere(match: re.Match[str], note: StayNote) -> bool:
    start = max(note.sentence(match.start())[0], match.start() - _REACH)
    return _ELSEWHERE.search(note.text, start, match.start()) is not None


def _first(found: Mapping[str, re.Match[str]]) -> tuple[str, re.Match[str]] | None:
    return min(found.items(), key=lambda item: item[1].start(), default=None)

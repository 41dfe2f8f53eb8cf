"""Where an injury happened, what caused it, and which fracture that makes one of the osteoporosis.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.20.a and b: codes of V00-Y99 go
with an injury, or another condition that has such a cause, and the place is coded once.

A fracture of a bone that is known to be porous, after a fall that breaks no healthy one, is one of the
osteoporosis (M80), and not traumatic (I.C.13.d.2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.coding.rules.injuries import OF_SITES
from core.clinical.coding.titles import LEFT, RIGHT, side_of
from core.clinical.names.tables import meanings, patterns, phrases
from core.clinical.stays.note import StayCode, StayNote, span_of

LIKELY = 0.6
NAMED = 0.3
"""Probability, at least, that a name is that of a cause: "shots" are not always those of a gun."""
CAUSES, PLACE = ("V", "W", "X", "Y"), "Y92"
_CAUSED = re.compile(
    r"S|T0[7-9]|T[12]|T3[0-4]|T(?:3[6-9]|[45]\d|6[0-5]).{0,6}[1-4]A$|T6[6-9]|T7|M80|M97"
)
"""Injuries, burns, poisonings and fractures; adverse effects have no other cause."""
FALL = "W19.XXXA"
_RESIDENCE = phrases("places", "residence")
_ROOM = phrases("places", "room")
# The codes of a residence: its beginning, and the last digit by room.
RESIDENCES = meanings("places", "residence of a patient")
ROOMS = {begin: meanings("places", f"room in {begin}") for begin in RESIDENCES.values()}
UNSPECIFIED = "9"
POROUS_LIKELY = 0.8
POROUS, WITH_FRACTURE = ("M80", "M81"), "M80.0"
BY_INJURY = meanings("places", "by an injury")
SPINE = "8"
SIDES = {RIGHT: "1", LEFT: "2"}
NO_MINOR_FALL = patterns("places", "no minor fall")
_VISIT = ("A", "B", "C")


def is_injury(note: StayNote) -> bool:
    """Return whether the note says a condition that has an external cause."""
    return any(map(_CAUSED.match, note.codes))


def places(note: StayNote) -> Iterator[StayCode]:
    """Yield the causes that are named beside an injury, and the home where it happened."""
    if not is_injury(note):
        return
    causes = [
        code
        for code in note.named
        if code.concept_id.startswith(CAUSES) and code.probability >= NAMED
    ]
    falls = [code for code in causes if code.concept_id.startswith("W")]
    if len(falls) > 1:  # "fell" says less than how it happened
        causes = [code for code in causes if code.concept_id != FALL]
    for general, instead in BY_INJURY.items() if causes else ():
        if note.says(general):
            chance = max(LIKELY, note.chances[general])
            yield StayCode(instead, chance, note.spans(general), (general,))
    for code in causes:
        stated = tuple(mention.span for mention in code.mentions)
        yield StayCode(code.concept_id, max(LIKELY, note.chances[code.concept_id]), stated)
    spans = [
        span for code in causes for span in (m.span for m in code.mentions) if span.field == "text"
    ]
    named = [code.concept_id for code in causes if code.concept_id.startswith(PLACE)]
    if spans and not named:
        yield from room_of_home(spans[0].start, note)
    elif spans and all(leaves_open(code) for code in named):
        yield from (
            place._replace(replaced=tuple(named))
            for place in room_of_home(spans[0].start, note)
            if not leaves_open(place.code)
        )


def leaves_open(place: str) -> bool:
    """Return whether a home's code leaves the room or the kind of residence open."""
    is_home = place[:-1] in ROOMS
    return is_home and (place.endswith(UNSPECIFIED) or place.startswith(RESIDENCES["home"]))


def room_of_home(at: int, note: StayNote) -> Iterator[StayCode]:
    """Yield the room of a home that is told of around a place of the text."""
    first, last = note.sentence(at)
    start, end = (
        note.sentence(max(first - 2, 0))[0],
        note.sentence(min(last + 1, len(note.text)))[1],
    )
    residences = list(_RESIDENCE.finditer(note.text, start, end))
    room = _ROOM.search(note.text, start, end)
    # "The kitchen of her house at home": the exact one counts.
    residence = min(
        residences, key=lambda match: list(RESIDENCES).index(match.lastgroup or ""), default=room
    )
    if residence is None:
        return
    begin = RESIDENCES.get(residence.lastgroup or "", RESIDENCES["home"])
    digit = ROOMS[begin].get(room.lastgroup or "", UNSPECIFIED) if room else UNSPECIFIED
    yield StayCode(f"{begin}{digit}", LIKELY, (span_of(residence),))


def fragile(note: StayNote) -> Iterator[StayCode]:
    """Yield the fracture of the osteoporosis in place of a traumatic one of the same site."""
    porous = note.says(*POROUS)
    if not any(_is_known(code, note) for code in porous) or note.says(*NO_MINOR_FALL):
        return
    for site, begins in OF_SITES.items():
        for code in note.says(*begins):
            label = note.hierarchy[code].label()
            if code.endswith(_VISIT) and "fracture" in label.lower():
                side = "X" if site == SPINE else SIDES.get(side_of(label), "9")
                instead = f"{WITH_FRACTURE}{site}{side}A"
                chance = max(POROUS_LIKELY, note.chances[code])
                yield StayCode(instead, chance, note.spans(code), (code, *porous))


def _is_known(code: str, note: StayNote) -> bool:
    """Return whether a note states a condition without doubt: not "osteoporosis?"."""
    return any(
        (mention.assertion is None or mention.assertion.status == HISTORICAL)
        and not note.text[mention.span.end : mention.span.end + 2].lstrip().startswith("?")
        for mention in note.mentions(code)
    )

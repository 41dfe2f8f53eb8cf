"""Fractures of a bone that is known to be porous, after a fall that breaks no healthy one.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.13.d.2: such a fracture is one of
the osteoporosis (M80), and not traumatic, even after a minor fall.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.rules.injuries import OF_SITES
from core.clinical.coding.titles import LEFT, RIGHT, side_of
from core.clinical.names.cues import HISTORICAL
from core.clinical.names.tables import patterns
from core.clinical.stays.note import StayCode, StayNote

LIKELY = 0.8
POROUS, WITH_FRACTURE = ("M80", "M81"), "M80.0"
SPINE = "8"
SIDES = {RIGHT: "1", LEFT: "2"}
NO_MINOR_FALL = patterns("places", "no minor fall")
_VISIT = ("A", "B", "C")


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
                chance = max(LIKELY, note.chances[code])
                yield StayCode(instead, chance, note.spans(code), (code, *porous))


def _is_known(code: str, note: StayNote) -> bool:
    """Return whether a note states a condition without doubt: not "osteoporosis?"."""
    return any(
        (mention.assertion is None or mention.assertion.status == HISTORICAL)
        and not note.text[mention.span.end : mention.span.end + 2].lstrip().startswith("?")
        for mention in note.mentions(code)
    )

"""Organs that an operation opened by accident, which are complications and no injuries.

Source: ICD-10-CM index, Complication, accidental puncture or laceration during procedure: by the
organ, and by whether the operation was one of its system; chapter 19 has injuries from outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import alternatives, by_meaning, lists, whole_words
from core.clinical.stays.note import StayCode, StayNote, span_of

LIKELY = 0.75
_BY_ACCIDENT = alternatives("mishaps", "by accident")
_OPENED = alternatives("mishaps", "opened")
_WHILE_OPERATING = alternatives("mishaps", "while operating")
_TO = r"(?: \w+)? (?:of|to|in|into) (?:the )?(?:\w+ )?"
SYSTEMS = [
    (
        re.compile(
            rf"\b(?i:(?:{_BY_ACCIDENT}) (?:[\w.]+ ){{0,3}}?(?:(?:{organs})(?: wall)? (?:{_OPENED})|(?:{_OPENED}){_TO}(?:{organs}))\b"
            rf"|(?:{organs})(?: wall)? (?:{_OPENED}) (?:{_WHILE_OPERATING})"
            rf"|complications?: (?!no\b|none\b|without\b|possible\b)(?:\w+ )?(?:{organs})(?: wall)? (?:{_OPENED})\b"
            rf"|(?:{organs}) (?:was|were|is) (?:{_BY_ACCIDENT}) (?:torn|lacerated|entered|perforated|nicked|cut)\b"
            rf"|(?:{_OPENED}) of (?:the )?(?:{organs})\b[^.;\n]{{0,30}}?\b(?:{_BY_ACCIDENT})\b(?! (?:fall|injury|trauma|stab)))"
        ),
        lists("mishaps", "codes of a system")[system],
        whole_words("|".join(by_meaning("mishaps", "operation of a system")[system])),
    )
    for system, organs in (
        (system, "|".join(some))
        for system, some in by_meaning("mishaps", "organ of a system").items()
    )
]
"""What says it, the codes in an operation of the system and in another one, with the injuries that
they stand for, and the operations of the system."""
CHILDBIRTH = "O"


def mishaps(note: StayNote) -> Iterator[StayCode]:
    """Yield the accidental puncture or laceration of an organ in an operation."""
    if note.says(CHILDBIRTH):
        return
    for pattern, (own, other, *injuries), operations in SYSTEMS:
        match = next(note.affirmed(pattern), None)
        if match:
            code = own if operations.search(note.text) else other
            yield StayCode(code, LIKELY, (span_of(match),), tuple(note.says(*injuries)))

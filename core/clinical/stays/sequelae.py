"""What an earlier stroke has left.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.9.d (I69 says the stroke and what
it left; Z86.73 is for who has no deficit) and I.C.6.a (which side is dominant).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import lists, phrases, whole_words
from core.clinical.stays.detail import is_left_handed
from core.clinical.stays.note import StayCode, StayNote, span_of

LIKELY = 0.75
STROKES, HAD_STROKE = ("I60", "I61", "I62", "I63"), "Z86.73"
HEMIPARESIS = "I69.35"
LEFT_BY = [
    (whole_words(words), codes) for words, codes in lists("strokes", "left by a stroke").items()
]
_REMAINS = phrases("strokes", "remains")
_NOTHING = phrases("strokes", "nothing remains")
_SIDE = re.compile(
    r"\b(?:(?P<right>right|R|Rt)|(?P<left>left|L|Lt))(?:[- ]sided)?\b(?!-handed)", re.IGNORECASE
)


def sequelae(note: StayNote) -> Iterator[StayCode]:
    """Yield what is left where a sentence names an earlier stroke and says that it remains."""
    for mention in note.mentions(HAD_STROKE):
        start, end = note.sentence(mention.span.start)
        if not _REMAINS.search(note.text, start, end) or _NOTHING.search(note.text, start, end):
            continue
        for pattern, (code, *instead) in LEFT_BY:
            match = pattern.search(note.text, start, end)
            if match and not note.denies(*match.span()):
                exact = code + _side(match, note) if code == HEMIPARESIS else code
                replaced = (HAD_STROKE, *note.says(*instead)) if instead else (HAD_STROKE,)
                yield StayCode(exact, LIKELY, (span_of(match),), replaced)


def _side(match: re.Match[str], note: StayNote) -> str:
    """Return the digit for the side of a hemiparesis, and whether it is the dominant one."""
    side = _SIDE.search(match.group()) or _SIDE.search(
        note.text, max(match.start() - 10, 0), match.end()
    )
    if side is None:
        return "9"
    is_right = side["right"] is not None
    is_dominant = is_right != is_left_handed(note.text)
    return ("1" if is_right else "2") if is_dominant else ("3" if is_right else "4")

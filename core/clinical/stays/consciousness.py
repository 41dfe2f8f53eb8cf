"""How long a patient with an injury of the head was unconscious.

Source: ICD-10-CM S06, sixth character: without loss of consciousness, by its duration, or where that
is not said; titles "30 minutes or less", "31 minutes to 59 minutes" and so on.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from core.clinical.names.tables import phrases
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

AT_LEAST = 0.6
HEAD = "S06"
LENGTH = len("S06.0X1A")
# Of the last minute of each duration, and of what is longer, the character that says it.
MINUTES, BY_MINUTES = (30, 59, 5 * 60 + 59, 24 * 60), "12345"
NONE, NOT_SAID = "0", "9"
UNITS = {"s": 1 / 60, "m": 1, "h": 60}
_LOSS = phrases("words", "loss of consciousness")
_BRIEF = phrases("words", "brief")
_DURATION = re.compile(r"(\d{1,3}) ?-?(s|m|h)(?:ec\w*|in\w*|ou?r?\w*)?\b", re.IGNORECASE)
_AROUND = 40
"""Characters beside it in which is looked for how long it was."""


def consciousness(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of an injury of the head by the loss of consciousness that the note says."""
    injuries = [code for code in note.says(HEAD) if len(code) == LENGTH]
    said = _said(note) if injuries else None
    for code in injuries if said else ():
        character, span = said  # type: ignore[misc]
        exact = f"{code[:6]}{character}{code[7:]}"
        if exact != code and exact in note.hierarchy:
            yield StayCode(exact, max(AT_LEAST, note.chances[code]), (span,), (code,))


def _said(note: StayNote) -> tuple[str, Span] | None:
    """Return the character for what the note says of it, the longest that it says; None of nothing."""
    found = []
    for match in _LOSS.finditer(note.text):
        if note.denies(*match.span()):
            found.append((NONE, span_of(match)))
            continue
        start, end = note.sentence(match.start())
        around = note.text[max(start, match.start() - _AROUND) : min(end, match.end() + _AROUND)]
        found.append((_character(around), span_of(match)))
    return max(found, default=None, key=lambda pair: pair[0].replace(NOT_SAID, "0.5"))


def _character(around: str) -> str:
    duration = _DURATION.search(around)
    if duration:
        minutes = int(duration[1]) * UNITS[duration[2].lower()]
        return BY_MINUTES[bisect_left(MINUTES, minutes)]
    return BY_MINUTES[0] if _BRIEF.search(around) else NOT_SAID

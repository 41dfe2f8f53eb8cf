"""Fractures that the note calls open, which is another encounter than that of a closed one.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.c: a fracture not said to be
open or closed is closed; seventh characters B (open, type I or II, or not said) and C (type IIIA to
IIIC, of long bones).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import phrases
from core.clinical.stays.note import StayCode, StayNote
from core.suggest.evidence.spans import Span

CLOSED, OPEN, OPEN_TYPE_3 = "A", "B", "C"
_OPEN = phrases("fractures", "open")
_TYPE_3 = phrases("fractures", "type III")
_CLOSED_FRACTURE = re.compile(r"closed fracture\b")
LEAST = 0.6
LENGTH = 8


def open_fractures(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each fracture that is open in place of that of a closed one."""
    for code in note.says("S"):
        is_closed = code[-1] == CLOSED and _CLOSED_FRACTURE.search(note.hierarchy[code].label())
        spans = tuple(span for span in note.spans(code) if _is_open(span, note))
        spans = spans if is_closed and len(code) == LENGTH else ()
        if spans:
            is_type_3 = any(note.has_beside(_TYPE_3, span) for span in spans)
            instead = code[:-1] + (OPEN_TYPE_3 if is_type_3 else OPEN)
            instead = instead if instead in note.hierarchy else code[:-1] + OPEN
            yield StayCode(instead, max(LEAST, note.chances[code]), spans, (code,))


def _is_open(span: Span, note: StayNote) -> bool:
    start, end = note.sentence(span.start)
    return any(not note.denies(*found.span()) for found in _OPEN.finditer(note.text, start, end))

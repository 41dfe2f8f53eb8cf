"""Complications of a type 1 diabetes that the note names without the type.

"Diabetic neuropathy" and "DKA" are names of type 2, which is meant where no type is stated.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.4.a.1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.stays.note import StayCode, StayNote

TYPE_1, TYPE_2 = "E10", "E11"
_SAYS_TYPE_2 = re.compile(r"\b(?:type (?:2|II)|T2DM|DM2|NIDDM)\b", re.IGNORECASE)


def type_1(note: StayNote) -> Iterator[StayCode]:
    """Yield codes of type 1 in place of those of type 2, where the note speaks of type 1 alone."""
    if not note.says(TYPE_1) or _SAYS_TYPE_2.search(note.text):
        return
    for code in note.says(TYPE_2):
        spans = note.spans(code)
        yield StayCode(code.replace(TYPE_2, TYPE_1), note.chances[code], spans, (code,))

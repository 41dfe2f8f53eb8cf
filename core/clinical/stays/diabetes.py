"""Complications of a diabetes that the note names without its type, or in one name with it.

"Diabetic neuropathy" and "DKA" are names of type 2, which is meant where no type is stated.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.4.a.1 and 2; I.A.13 (a
manifestation is coded behind the diabetes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.coding.rules.diabetes import CATEGORIES
from core.clinical.names.tables import phrases_by_meaning
from core.clinical.stays.note import StayCode, StayNote, span_of

TYPE_1, TYPE_2 = "E10", "E11"
_SAYS_TYPE_2 = re.compile(r"\b(?:type (?:2|II)|T2DM|DM2|NIDDM)\b", re.IGNORECASE)
LIKELY = 0.7
_OF_MANY_NERVES = re.compile(r"peripheral|poly|distal|sensor", re.IGNORECASE)
_INDUCED = re.compile(r"[- ](?:induced|related|associated) $", re.IGNORECASE)
_BEFORE = 12  # characters
NEUROPATHY = "G62.9"
MANIFESTATIONS = phrases_by_meaning("beside", "manifestation of diabetes")


def type_1(note: StayNote) -> Iterator[StayCode]:
    """Yield codes of type 1 in place of those of type 2, where the note speaks of type 1 alone."""
    if not note.says(TYPE_1) or _SAYS_TYPE_2.search(note.text):
        return
    for code in note.says(TYPE_2):
        spans = note.spans(code)
        yield StayCode(code.replace(TYPE_2, TYPE_1), note.chances[code], spans, (code,))


def manifestations(note: StayNote) -> Iterator[StayCode]:
    """Yield what a note names together with the diabetes, whose code does not say it."""
    if not note.says(*CATEGORIES):
        return
    for code, pattern in MANIFESTATIONS.items():
        match = next(note.affirmed(pattern), None)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))


def polyneuropathy(note: StayNote) -> Iterator[StayCode]:
    """Yield the diabetes with a polyneuropathy, where the note says more than a neuropathy."""
    spans = tuple(
        mention.span
        for mention in note.mentions(NEUROPATHY)
        if _OF_MANY_NERVES.search(mention.written)
        and not _INDUCED.search(note.text, max(mention.span.start - _BEFORE, 0), mention.span.start)
    )
    for category in dict.fromkeys(code[:3] for code in note.says(*CATEGORIES)) if spans else ():
        general = (f"{category}.40", f"{category}.9", NEUROPATHY)
        yield StayCode(f"{category}.42", LIKELY, spans, general)

"""Stays for a treatment, whose code comes first.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.e.2: who is admitted for
chemotherapy, immunotherapy or radiation has Z51.1- or Z51.0 as the principal diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.stays.note import StayCode, StayNote, span_of

SURE = 0.9
NEOPLASMS = ("C", "D0", "D3", "D4")
_ADMITTED_FOR = r"\b(?:admission|admitted|admit|elective|electively|planned|scheduled|reason|encounter|presents? for|here for)\b[^.\n]{0,50}\b(?:"
TREATMENTS = {
    "Z51.11": re.compile(rf"{_ADMITTED_FOR}chemotherapy|chemo|cycle)\b", re.IGNORECASE),
    "Z51.12": re.compile(rf"{_ADMITTED_FOR}immunotherapy)\b", re.IGNORECASE),
    "Z51.0": re.compile(rf"{_ADMITTED_FOR}radiation|radiotherapy)\b", re.IGNORECASE),
}


def encounters(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of the treatment that a patient with a neoplasm was admitted for."""
    if not note.says(*NEOPLASMS):
        return
    for code, pattern in TREATMENTS.items():
        match = next(note.affirmed(pattern), None)
        if match:
            yield StayCode(code, SURE, (span_of(match),))
            return

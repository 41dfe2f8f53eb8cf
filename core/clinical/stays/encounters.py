"""Stays for a treatment, whose code comes first, and notes of operations.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.e.2: who is admitted for
chemotherapy, immunotherapy or radiation has Z51.1- or Z51.0 as the principal diagnosis; IV.N: the
postoperative diagnosis is the more definitive one; ICD-10-CM index, Conversion (Z53.3-).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import expression, rows, whole_words
from core.clinical.notation import category_of
from core.clinical.sections import Section, sections
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


# ---------------------------------------------------------------------- operations

LIKELY = 0.8
TO_CONVERT = "conver"
CONVERTED = [(row.meaning, whole_words(row.pattern)) for row in rows("operations", "converted")]
_BEFORE = expression("operations", "before the operation")
_AFTER = expression("operations", "after the operation")
_SAME = expression("operations", "the same")


def operations(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of a procedure that was converted to an open one."""
    for code, pattern in CONVERTED:
        for match in pattern.finditer(note.text):
            at = match.start() + match.group().lower().rindex(TO_CONVERT)
            if not note.denies(at, at + len(TO_CONVERT)):
                yield StayCode(code, LIKELY, (span_of(match),))
                return


def only_before_operation(note: StayNote) -> Iterator[str]:
    """Yield what stands as a diagnosis before an operation alone, where another one stands after it.

    "Appendicitis" is "perforated appendicitis" afterwards; a disease of another part of the body
    is still there.
    """
    note_sections = sections(note.text)
    before = [section for section in note_sections if _BEFORE.fullmatch(section.title.strip())]
    after = [section for section in note_sections if _AFTER.fullmatch(section.title.strip())]
    if not before or not after or any(_SAME.match(note.text, one.body) for one in after):
        return
    afterwards = {_part(code, note) for code in note.codes if _is_in(code, after, note)}
    for code in note.codes:
        is_before = note.is_only(code, lambda span: _holds(before, span.start))
        if is_before and _part(code, note) in afterwards:
            yield code


def _is_in(code: str, places: list[Section], note: StayNote) -> bool:
    return any(_holds(places, span.start) for span in note.spans(code))


def _holds(places: list[Section], at: int) -> bool:
    return any(section.body <= at < section.end for section in places)


def _part(code: str, note: StayNote) -> str:
    """Return what is above the category of a code: diseases of the appendix, hernias."""
    path, category = note.hierarchy.path(code), category_of(code)
    return path[path.index(category) - 1] if category in path[1:] else category

"""Notes of operations: what was converted, and which diagnosis counts.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, IV.N (the postoperative diagnosis, as
it is the more definitive one); ICD-10-CM index, Conversion (Z53.3-).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.names.tables import expression, rows, whole_words
from core.clinical.notation import category_of
from core.clinical.sections import Section, sections
from core.clinical.stays.note import StayCode, StayNote, span_of

LIKELY = 0.8
CONVERTED = [(row.meaning, whole_words(row.pattern)) for row in rows("operations", "converted")]
_BEFORE = expression("operations", "before the operation")
_AFTER = expression("operations", "after the operation")
_SAME = expression("operations", "the same")


def operations(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of a procedure that was converted to an open one."""
    for code, pattern in CONVERTED:
        match = next(note.affirmed(pattern), None)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))
            return


def only_before_operation(note: StayNote) -> Iterator[str]:
    """Yield what stands as a diagnosis before an operation alone, where another one stands after it.

    "Appendicitis" is "perforated appendicitis" afterwards; a disease of another part of the body
    is still there.
    """
    found = sections(note.text)
    before = [section for section in found if _BEFORE.fullmatch(section.title.strip())]
    after = [section for section in found if _AFTER.fullmatch(section.title.strip())]
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

"""Fractures as a note says that they are: open, displaced, in several pieces.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.c: a fracture not said to be
open or closed is closed, one not said to be displaced or not is displaced; seventh characters B (open, type I or II, or not said) and C (type IIIA to
IIIC, of long bones).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.clinical_words import key_of, keys_of
from core.clinical.names.tables import phrases
from core.clinical.notation import category_of
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

CLOSED, OPEN, OPEN_TYPE_3 = "A", "B", "C"
_OPEN = phrases("fractures", "open")
_TYPE_3 = phrases("fractures", "type III")
_CLOSED_FRACTURE = re.compile(r"closed fracture\b")
_NOT_DISPLACED = phrases("fractures", "not displaced")
_FORM, _FORM_BESIDE = phrases("fractures", "form"), phrases("fractures", "form told beside")
_FRACTURE = re.compile(r"\bfracture\b", re.IGNORECASE)
_DISPLACED = re.compile(r"\bdisplaced\b", re.IGNORECASE)
DISPLACED, NOT_DISPLACED = map(key_of, ("displaced", "nondisplaced"))
LEAST = 0.6
LENGTH = 8
OF_A_BONE = len("S62.0")


def words_of_fracture(category: str, note: StayNote) -> frozenset[str]:
    """Return what a note says of the form of its only fracture, wherever that stands.

    Of several it is not known which one such words belong to; each is displaced all the same.
    """
    fractures = fractured(note)
    if category not in fractures:
        return frozenset()
    forms = [
        form
        for form in (note.affirmed(_FORM) if len(fractures) == 1 else ())
        if note.has_beside(_FORM_BESIDE, span_of(form))
    ]
    default = (
        {NOT_DISPLACED if len(fractures) == 1 else ""} if _is_said_in_place(note) else {DISPLACED}
    )
    return frozenset(
        {*default, *(key for form in forms for key in keys_of(form.group().replace("-", "")))}
        - {""}
    )


def fractured(note: StayNote) -> set[str]:
    """Return the categories of the fractures that a note says."""
    return {category_of(code) for code in note.says("S") if _is_fracture(code, note)}


def _is_said_in_place(note: StayNote) -> bool:
    return _NOT_DISPLACED.search(note.text) is not None


def displacement(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each fracture that is not displaced in place of that of a displaced one."""
    codes = [code for code in note.says("S") if _is_displaced(code, note)]
    for code in codes:
        below = note.hierarchy.descendants(category_of(code))
        instead = _DISPLACED.sub("nondisplaced", note.hierarchy[code].label()).lower()
        spans = tuple(span for span in _places(code, note) if note.has_beside(_NOT_DISPLACED, span))
        if not spans and len(fractured(note)) == 1 and _is_said_in_place(note):
            spans = _places(code, note)
        for other in below if spans else ():
            if note.hierarchy[other].label().lower() == instead:
                yield StayCode(other, max(LEAST, note.chances[code]), spans, (code,))


def _is_fracture(code: str, note: StayNote) -> bool:
    return code in note.hierarchy and bool(_FRACTURE.search(note.hierarchy[code].label()))


def _is_displaced(code: str, note: StayNote) -> bool:
    return _is_fracture(code, note) and bool(_DISPLACED.search(note.hierarchy[code].label()))


def _places(code: str, note: StayNote) -> tuple[Span, ...]:
    """Return where a fracture is named: by its own code, or by one that says less of the same bone."""
    for begin in (code, code[:OF_A_BONE], category_of(code)):
        spans = tuple(
            span
            for named in note.named
            if named.concept_id.startswith(begin)
            for span in note.spans(named.concept_id)
        )
        if spans:
            return spans
    return ()


def open_fractures(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each fracture that is open in place of that of a closed one."""
    for code in note.says("S"):
        is_closed = code[-1] == CLOSED and _CLOSED_FRACTURE.search(note.hierarchy[code].label())
        spans = tuple(span for span in _places(code, note) if _is_open(span, note))
        spans = spans if is_closed and len(code) == LENGTH else ()
        if spans:
            is_type_3 = any(note.has_beside(_TYPE_3, span) for span in spans)
            instead = code[:-1] + (OPEN_TYPE_3 if is_type_3 else OPEN)
            instead = instead if instead in note.hierarchy else code[:-1] + OPEN
            yield StayCode(instead, max(LEAST, note.chances[code]), spans, (code,))


def _is_open(span: Span, note: StayNote) -> bool:
    return any(note.affirmed(_OPEN, *note.sentence(span.start)))

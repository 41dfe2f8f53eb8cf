"""Stays for a treatment, whose code comes first, notes of operations, and what earlier ones have left.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.e.2: who is admitted for
chemotherapy, immunotherapy or radiation has Z51.1- or Z51.0 as the principal diagnosis; IV.N: the
postoperative diagnosis is the more definitive one; ICD-10-CM index, Conversion (Z53.3-); I.C.21.c.3:
a status is what an operation before this stay has taken, put in or left (Z89, Z90, Z95 to Z98).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from core.clinical.kinds import PAST_HISTORY
from core.clinical.names.tables import alternatives, expression, phrases, rows, whole_words
from core.clinical.notation import category_of
from core.clinical.sections import Section, sections
from core.clinical.stays.births import NEWBORN, is_of
from core.clinical.stays.note import NO_BREATHS, NO_LITRES, StayCode, StayNote, apart, span_of
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

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
    afterwards = {
        block_of(code, note.hierarchy) for code in note.codes if _is_in(code, after, note)
    }
    for code in note.codes:
        is_before = note.is_only(code, lambda span: _holds(before, span.start))
        if is_before and block_of(code, note.hierarchy) in afterwards:
            yield code


def _is_in(code: str, places: list[Section], note: StayNote) -> bool:
    return any(_holds(places, span.start) for span in note.spans(code))


def _holds(places: list[Section], at: int) -> bool:
    return any(section.body <= at < section.end for section in places)


def block_of(code: str, hierarchy: Hierarchy) -> str:
    """Return what is above the category of a code: diseases of the appendix, hernias."""
    path, category = hierarchy.path(code), category_of(code)
    return path[path.index(category) - 1] if category in path[1:] else category


# ---------------------------------------------------------------------- earlier operations

AS_SAID = 0.7
_SURGICAL = expression("taken", "heading of earlier operations")
_EARLIER = phrases("statuses", "earlier")
_OF_NOW = phrases("statuses", "of now")
_FULL_DATE = re.compile(
    r"(?<!\d)(?:\d{1,2}[./-]\d{1,2}[./-](?P<last>20\d\d)|(?P<first>20\d\d)-\d\d)"
)
_SIDES = re.compile(
    rf"\b(?:(?P<both>(?i:bilateral(?:ly)?|both|bilat|b/l)|OU)|(?P<right>(?i:right|rt)|R(?!/){NO_BREATHS}|OD)"
    rf"|(?P<left>(?i:left|lt)|{NO_LITRES}L(?!\d)|OS))\b"
    r"|\((?P<r>R)\)|\((?P<l>L)\)"
)
AFTER_CAESAREAN, OF_PREGNANCY = "Z98.891", ("O", "Z3A")
"""A scar of the uterus is coded as care for it (O34.21-) where the patient is pregnant."""
OF_AN_ORGAN = len("Z95.5")
"""A code of this length has its siblings by organ, a longer one by side."""
_REACH = 60
"""Characters around an operation in which is looked for when it was done."""


def earlier_operations(note: StayNote) -> Iterator[StayCode]:
    """Yield the status after each operation that a note tells of as one before this stay."""
    if is_of(NEWBORN, note):
        return
    past = [
        (section.body, section.end)
        for section in sections(note.text)
        if section.kind == PAST_HISTORY or _SURGICAL.fullmatch(section.title.strip())
    ]
    for codes, pattern in _told():
        for match in note.affirmed(pattern):
            if not _OF_NOW.search(_around(match, note)):
                yield from _status(codes, match, note)
    for codes, pattern in (*_operations(), *_removed()):
        for match in note.affirmed(pattern):
            if _is_earlier(match, note, past):
                yield from _status(codes, match, note)


@cache
def _operations() -> list[tuple[list[str], re.Pattern[str]]]:
    return [
        (row.meaning.split(), whole_words(row.pattern)) for row in rows("statuses", "operation")
    ]


@cache
def _removed() -> list[tuple[list[str], re.Pattern[str]]]:
    removed = alternatives("statuses", "removed")
    return [
        (row.meaning.split(), re.compile(rf"\b{row.pattern}(?:{removed})\b", re.IGNORECASE))
        for row in rows("statuses", "organ that is gone")
    ]


@cache
def _told() -> list[tuple[list[str], re.Pattern[str]]]:
    """Return what needs no word of when it was done: an organ that is absent, a port."""
    behind, before = (
        alternatives("statuses", kind) for kind in ("absent", "absent before an organ")
    )
    organs = [
        (
            row.meaning.split(),
            re.compile(
                rf"\b{row.pattern}(?:{behind})\b|\b(?:{before}) {row.pattern}\b", re.IGNORECASE
            ),
        )
        for row in rows("statuses", "organ that is gone")
    ]
    there = [
        (row.meaning.split(), whole_words(row.pattern))
        for row in rows("statuses", "said to be there")
    ]
    return organs + there


def _is_earlier(match: re.Match[str], note: StayNote, past: list[tuple[int, int]]) -> bool:
    """Return whether an operation was done before this stay."""
    around = _around(match, note)
    days = {day["last"] or day["first"] for day in _FULL_DATE.finditer(note.text)}
    told = [when.group() for when in _EARLIER.finditer(around)]
    if any(when not in days for when in told):
        return not _OF_NOW.search(around) or any(when.isdigit() for when in told)
    return any(start <= match.start() < end for start, end in past) and not _OF_NOW.search(around)


def is_told_as_earlier(span: Span, note: StayNote) -> bool:
    """Return whether words beside a place say that it was before this stay."""
    start, end = note.sentence(span.start)
    return (
        _EARLIER.search(note.text, max(start, span.start - _REACH), min(end, span.end + _REACH))
        is not None
    )


def _around(match: re.Match[str], note: StayNote) -> str:
    start, end = note.sentence(match.start())
    return note.text[max(start, match.start() - _REACH) : min(end, match.end() + _REACH)]


def _status(codes: list[str], match: re.Match[str], note: StayNote) -> Iterator[StayCode]:
    """Yield the codes of a status, of the side that its sentence names nearest to it.

    Another one that the same words are a name of, such as a coronary stent of "carotid stent", it is not.
    """
    *_, open_code = codes
    for code in (codes[_side(match, note)] if len(codes) > 1 else open_code).split("+"):
        if code == AFTER_CAESAREAN and note.says(*OF_PREGNANCY):
            continue
        others = [said for said in note.says(code[:3]) if said != code]
        inside = [
            said for said in others if note.is_only(said, lambda span: _overlaps(span, match))
        ]
        has_side = len(code) > OF_AN_ORGAN and any(said[:-1] == code[:-1] for said in others)
        if code != open_code or not has_side:
            yield StayCode(code, AS_SAID, (span_of(match),), tuple({*inside, open_code} - {code}))


def _overlaps(span: Span, match: re.Match[str]) -> bool:
    return span.start < match.end() and match.start() < span.end


def _side(match: re.Match[str], note: StayNote) -> int:
    """Return 0 for the right, 1 for the left, 2 for both, 3 where none is named."""
    start, end = note.sentence(match.start())
    named = list(
        _SIDES.finditer(
            note.text, max(start, match.start() - _REACH), min(end, match.end() + _REACH)
        )
    )
    if not named:
        return 3
    nearest = min(named, key=lambda side: apart(side, match))
    if nearest["both"]:
        return 2
    return 0 if nearest["right"] or nearest["r"] else 1

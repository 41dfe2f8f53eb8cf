"""Cancers that were treated and are over, which are coded as history.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.2.m: a primary malignancy that was
excised or eradicated, to which no further treatment is directed and of which there is no evidence,
is a history (Z85.-, of one in situ Z86.00-); while it is treated, hormone therapy included, it is
present.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.assertions import is_of_history
from core.clinical.kinds import kind_named
from core.clinical.names.mentions import Mention
from core.clinical.names.tables import (
    expression,
    meanings,
    phrases,
    phrases_by_meaning,
)
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.clinical.stays.taken import is_stopped
from core.suggest.evidence.spans import Span

LIKELY = 0.85
REGION_LIKELY = 0.6
LENGTH = len("C83.30")
# The history of each cancer; the longest beginning counts.
HISTORIES = meanings("cancers", "history")
IN_SITU = "D0"
LYMPHOMAS = ("C81", "C82", "C83", "C84", "C85")
"""Their categories have codes of their own for a remission."""
# The last digit of a lymphoma's code by the region of its nodes; of several regions it is another one.
REGIONS = phrases_by_meaning("cancers", "region of nodes")
SEVERAL_REGIONS, NO_REGION = "8", "0"
_GONE = phrases("cancers", "gone")
_REMOVED = phrases("cancers", "removed")
_TREATED = phrases("cancers", "treated")
_PAST = expression("cancers", "past")
_YEAR = re.compile(r"(?<![/\d-])(?:19|20)\d\d\b")
# What is said of a cancer that is still there, or that was found or treated in this stay.
_PRESENT = phrases("cancers", "present")
_MAY_BE_THIS_STAY = re.compile(r"status post|s/p", re.IGNORECASE)
_IS_COMPLETE = expression("cancers", "treatment is complete")
_NO_RECURRENCE = expression("cancers", "no recurrence before")
_BESIDE = 40
"""Characters beside a drug in which is looked for whether it is taken no more."""


# Drugs that go on for years after an operation: while they are taken, the cancer is treated.
FURTHER_DRUGS = phrases_by_meaning("cancers", "drug for years")


def cancers(note: StayNote) -> Iterator[StayCode]:
    """Yield the history of each cancer that the note calls treated and over."""
    in_situ = [mention.span for code in note.says(IN_SITU) for mention in note.mentions(code)]
    named_in_situ = tuple(
        code for code in note.says("C") if note.is_only(code, lambda span: _overlaps(span, in_situ))
    )
    for code in note.says("C", IN_SITU):
        begins = [begin for begin in HISTORIES if code.startswith(begin)]
        mentions = () if code in named_in_situ else note.mentions(code)
        if not begins or not mentions or _is_treated_with_drug(code, note):
            continue
        places = [note.around(mention.span) for mention in mentions]
        over = [
            mention.span
            for mention, place in zip(mentions, places, strict=True)
            if _is_over(code, mention, note.text[slice(*place)], note)
        ]
        if over and not any(_says_present(*place, note) for place in places):
            replaced = (code, *named_in_situ) if code.startswith(IN_SITU) else (code,)
            yield StayCode(HISTORIES[max(begins, key=len)], LIKELY, tuple(over), replaced)
    yield from _without_recurrence(note)


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(other.start < span.end and span.start < other.end for other in others)


def _without_recurrence(note: StayNote) -> Iterator[StayCode]:
    """Yield the history of each cancer of which the note denies that it has come back."""
    for code in note.denied:
        begins = [begin for begin in HISTORIES if code.concept_id.startswith(begin)]
        spans = tuple(
            mention.span
            for mention in code.mentions
            if _NO_RECURRENCE.search(
                note.text, note.sentence(mention.span.start)[0], mention.span.start
            )
        )
        if begins and spans:
            yield StayCode(HISTORIES[max(begins, key=len)], LIKELY, spans)


def lymphomas(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each lymphoma by the nodes or the organ that its sentence names."""
    for code in note.says(*LYMPHOMAS):
        places = [note.around(span) for span in note.spans(code)]
        regions = {
            digit
            for digit, pattern in REGIONS.items()
            for place in places
            if any(note.affirmed(pattern, *place))
        }
        if regions and len(code) == LENGTH and (code.endswith(NO_REGION) or len(regions) > 1):
            instead = code[:-1] + (SEVERAL_REGIONS if len(regions) > 1 else min(regions))
            yield StayCode(
                instead, max(REGION_LIKELY, note.chances[code]), note.spans(code), (code,)
            )


def _is_over(code: str, mention: Mention, text: str, note: StayNote) -> bool:
    """Return whether the words around a cancer say that it is gone, or was treated in the past."""
    if _is_called_history(mention):
        return True
    gone = _GONE.search(text)
    if gone:
        return not (code.startswith(LYMPHOMAS) and gone.group().endswith("remission"))
    years = [int(year) for year in _YEAR.findall(text)]
    if years and max(years) >= _year_of(note):
        return False
    is_removed = _REMOVED.search(text) is not None
    if _PAST.search(text):
        return is_removed or _TREATED.search(text) is not None
    return is_removed and _is_past(mention)


def _is_called_history(mention: Mention) -> bool:
    """Return whether a cancer is called a history of it, and does not only stand under that name."""
    assertion = mention.assertion
    return assertion is not None and is_of_history(assertion) and kind_named(assertion.cue) is None


def _is_past(mention: Mention) -> bool:
    """Return whether a mention is history, and not what an operation of this stay was for."""
    assertion = mention.assertion
    if assertion is None or assertion.status != HISTORICAL:
        return False
    return _MAY_BE_THIS_STAY.fullmatch(assertion.cue) is None


def _says_present(start: int, end: int, note: StayNote) -> bool:
    gone = [match.span() for match in _GONE.finditer(note.text, start, end)]
    return any(
        not any(first <= match.start() < last for first, last in gone)
        for match in note.affirmed(_PRESENT, start, end)
    )


def _year_of(note: StayNote) -> int:
    """Return the year of the latest note; a late one where none is dated."""
    return max((part.date.year for part in note.document.parts if part.date), default=9999)


def _is_treated_with_drug(code: str, note: StayNote) -> bool:
    pattern = FURTHER_DRUGS.get(code[:3])
    return pattern is not None and any(
        not is_stopped(span_of(match), note)
        and not _IS_COMPLETE.search(
            note.text, max(match.start() - _BESIDE, 0), match.end() + _BESIDE
        )
        for match in note.affirmed(pattern)
    )

"""Codes that a number of the note gives: body mass index, stroke score, burns, alcohol level.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.14 (these codes go with a
diagnosis to which they belong) and I.C.19.d.6 (extent of burns); S06, sixth character (how long a
patient was unconscious).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from core.clinical.names.tables import alternatives, expression, phrases
from core.clinical.stays.births import MOTHER, is_of
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

SURE = 0.9
_GAP = r"(?:[ \t]?(?:of|was|is|at|on|arrival|admission|score|level|[:=(,~])){0,3}[ \t]?"
_PERCENTILE = r"(?:st|nd|rd|th)?[ \t]?(?:%[ \t]?(?:ile)?|percentile)"
# "BMI 15.9, 1st percentile" is one of a child.
_AND_PERCENTILE = (
    r"[ \t]?(?:kg/m2)?[,;]?[ \t]?\(?[<>]?(\d{1,2})(?:st|nd|rd|th)?[ \t]?(?:%[ \t]?ile|percentile)"
)
_BMI = re.compile(
    rf"\b(?:BMI|body mass index){_GAP}(\d{{2}}(?:\.\d)?)\b(?!\.\d|{_PERCENTILE}|{_AND_PERCENTILE})",
    re.IGNORECASE,
)
_BMI_OF_CHILD = re.compile(
    rf"\b(?:BMI|body mass index){_GAP}>?(\d{{1,2}})(?:\.\d)?{_PERCENTILE}", re.IGNORECASE
)
_BMI_AND_PERCENTILE = re.compile(
    rf"\b(?:BMI|body mass index){_GAP}\d{{2}}(?:\.\d)?{_AND_PERCENTILE}", re.IGNORECASE
)
_NIHSS = re.compile(rf"\bNIHSS{_GAP}(\d{{1,2}})\b", re.IGNORECASE)
# "Alcohol: 30 units a week" is no level.
_ALCOHOL = re.compile(
    rf"\b(?:alcohol|ethanol|etoh|BAL|BAC){_GAP}(\d{{2,3}})(?= ?mg|\b)"
    rf"(?!{alternatives('numbers', 'no level of alcohol, behind it')})",
    re.IGNORECASE,
)
_AGE = expression("numbers", "age")
_OPENING = 150
"""Characters of a note in which it says how old its patient is."""
ADULT = 20
"""Years from which on a body mass index has the codes of an adult (Z68.1 to Z68.45)."""
_TBSA = expression("numbers", "burned surface")
_PERCENT = re.compile(r"(\d{1,2})(?:\.\d)? ?%")
_FULL_THICKNESS = phrases("numbers", "full thickness")
_LESS_DEEP = phrases("numbers", "less deep")
WEIGHT = ("E40", "E41", "E42", "E43", "E44", "E45", "E46", "E66", "R62.5", "R63.4", "R63.6", "R64")
BURNS = ("T20", "T21", "T22", "T23", "T24", "T25", "T30")
DRINKING = ("F10", "T51")
# The least value of each class, and the code of it and of what is below the first.
OBESE = (40, 45, 50, 60, 70)
PERCENTILES = (5, 85, 95)
LEVELS = (20, 40, 60, 80, 100, 120, 200, 240)


def numbers(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each number whose diagnosis the note says."""
    for beginnings, pattern, code_of in (
        (() if is_child(note) or is_of(MOTHER, note) else WEIGHT, _BMI, _body_mass), (WEIGHT, _BMI_OF_CHILD, _percentile),
        (WEIGHT, _BMI_AND_PERCENTILE, _percentile), (("I63",), _NIHSS, _stroke_score), (DRINKING, _ALCOHOL, _level),
    ):  # fmt: skip
        match = next(note.affirmed(pattern), None) if note.says(*beginnings) else None
        code = code_of(float(match[1])) if match else ""
        if match and code:
            yield StayCode(code, SURE, (span_of(match),))
    if note.says(*BURNS):
        yield from _extent(note)


def is_child(note: StayNote) -> bool:
    """Return whether the patient is too young for the codes of an adult, by the stay or the note."""
    years = years_of(note)
    return years is not None and years < ADULT


def years_of(note: StayNote) -> int | None:
    """Return how old a patient is, by the stay or the note; 0 below a year, None where neither says it."""
    stay, said = note.document.stay, _AGE.search(note.text, 0, _OPENING)
    if stay is not None and stay.age_years is not None:
        return stay.age_years
    return int(said[1] or 0) if said is not None else None


def _body_mass(value: float) -> str:
    if value < OBESE[0]:
        return "Z68.1" if value < 20 else f"Z68.{int(value)}"
    return f"Z68.4{bisect_right(OBESE, value)}"


def _percentile(value: float) -> str:
    return f"Z68.5{1 + bisect_right(PERCENTILES, value)}"


def _stroke_score(value: float) -> str:
    return f"R29.7{int(value):02d}" if value <= 42 else ""


def _level(value: float) -> str:
    return f"Y90.{bisect_right(LEVELS, value)}"


def _percent(match: re.Match[str]) -> int:
    return int(match[1] or match[2])


def _extent(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of the burned surface: the tens of all of it, and of the third degree."""
    stated = list(note.affirmed(_TBSA))
    if not stated:
        return
    most = max(stated, key=_percent)
    tens, deep = _percent(most) // 10, 0
    for match in note.affirmed(_FULL_THICKNESS):
        end = note.sentence(match.start())[1]
        other = _LESS_DEEP.search(note.text, match.end(), end)
        percent = _PERCENT.search(note.text, match.end(), other.start() if other else end)
        deep = max(deep, int(percent[1]) // 10 if percent else 0)
    yield StayCode(f"T31.{tens}{min(deep, tens) if tens else ''}", SURE, (span_of(most),))


# ---------------------------------------------------------------------- loss of consciousness

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
    loss = _said(note) if injuries else None
    for code in injuries if loss else ():
        character, span = loss  # type: ignore[misc]
        exact = f"{code[:6]}{character}{code[7:]}"
        if exact != code and exact in note.hierarchy:
            yield StayCode(exact, max(AT_LEAST, note.chances[code]), (span,), (code,))


def _said(note: StayNote) -> tuple[str, Span] | None:
    """Return the character for what the note says of it, the longest that it says; None of nothing."""
    losses = []
    for match in _LOSS.finditer(note.text):
        if note.denies(*match.span()):
            losses.append((NONE, span_of(match)))
            continue
        start, end = note.sentence(match.start())
        around = note.text[max(start, match.start() - _AROUND) : min(end, match.end() + _AROUND)]
        losses.append((_character(around), span_of(match)))
    return max(losses, default=None, key=lambda pair: pair[0].replace(NOT_SAID, "0.5"))


def _character(around: str) -> str:
    duration = _DURATION.search(around)
    if duration:
        minutes = int(duration[1]) * UNITS[duration[2].lower()]
        return BY_MINUTES[bisect_left(MINUTES, minutes)]
    return BY_MINUTES[0] if _BRIEF.search(around) else NOT_SAID

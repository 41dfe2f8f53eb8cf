"""Pregnancy, delivery and newborn: the codes that go with each other.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.21.c.11 (weeks of gestation: not
with abortive outcomes or conditions after birth), I.C.15.b.5 and I.C.15.n (outcome of delivery),
I.C.15.a.1 (codes of chapter 15 come first, as for infections of the urinary tract, O23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.coding.findings import NOTE, WARNING, CheckedCodes, Finding, Remedy
from core.clinical.names.tables import patterns

WEEKS, OUTCOME, AFTER_BIRTH = "Z3A", "Z37", "Z39"
WEEKS_SOURCE, OUTCOME_SOURCE = "Guidelines I.C.21.c.11", "Guidelines I.C.15.b.5"
INFECTION, INFECTION_SOURCE = "O23", "Guidelines I.C.15.a.1"
OF_URINARY_TRACT = ("N10", "N12", "N30", "N34", "N39.0")
HAS_INFECTION = (INFECTION, "O03", "O04", "O07", "O08", "O86")
TRIMESTER_SOURCE, PERINATAL_SOURCE = "ICD-10-CM chapter 15", "Guidelines I.C.16.a.4"
# Weeks from which on: before 14 weeks 0 days, before 28 weeks 0 days.
TRIMESTERS = (("first", 0), ("second", 14), ("third", 28))
NO_WEEK = ("00",)  # not specified
ADULT_YEARS = 18
PERINATAL, BORN, BORN_SOURCE = "P", "Z38", "Guidelines I.C.16.a.2"
NORMAL, LIVE_BIRTH = "O80", "Z37.0"
PREGNANT = ("O", "Z33", "Z34", "Z36")
NO_WEEKS = patterns("coding", "without weeks of gestation")
DELIVERED = ("O60.1", "O60.2", "O70", NORMAL, "O82")
_DELIVERY = re.compile(r"complicating childbirth|in childbirth|^labor and delivery complicated")
_TRIMESTER = re.compile(r"\b(first|second|third) trimester\b")
_AFTER = re.compile(r"\b(?:puerperium|lactation|following delivery)$|\bin (?:the )?puerperium,")


def births(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield pregnancies without weeks, weeks without pregnancy, deliveries without outcome."""
    weeks = checked.beginning(WEEKS)
    pregnancies = [code for code in checked.beginning("O") if _has_weeks(code, checked)]
    if is_newborn(checked):
        yield from _born(checked)
        return
    if pregnancies and not weeks:
        sentence = f"{pregnancies[0]} goes with a code of the weeks of gestation (Z3A), if known."
        yield _finding("weeks", sentence, (pregnancies[0],), WEEKS_SOURCE, WEEKS)
    if weeks and not checked.beginning(*PREGNANT):
        sentence = f"{weeks[0]} goes with a code of the pregnancy (O09-O9A), and there is none."
        yield Finding("weeks", WARNING, sentence, (weeks[0],), source=WEEKS_SOURCE)
    yield from _trimesters(weeks, checked)
    yield from _grown(checked)
    infections = checked.beginning(*OF_URINARY_TRACT)
    if infections and pregnancies and not checked.beginning(*HAS_INFECTION):
        sentence = f"{infections[0]} of a pregnancy goes with a code of {INFECTION}."
        yield _finding("infection", sentence, (infections[0],), INFECTION_SOURCE, INFECTION)
    delivered = [code for code in checked.beginning("O") if _is_delivery(code, checked)]
    if delivered and not checked.beginning(OUTCOME, AFTER_BIRTH):
        sentence = f"{delivered[0]} goes with the outcome of the delivery (Z37)."
        instead = LIVE_BIRTH if NORMAL in delivered else OUTCOME
        yield _finding("outcome", sentence, tuple(delivered), OUTCOME_SOURCE, instead)


def is_newborn(checked: CheckedCodes) -> bool:
    """Return whether the patient is not a year old: its record has no codes of a pregnancy."""
    return checked.stay is not None and checked.stay.age_years == 0


def _born(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield a note on a newborn's record without the code of its birth."""
    perinatal = checked.beginning(PERINATAL)
    if perinatal and not checked.is_outpatient and not checked.beginning(BORN):
        sentence = (
            f"A code of the birth ({BORN}) stands first where the patient was born in this stay."
        )
        yield Finding("born", NOTE, sentence, tuple(perinatal[:1]), source=BORN_SOURCE)


def _trimesters(weeks: list[str], checked: CheckedCodes) -> Iterator[Finding]:
    """Yield a code of another trimester than that of the weeks."""
    stated = next((code for code in weeks if code[-2:] not in NO_WEEK), "")
    if not stated:
        return
    trimester = next(name for name, first in reversed(TRIMESTERS) if int(stated[-2:]) >= first)
    for code in checked.beginning("O"):
        named = _TRIMESTER.search(checked.label(code))
        if named and named[1] != trimester:
            sentence = (
                f"{code} is of the {named[1]} trimester, and {stated} of the {trimester} one."
            )
            yield Finding("trimester", WARNING, sentence, (code, stated), source=TRIMESTER_SOURCE)


def _grown(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes of the perinatal period on the record of an adult."""
    age = checked.stay.age_years if checked.stay else None
    perinatal = checked.beginning(PERINATAL)
    if perinatal and age is not None and age >= ADULT_YEARS:
        sentence = f"{perinatal[0]} is of the perinatal period, and this patient is {age}."
        yield Finding("perinatal", WARNING, sentence, tuple(perinatal), source=PERINATAL_SOURCE)


def _finding(kind: str, sentence: str, codes: tuple[str, ...], source: str, add: str) -> Finding:
    words = f"Add {add}" if "." in add else f"Choose a code of {add}"
    return Finding(kind, WARNING, sentence, codes, source=source, remedy=Remedy(words, add=(add,)))


def _has_weeks(code: str, checked: CheckedCodes) -> bool:
    return not code.startswith(NO_WEEKS) and not _AFTER.search(checked.label(code))


def _is_delivery(code: str, checked: CheckedCodes) -> bool:
    label = checked.label(code)
    return code.startswith(DELIVERED) or bool(_DELIVERY.search(label))

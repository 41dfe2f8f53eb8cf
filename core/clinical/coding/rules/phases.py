"""Encounters of an injury, and drugs of an effect: the seventh characters have to agree.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.a (A while the injury is treated,
D afterwards, S of what is left), I.C.20.a.2 (the external cause has the character of the injury),
I.C.20.b to d (place, activity and status are stated once, at the first encounter), I.C.19.e.5.a (an
adverse effect goes with its drug).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding
from core.clinical.coding.rules.injuries import CAUSES, FULL_LENGTH, by_drugs
from core.clinical.instructions import USE_ADDITIONAL, instructions

ENCOUNTER, CAUSE = "Guidelines I.C.19.a", "Guidelines I.C.20.a.2"
ONCE, DRUG = "Guidelines I.C.20.b-d", "Guidelines I.C.19.e.5.a"
STATED_ONCE = ("Y92", "Y93", "Y99")
FIRST, SEQUELA = "first", "sequela"
PHASES = dict.fromkeys("ABC", FIRST) | {"S": SEQUELA}
WORDS = {FIRST: "a first encounter", "later": "a later encounter", SEQUELA: "what is left"}
ADVERSE = "adverse effect"
DRUGS = tuple(f"T{number}" for number in range(36, 51))


def phase(code: str) -> str:
    """Return which encounter the seventh character of a code says; "" without one."""
    if len(code.replace(".", "")) != FULL_LENGTH or code[-1].isdigit():
        return ""
    return PHASES.get(code[-1], "later")


def phases(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield encounters that contradict each other, and what is stated once."""
    injuries = [code for code in checked.beginning("S", "T") if phase(code)]
    for one, other in combinations(injuries, 2):
        if one[:3] == other[:3] and {phase(one), phase(other)} == {FIRST, "later"}:
            sentence = (
                f"{one} is of {WORDS[phase(one)]}, {other} of {WORDS[phase(other)]}: of one injury "
                "one is coded."
            )
            yield Finding("phase", WARNING, sentence, (one, other), source=ENCOUNTER)
    said = {phase(code) for code in injuries}
    for cause in checked.beginning(*CAUSES) if said else ():
        if phase(cause) and phase(cause) not in said:
            injury = injuries[0]
            sentence = (
                f"{cause} is of {WORDS[phase(cause)]}, and the injury {injury} of "
                f"{WORDS[phase(injury)]}."
            )
            instead = cause[:-1] + injury[-1]
            remedy = checked.replaced((cause,), instead) if instead in checked.hierarchy else None
            about = (cause, injury)
            yield Finding("phase", WARNING, sentence, about, source=CAUSE, remedy=remedy)
    stated = checked.beginning(*STATED_ONCE)
    if stated and said and FIRST not in said:
        sentence = f"{' and '.join(stated)} is stated at the first encounter alone."
        remedy = checked.without(*stated)
        yield Finding("phase", WARNING, sentence, tuple(stated), source=ONCE, remedy=remedy)


def drugs(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield conditions that a drug caused, by their titles, without the code of any drug."""
    if checked.beginning(*DRUGS):
        return
    for code in checked.diagnoses:
        asked = instructions(code, checked.hierarchy, [USE_ADDITIONAL])
        if by_drugs(checked.label(code)) and any(ADVERSE in one.text.lower() for one in asked):
            sentence = (
                f"{code} was caused by a drug, and the code of the drug (T36-T50) is missing."
            )
            yield Finding("drug", WARNING, sentence, (code,), source=DRUG)

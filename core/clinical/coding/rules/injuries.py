"""Poisonings and effects of drugs, what is left of an injury, and how an injury came about.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.e.5.b (a poisoning stands
before what it has caused), I.B.10 (what is left stands before the code of its cause), I.C.20.a
(codes of external causes are asked for, not required), I.C.13.d.2 (osteoporosis with a fracture is one
code, and no traumatic fracture), I.C.19.e.5.a (an adverse effect stands beside what it has caused, and
goes with its drug), I.C.19.a (A while the injury is treated, D afterwards, S of what is left), I.C.20.a.2
(the external cause has the character of the injury), I.C.20.b to d (place, activity and status are
stated once, at the first encounter).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from core.clinical.coding.findings import NOTE, WARNING, CheckedCodes, Finding, is_external_cause
from core.clinical.coding.findings import is_status_code as is_status
from core.clinical.instructions import USE_ADDITIONAL, instructions
from core.clinical.names.tables import lists
from core.vocabulary.concepts import Hierarchy

POISONING_SOURCE, SEQUELA_SOURCE = "Guidelines I.C.19.e.5.b", "Guidelines I.B.10"
CAUSE_SOURCE = "Guidelines I.C.20.a"
FRAGILE_SOURCE, EFFECT_SOURCE = "Guidelines I.C.13.d.2", "Guidelines I.C.19.e.5.a"
# Osteoporosis with a fracture by the digit of its site, and traumatic fractures of that site.
OSTEOPOROSIS, SIDE_AT = ("M80.0", "M80.8"), 5
OF_SITES = lists("coding", "traumatic fractures of a site of M80")
OF_SIDES = {"1": "right", "2": "left"}
# What titles of conditions by drugs say, and which drugs are chemotherapy.
_BY_DRUGS = re.compile(r"\b(?:drugs?|drug-induced|medicaments?|chemotherapy)\b")
_OPEN = re.compile(r"\bunspecified\b")
CHEMOTHERAPY, OF_CHEMOTHERAPY, ADVERSE = "chemotherapy", "T45.1X5", "adverse effect"
# Drugs T36-T50 and toxic substances T51-T65; of the former, the sixth character (or the fifth,
# before an X) is the intent, where 5 is an adverse effect and 6 underdosing.
_POISON = re.compile(r"T(?:3[6-9]|4\d|50|5[1-9]|6[0-5])")
_DRUG = re.compile(r"T(?:3[6-9]|4\d|50)")
_HURT = re.compile(r"S\d\d|T(?:0[7-9]|1\d|2\d|3[0-4])")
NO_POISONING = ("5", "6")
INTENT_LENGTH = 6
INITIAL, SEQUELA = ("A", "B", "C"), "S"
FULL_LENGTH = 7
CAUSES = ("V", "W", "X", "Y0", "Y1", "Y2", "Y3")


def injuries(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what stands in the wrong place, and an injury without its cause."""
    diagnoses = [code for code in checked.diagnoses if not is_external_cause(code, checked.system)]
    if not diagnoses:
        return
    head, *late = diagnoses
    poison = next((code for code in late if is_poisoning(code)), "")
    if poison and checked.present(poison) != "N" and _may_be_caused(head, checked.system):
        sentence = f"A poisoning stands before what it has caused: {poison} before {head}."
        remedy = checked.put_first(poison, head)
        about = (poison, head)
        yield Finding("poisoning", WARNING, sentence, about, source=POISONING_SOURCE, remedy=remedy)
    left = next((code for code in late if not is_sequela(code)), "")
    if left and is_sequela(head) and not is_status(left, checked.system):
        sentence = f"What is left of an injury stands before the injury: {left} before {head}."
        remedy = checked.put_first(left, head)
        about = (head, left)
        yield Finding("sequela", WARNING, sentence, about, source=SEQUELA_SOURCE, remedy=remedy)
    yield from _traumatic_beside_osteoporosis(diagnoses, checked)
    yield from _open_causes_beside_effects(diagnoses, checked)
    hurt = [code for code in diagnoses if _HURT.match(code) and code.endswith(INITIAL)]
    if hurt and not checked.beginning(*CAUSES):
        sentence = f"{hurt[0]} has no code of how it came about (V00-Y38)."
        yield Finding("cause", NOTE, sentence, (hurt[0],), source=CAUSE_SOURCE)


def _traumatic_beside_osteoporosis(
    diagnoses: list[str], checked: CheckedCodes
) -> Iterator[Finding]:
    for code in (code for code in diagnoses if code.startswith(OSTEOPOROSIS)):
        site, side = code[SIDE_AT : SIDE_AT + 1], code[SIDE_AT + 1 : SIDE_AT + 2]
        for other in diagnoses:
            is_there = other.startswith(OF_SITES.get(site, ("-",))) and "fracture" in checked.label(
                other
            )
            if is_there and _side(other, checked) in (OF_SIDES.get(side, ""), ""):
                sentence = (
                    f"{code} says the fracture as well, so there is no traumatic one ({other})."
                )
                remedy = checked.without(other, keeping=code)
                about = (other, code)
                yield Finding(
                    "fragile", WARNING, sentence, about, source=FRAGILE_SOURCE, remedy=remedy
                )


def _side(code: str, checked: CheckedCodes) -> str:
    return next((side for side in OF_SIDES.values() if f" {side} " in checked.label(code)), "")


def _open_causes_beside_effects(diagnoses: list[str], checked: CheckedCodes) -> Iterator[Finding]:
    for effect in (code for code in diagnoses if is_effect(code)):
        if any(asks_for_effect(effect, code, checked.hierarchy) for code in diagnoses):
            continue  # of what the drug did, another code speaks
        for code in diagnoses:
            instead = _by_drugs(code, effect, checked.hierarchy)
            if instead:
                sentence = (
                    f"{instead} says that a drug caused it, if {effect} did, instead of {code}."
                )
                remedy = checked.replaced((code,), instead)
                about = (code, effect)
                yield Finding("effect", NOTE, sentence, about, source=EFFECT_SOURCE, remedy=remedy)


def _by_drugs(code: str, effect: str, hierarchy: Hierarchy) -> str:
    """Return the code of the same category that says that drugs caused it; "" where there is none."""
    if code not in hierarchy or not _OPEN.search(hierarchy[code].label().lower()):
        return ""
    is_chemotherapy = effect.startswith(OF_CHEMOTHERAPY)
    candidates = [
        other
        for other in sorted(hierarchy.descendants(code[:3]))
        if hierarchy[other].assignable
        and _BY_DRUGS.search(label := hierarchy[other].label().lower())
        and (is_chemotherapy or CHEMOTHERAPY not in label)
        and asks_for_effect(effect, other, hierarchy)
    ]
    best = [
        other for other in candidates if CHEMOTHERAPY in hierarchy[other].label().lower()
    ] or candidates
    return best[0] if len(best) == 1 else ""


def asks_for_effect(effect: str, code: str, hierarchy: Hierarchy) -> bool:
    """Return whether a condition asks for an adverse effect behind it, such as this one."""
    return any(
        ADVERSE in instruction.text.lower() and instruction.codes.matches(effect)
        for instruction in instructions(code, hierarchy, [USE_ADDITIONAL])
    )


def by_drugs(title: str) -> bool:
    """Return whether a title in small letters says that drugs caused a condition."""
    return bool(_BY_DRUGS.search(title))


def is_effect(code: str) -> bool:
    """Return whether this is a current adverse effect of a drug."""
    plain = code.replace(".", "")
    is_drug = bool(_DRUG.match(plain)) and plain.endswith(INITIAL[0])
    return is_drug and plain[:INTENT_LENGTH].rstrip("X").endswith(NO_POISONING[0])


def is_poisoning(code: str) -> bool:
    """Return whether this is a current poisoning or toxic effect."""
    plain = code.replace(".", "")
    if not _POISON.match(plain) or not plain.endswith(INITIAL[0]):
        return False
    return not (_DRUG.match(plain) and plain[:INTENT_LENGTH].rstrip("X").endswith(NO_POISONING))


def is_sequela(code: str) -> bool:
    """Return whether the seventh character of an injury says sequela."""
    plain = code.replace(".", "")
    return code[0] in "STM" and len(plain) == FULL_LENGTH and plain.endswith(SEQUELA)


def _may_be_caused(code: str, system: str) -> bool:
    return code[0] not in "STO" and not is_status(code, system)


# ---------------------------------------------------------------------- encounters of an injury

ENCOUNTER, CAUSE = "Guidelines I.C.19.a", "Guidelines I.C.20.a.2"
ONCE, DRUG = "Guidelines I.C.20.b-d", "Guidelines I.C.19.e.5.a"
STATED_ONCE = ("Y92", "Y93", "Y99")
FIRST, LEFT_OVER = "first", "sequela"
PHASES = dict.fromkeys("ABC", FIRST) | {"S": LEFT_OVER}
WORDS = {FIRST: "a first encounter", "later": "a later encounter", LEFT_OVER: "what is left"}
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
    stated_phases = {phase(code) for code in injuries}
    for cause in checked.beginning(*CAUSES) if stated_phases else ():
        if phase(cause) and phase(cause) not in stated_phases:
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
    if stated and stated_phases and FIRST not in stated_phases:
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

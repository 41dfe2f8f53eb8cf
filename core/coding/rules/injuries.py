"""Poisonings, what is left of an injury, and how an injury came about.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.e.5.b (a poisoning stands
before what it has caused), I.B.10 (what is left stands before the code of its cause), I.C.20.a
(codes of external causes are asked for, not required).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.coding.findings import NOTE, WARNING, CheckedCodes, Finding, is_external_cause
from core.coding.findings import is_status_code as is_status

POISONING_SOURCE, SEQUELA_SOURCE = "Guidelines I.C.19.e.5.b", "Guidelines I.B.10"
CAUSE_SOURCE = "Guidelines I.C.20.a"
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
        said = f"A poisoning stands before what it has caused: {poison} before {head}."
        remedy = checked.put_first(poison, head)
        about = (poison, head)
        yield Finding("poisoning", WARNING, said, about, source=POISONING_SOURCE, remedy=remedy)
    left = next((code for code in late if not is_sequela(code)), "")
    if left and is_sequela(head) and not is_status(left, checked.system):
        said = f"What is left of an injury stands before the injury: {left} before {head}."
        remedy = checked.put_first(left, head)
        about = (head, left)
        yield Finding("sequela", WARNING, said, about, source=SEQUELA_SOURCE, remedy=remedy)
    hurt = [code for code in diagnoses if _HURT.match(code) and code.endswith(INITIAL)]
    if hurt and not checked.beginning(*CAUSES):
        said = f"{hurt[0]} has no code of how it came about (V00-Y38)."
        yield Finding("cause", NOTE, said, (hurt[0],), source=CAUSE_SOURCE)


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

"""Codes that say less than another one beside them.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, FY 2020: detail I.B.2, symptoms
that belong to a disease I.B.5, stages of ulcers I.C.12.a and of kidney disease I.C.14.a, history of
a cancer I.C.2.m.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from core.coding.findings import NOTE, WARNING, Finding
from core.vocabulary.concepts import Hierarchy

# What says nothing of the kind, and what says it, by how their codes begin.
UNSPECIFIED = {
    "A41.9": ("A41.0", "A41.1", "A41.2", "A41.3", "A41.4", "A41.5", "A41.8"),
    "F32.9": ("F32.0", "F32.1", "F32.2", "F32.3", "F32.4", "F32.5"),
    "I48.91": ("I48.0", "I48.1", "I48.2"),
    "I50.9": ("I50.1", "I50.2", "I50.3", "I50.4", "I50.8"),
    "I63.9": ("I63.0", "I63.1", "I63.2", "I63.3", "I63.4", "I63.5", "I63.6", "I63.8"),
    "J44.9": ("J44.0", "J44.1"),
    "J96.00": ("J96.01", "J96.02"),
    "J96.90": ("J96.0", "J96.1", "J96.2"),
    "K21.9": ("K21.0",),
    "N17.9": ("N17.0", "N17.1", "N17.2", "N17.8"),
    "N18.30": ("N18.31", "N18.32"),
    "R13.10": ("R13.11", "R13.12", "R13.13", "R13.14", "R13.19"),
}
# Symptoms that belong to a disease.
INTEGRAL = {
    "R05": ("J18", "J12", "J13", "J14", "J15", "J20", "J44", "J45"),
    "R06.0": ("I50", "J18", "J44", "J45", "J96"),
    "R06.2": ("J44", "J45"),
    "R07.9": ("I20", "I21", "I22"),
    "R10": ("K35", "K80.0", "K81.0", "K85"),
    "R11": ("K52", "K56", "A08"),
    "R31": ("N30.01", "N30.21", "N30.41", "N30.91"),
    "R51": ("I60", "I61", "G43"),
}
# History of a cancer, and the cancer.
HISTORY = {"Z85.118": "C34", "Z85.3": "C50", "Z85.46": "C61", "Z85.038": "C18"}
ULCERS, KIDNEYS = "L89", "N18"
# The last character of an ulcer's code is its stage, the others are its site.
SITE_LENGTH = len("L89.15")


def redundant(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield codes that another one makes needless, and stages of which there can be one."""
    del hierarchy  # every rule of a kind has it
    for code in codes:
        specific = _beginning(codes, code, UNSPECIFIED.get(code, ()))
        if specific:
            words = f"{specific} says more exactly what {code} says."
            yield Finding("unspecified", WARNING, words, (code, specific), "", "I.B.2", (code,))
        disease = next(
            (
                found
                for symptom, diseases in INTEGRAL.items()
                if code.startswith(symptom) and (found := _beginning(codes, code, diseases))
            ),
            "",
        )
        if disease:
            words = f"{code} belongs to {disease}, and is not coded beside it as a rule."
            yield Finding("integral", NOTE, words, (code, disease), "", "I.B.5", (code,))
        cancer = _beginning(codes, code, (HISTORY[code],)) if code in HISTORY else ""
        if cancer and not (code == "Z85.3" and cancer[:5] == "C50.9"):
            words = f"{code} says that a cancer is over which {cancer} says is there."
            yield Finding("history", WARNING, words, (code, cancer), "", "I.C.2.m", (code,))
    for one, other in combinations(codes, 2):
        ulcer = one.startswith(ULCERS) and one[:SITE_LENGTH] == other[:SITE_LENGTH]
        if ulcer or (one.startswith(KIDNEYS) and other.startswith(KIDNEYS) and _staged(one, other)):
            words = f"{one} and {other} are two stages of the same disease; one is coded."
            source = "I.C.12.a" if ulcer else "I.C.14.a"
            yield Finding("stages", WARNING, words, (one, other), "", source)


def _staged(one: str, other: str) -> bool:
    """Return whether two codes of kidney disease are different stages, none within the other."""
    return one[:5] != other[:5]


def _beginning(codes: Sequence[str], code: str, begins: tuple[str, ...]) -> str:
    """Return the first other code that begins like one of these; "" without one."""
    if not begins:
        return ""
    return next((one for one in codes if one != code and one.startswith(begins)), "")

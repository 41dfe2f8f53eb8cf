"""Symptoms that belong to a disease beside them.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.5: what is routinely associated
with a disease is not coded beside it. The guidelines have no list. Excludes1 notes are checked as
such; what remains is the table here: symptoms of chapter 18 with diseases that are defined, or
found, by them. It leaves out what is coded beside its disease by instruction (ascites with
cirrhosis, retention with an enlarged prostate) or as a deficit (aphasia with a stroke).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.coding.findings import NOTE, CheckedCodes, Finding
from core.coding.instructions import CODE_ALSO, USE_ADDITIONAL, instructions

SOURCE = "Guidelines I.B.5"
LUNGS = ("J12", "J13", "J14", "J15", "J16", "J18", "J20", "J21", "J44", "J45", "J69.0")
BREATH = (*LUNGS, "I50", "I11.0", "I13.0", "I13.2", "I26", "J80", "J81", "J93", "J96")
BOWELS = ("A02.0", "A03", "A04", "A08", "A09", "K51", "K50", "K52")
ABDOMEN = (
    *BOWELS, "K25", "K26", "K35", "K36", "K37", "K56", "K57", "K65", "K80", "K81", "K85", "N20",
)  # fmt: skip
INFECTIONS = (
    "A40", "A41", "B34.9", "G00", "J02", "J03", "J06", "J09", "J10", "J11", *LUNGS[:6], "J69.0", "K35",
    "K65", "K81.0", "L03", "N10", "U07.1",
)  # fmt: skip
INTEGRAL = {
    "R00.0": ("I47", "I48"),
    "R00.1": ("I44", "I49.5"),
    "R00.2": ("I47", "I48", "I49"),
    "R04.0": ("I78.0",),
    "R05": (*LUNGS, "J00", "J06", "J10", "J11", "J40", "J41", "J42", "J43", "J47", "U07.1"),
    "R06.0": BREATH,
    "R06.2": ("J21", "J44", "J45"),
    "R07.0": ("J02", "J03"),
    "R07.1": ("R09.1", "I26", *LUNGS[:6]),
    "R07.2": ("I20", "I21", "I22"),
    "R07.8": ("I20", "I21", "I22"),
    "R07.9": ("I20", "I21", "I22", "I25.11"),
    "R09.0": ("J80",),
    "R10": ABDOMEN,
    "R11": ABDOMEN,
    "R12": ("K21",),
    "R17": ("B15", "B16", "B17", "K70.1", "K80.5", "K83"),
    "R19.7": BOWELS,
    "R30": ("N30", "N34", "N39.0"),
    "R31": ("N20",),
    "R35": ("N30", "N39.0"),
    "R40.2": ("E10.11", "E11.01", "E11.11"),
    "R42": ("H81",),
    "R50.9": INFECTIONS,
    "R51": ("G43", "G44", "G00", "G03", "I60", "I61"),
    "R56": ("G40",),
    "R59": ("C81", "C82", "C83", "C85"),
    "R60": ("I50", "I11.0", "I13.0", "I13.2", "N04"),
    "R80": ("N04",),
}


def symptoms(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield each symptom that belongs to a disease, once."""
    for code in checked.beginning("R"):
        begin = next((begin for begin in INTEGRAL if code.startswith(begin)), "")
        diseases = checked.beginning(*INTEGRAL[begin]) if begin else []
        disease = next((one for one in diseases if not _asks_for(one, code, checked)), "")
        if disease:
            said = f"{code} belongs to {disease}, and is as a rule not coded beside it."
            remedy = checked.without(code, keeping=disease)
            about = (code, disease)
            yield Finding("integral", NOTE, said, about, source=SOURCE, remedy=remedy)


def _asks_for(disease: str, symptom: str, checked: CheckedCodes) -> bool:
    """Return whether an instruction at the disease asks for the symptom."""
    kinds = (USE_ADDITIONAL, CODE_ALSO)
    stated = instructions(disease, checked.hierarchy, kinds)
    return any(instruction.codes.matches(symptom) for instruction in stated)

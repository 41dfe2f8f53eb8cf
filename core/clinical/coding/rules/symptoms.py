"""Symptoms that belong to a disease beside them.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.5: what is routinely associated
with a disease is not coded beside it. The guidelines have no list. Excludes1 notes are checked as
such; what remains is the table here: symptoms of chapter 18, and pain of the back and the limbs
(chapter 13), with diseases that are defined, or found, by them. It leaves out what is coded beside
its disease by instruction (ascites with cirrhosis, retention with an enlarged prostate) or as a
deficit (aphasia with a stroke).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.clinical.coding.findings import NOTE, CheckedCodes, Finding
from core.clinical.coding.titles import LEFT, RIGHT, side_of
from core.clinical.instructions import CODE_ALSO, USE_ADDITIONAL, instructions
from core.vocabulary.concepts import Hierarchy

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
    "M25.51": ("M19.01", "M75", "S42", "S43", "S46"),
    "M25.52": ("S42.4", "S52", "S53"),
    "M25.53": ("S52.5", "S52.6", "S62", "S63"),
    "M25.55": ("M16", "M97.0", "S32.4", "S72", "S73"),
    "M25.56": ("M17", "M97.1", "S82", "S83"),
    "M25.57": ("S82", "S92", "S93"),
    "M54": ("I71.0", "K85", "M48", "M51", "M80.08", "N10", "N20", "S22", "S32"),
    "M79.6": ("I82", "L03.1", "S42", "S52", "S72", "S82"),
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
    for code in checked.beginning(*INTEGRAL):
        disease = next(diseases_of(code, checked.diagnoses, checked.hierarchy), "")
        if disease:
            said = f"{code} belongs to {disease}, and is as a rule not coded beside it."
            remedy = checked.without(code, keeping=disease)
            about = (code, disease)
            yield Finding("integral", NOTE, said, about, source=SOURCE, remedy=remedy)


def diseases_of(symptom: str, codes: Iterable[str], hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the diseases among codes that a symptom belongs to, without those that ask for it."""
    begin = next((begin for begin in INTEGRAL if symptom.startswith(begin)), "")
    for code in codes:
        if not begin or code == symptom or not code.startswith(INTEGRAL[begin]):
            continue
        if _is_there(symptom, code, hierarchy) and not _asks_for(code, symptom, hierarchy):
            yield code


def _is_there(symptom: str, disease: str, hierarchy: Hierarchy) -> bool:
    """Return whether no title says another side than the other one."""
    sides = {side_of(hierarchy[code].label()) for code in (symptom, disease) if code in hierarchy}
    return not {RIGHT, LEFT} <= sides


def _asks_for(disease: str, symptom: str, hierarchy: Hierarchy) -> bool:
    """Return whether an instruction at the disease asks for the symptom."""
    stated = instructions(disease, hierarchy, (USE_ADDITIONAL, CODE_ALSO))
    return any(instruction.codes.matches(symptom) for instruction in stated)

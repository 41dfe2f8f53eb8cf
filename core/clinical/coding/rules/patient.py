"""Codes that do not fit the age or the sex of the patient, where these are known.

Source: Medicare Code Editor, version 37: newborn 0 years, children 0 to 17, maternity 9 to 64,
adults 15 to 124. An entry can be right all the same (sex may have been recorded otherwise), so these
are warnings, and notes where the stay is of another year than the list.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.findings import NOTE, WARNING, CheckedCodes, Finding
from core.clinical.coding.published import (
    ADULT,
    FEMALE_ONLY,
    MALE_ONLY,
    MATERNITY,
    NEWBORN,
    PEDIATRIC,
    code_edits,
)
from core.clinical.stay import FEMALE, MALE

AGES = {NEWBORN: (0, 0), PEDIATRIC: (0, 17), MATERNITY: (9, 64), ADULT: (15, 124)}
SEXES = {FEMALE: MALE_ONLY, MALE: FEMALE_ONLY}
OTHER = {FEMALE: "men", MALE: "women"}


def patient(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield one finding for each list that does not fit."""
    if checked.stay is None:
        return
    age, sex = checked.stay.age_years, checked.stay.sex
    for kind, (youngest, oldest) in AGES.items():
        codes = _listed(kind, checked)
        if age is not None and codes and not youngest <= age <= oldest:
            years = f"{youngest} to {oldest} years" if oldest else "newborns"
            sentence = f"{_and(codes)} {_is(codes)} for {years}, and this patient is {age}."
            yield _finding("age", sentence, codes, checked)
    codes = _listed(SEXES[sex], checked) if sex in SEXES else ()
    if codes:
        sentence = f"{_and(codes)} {_is(codes)} for {OTHER[sex]} only, and this patient is {sex}."
        yield _finding("sex", sentence, codes, checked)


def _listed(kind: str, checked: CheckedCodes) -> tuple[str, ...]:
    listed = code_edits().codes[kind]
    return tuple(code for code in checked.diagnoses if code in listed)


def _finding(kind: str, sentence: str, codes: tuple[str, ...], checked: CheckedCodes) -> Finding:
    edits = code_edits()
    source = edits.source(checked.hierarchy, day=checked.day)
    severity = WARNING if edits.are_of(checked.day) else NOTE
    return Finding(kind, severity, sentence, codes, source=source)


def _and(codes: tuple[str, ...]) -> str:
    return " and ".join(codes)


def _is(codes: tuple[str, ...]) -> str:
    return "are" if len(codes) > 1 else "is"

"""Codes that come first wherever they are, and those that a sepsis precedes.

Source: ICD-10-CM Official Guidelines for Coding and Reporting: treatment of a cancer I.C.2.e.2,
newborns I.C.16.a.2, other reasons for an encounter I.C.21.c.16, sepsis I.C.1.d.4.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.coding.findings import WARNING, CheckedCodes, Finding

CANCER, NEWBORN, SEPSIS_SOURCE = (
    "Guidelines I.C.2.e.2",
    "Guidelines I.C.16.a.2",
    "Guidelines I.C.1.d.4",
)
REASONS = "Guidelines I.C.21.c.16"
FIRST = {
    "Z51.0": CANCER,
    "Z51.1": CANCER,
    "Z38": NEWBORN,
    **dict.fromkeys(
        (
            "Z00", "Z01", "Z02", "Z04", "Z31.81", "Z31.83", "Z31.84", "Z33.2", "Z34", "Z39", "Z40",
            "Z42", "Z52", "Z76.1", "Z76.2", "Z99.12",
        ),
        REASONS,
    ),
}  # fmt: skip
# Not for donors unspecified, and not for a participant in research.
ANY_PLACE = ("Z00.6", "Z52.9")
SEPSIS = ("A40", "A41", "A02.1", "A22.7", "A26.7", "A32.7", "A42.7", "A54.86", "B37.7")
LOCAL = (
    "J12", "J13", "J14", "J15", "J16", "J18", "J69.0", "J85", "J86", "N10", "N12", "N13.6", "N15.1",
    "N30.0", "N39.0", "L02", "L03", "K35", "K57", "K65", "K81.0", "K83.0", "G00", "M00", "M86", "I33",
)  # fmt: skip


def first(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what is not first though it has to be."""
    diagnoses = checked.diagnoses
    for place, code in enumerate(diagnoses):
        source = _source(code)
        if source and not all(_source(before) for before in diagnoses[:place]):
            ahead = next(before for before in diagnoses if not _source(before))
            said = f"{code} is the reason for the encounter where it is coded, so it stands first."
            yield _finding("first", said, (code, ahead), source, checked)
            break
    sepsis = next((code for code in checked.beginning(*SEPSIS)), "")
    if sepsis and diagnoses[0].startswith(LOCAL) and checked.present(sepsis) not in ("N", "U"):
        said = f"A sepsis that was present on admission stands before the infection {diagnoses[0]}."
        yield _finding("sepsis", said, (sepsis, diagnoses[0]), SEPSIS_SOURCE, checked)


def _source(code: str) -> str:
    """Return why a code stands first; "" where it does not."""
    if code.startswith(ANY_PLACE):
        return ""
    return next((source for begin, source in FIRST.items() if code.startswith(begin)), "")


def _finding(
    kind: str, said: str, about: tuple[str, str], source: str, checked: CheckedCodes
) -> Finding:
    remedy = checked.put_first(*about)
    return Finding(kind, WARNING, said, about, source=source, remedy=remedy)

"""Sepsis and pneumonia with the germ that the note or its cultures name.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.1.d.1, 2 and 4 (sepsis by its
organism, also where a localized infection is its cause; a septic shock is that of a sepsis, which
is coded before it); I.B.2 (as specific as the record).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.clinical.ranking.guidelines import LOCAL_INFECTIONS
from core.clinical.stays.births import NEWBORN, is_of
from core.clinical.stays.note import StayCode, StayNote, span_of

SEPSIS, PNEUMONIA = ("A41.9",), ("J18.9", "J15.9")
GERMS = ("B95", "B96")
SHOCK = "R65.2"
# Sepsis that has a code of its own, by its germ or by what it followed.
OTHER_SEPSIS = (
    "A02.1", "A22.7", "A26.7", "A32.7", "A39.2", "A39.3", "A39.4", "A40", "A41", "A42.7", "A54.86", "B37.7",
    "O03", "O04", "O07", "O08", "O75.3", "O85", "O86.04", "P36", "T80.2", "T81.44", "T88.0",
)  # fmt: skip


class Germ(NamedTuple):
    """A germ, and the codes of a sepsis and of a pneumonia that it causes; "" where none is."""

    words: re.Pattern[str]
    sepsis: str
    pneumonia: str


def _germ(words: str, sepsis: str, pneumonia: str) -> Germ:
    return Germ(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), sepsis, pneumonia)


# What is resistant or has a group comes before the germ alone.
OF_GERMS = (
    _germ(r"MRSA|methicillin[- ]resistant staph\w*", "A41.02", "J15.212"),
    _germ(r"MSSA|(?:staphylococcus|staph|S\.?) aureus", "A41.01", "J15.211"),
    _germ(r"E\.? ?coli|escherichia coli", "A41.51", "J15.5"),
    _germ(r"klebsiella\w*", "A41.59", "J15.0"),
    _germ(r"pseudomonas\w*|P\. aeruginosa", "A41.52", "J15.1"),
    _germ(r"serratia", "A41.53", "J15.69"),
    _germ(r"acinetobacter", "A41.54", "J15.61"),
    _germ(r"proteus|enterobacter|citrobacter|morganella", "A41.59", "J15.69"),
    _germ(r"enterococc\w+|VRE", "A41.81", ""),
    _germ(r"pneumococc\w+|(?:strep\w*|S\.?) pneumoniae", "A40.3", "J13"),
    _germ(r"group A strep\w*|(?:strep\w*|S\.?) pyogenes", "A40.0", "J15.4"),
    _germ(r"group B strep\w*|(?:strep\w*|S\.?) agalactiae", "A40.1", "J15.3"),
    _germ(r"(?:haemophilus|hemophilus|H\.?) influenzae", "A41.3", "J14"),
    _germ(r"bacteroides", "A41.4", ""),
    _germ(r"mycoplasma", "", "J15.7"),
)
_BLOOD = re.compile(
    r"\b(?:blood cultures?|BCx|BC ?x|bacter(?:a)?emia|urosepsis|sep(?:sis|tic)|septic(?:a)?emia)\b",
    re.IGNORECASE,
)
_LUNGS = re.compile(
    r"\b(?:sputum|BAL|bronchoalveolar|tracheal aspirates?|pneumonias?|PNA|HAP|CAP|VAP)\b",
    re.IGNORECASE,
)


def germs(note: StayNote) -> Iterator[StayCode]:
    """Yield the codes of a sepsis and a pneumonia of which the note names the germ."""
    for general, named_by, is_sepsis in ((SEPSIS, _BLOOD, True), (PNEUMONIA, _LUNGS, False)):
        said = note.says(*general)
        implied = _implied(note) if is_sepsis else []
        found = _named(note, named_by, is_sepsis) if said or implied else None
        if found:
            match, code = found
            has_own = note.says(*LOCAL_INFECTIONS) or (is_sepsis and note.says(*PNEUMONIA))
            germ = () if has_own else note.says(*GERMS)
            chance = max(note.chances[i] for i in said or implied)
            yield StayCode(code, chance, (span_of(match),), (*said, *germ))
        elif implied:
            spans = tuple(mention.span for code in implied for mention in note.mentions(code))
            yield StayCode(general[0], max(note.chances[i] for i in implied), spans)


def _implied(note: StayNote) -> list[str]:
    """Return the codes of a shock whose sepsis the note does not name."""
    is_named = note.says(*OTHER_SEPSIS) or is_of(NEWBORN, note)
    return [] if is_named else note.says(SHOCK)


def _named(
    note: StayNote, named_by: re.Pattern[str], is_sepsis: bool
) -> tuple[re.Match[str], str] | None:
    """Return where the one germ stands that is named beside such words, and the code of both.

    Where several are named, nothing says which of them is the cause.
    """
    found: dict[str, re.Match[str]] = {}
    for germ in OF_GERMS:
        code = germ.sepsis if is_sepsis else germ.pneumonia
        for match in note.affirmed(germ.words) if code else ():
            if named_by.search(note.text, *note.sentence(match.start())):
                found.setdefault(code, match)
    return next(((match, code) for code, match in found.items()), None) if len(found) == 1 else None

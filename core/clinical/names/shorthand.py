"""Everyday shorthand of notes: small-letter abbreviations, slashed words, and what depends on
the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Between "w/" and what follows there may be no space; "2/2" is "secondary to", or a count.
SLASHED = (
    r"(?<![\w/.])(?:[wW]/[oO]|[wW]/(?![uUcC]\b)|[cC]/[wWbB]|[dD]/[tToO]|[sS]/[pP]|[hHrRyY]/[oO]|i/s/o"
    r"|[aApP]/[wW]|[bB]/[lL]|[nN]/[vV]|2/2)(?![\w/]|(?<=[2oOtTpPlLvVwWbB])\.\d)"
)
SLASHED_WORDS = "w/ c/w c/b d/t i/s/o a/w p/w 2/2"
"""Those that say how two things belong together, as "with" does."""

# Read as these words in small letters, in capitals, or with a capital.
SHORT = {
    "abd": "abdominal",
    "aflutter": "atrial flutter",
    "b/l": "bilateral",
    "bilat": "bilateral",
    "d/o": "disorder",
    "dm": "diabetes mellitus",
    "decub": "pressure ulcer",
    "def": "deficiency",
    "decubitus": "pressure ulcer",
    "decubs": "pressure ulcer",
    "dts": "delirium tremens",
    "dz": "disease",
    "etoh": "alcohol",
    "fx": "fracture",
    "fxs": "fracture",
    "hyperk": "hyperkalemia",
    "hyperna": "hypernatremia",
    "hypok": "hypokalemia",
    "hypomag": "hypomagnesemia",
    "hypomg": "hypomagnesemia",
    "hypona": "hyponatremia",
    "hypophos": "hypophosphatemia",
    "infxn": "infection",
    "insuff": "insufficiency",
    "lac": "laceration",
    "lacs": "laceration",
    "mets": "secondary malignant neoplasm",
    "n/v": "nausea with vomiting",
    "ptx": "pneumothorax",
    "pulm": "pulmonary",
    "pyelo": "pyelonephritis",
    "resp": "respiratory",
    "rhabdo": "rhabdomyolysis",
    "rvr": "rapid ventricular response",
    "sz": "seizure",
    "szs": "seizure",
    "vfib": "ventricular fibrillation",
    "vtach": "ventricular tachycardia",
}
# "PE: lungs clear" is a physical examination, and no embolism.
_EXAMINATION = re.compile(
    r"\bPE(?=\s*:|\s+(?:normal|exam\w*|unremarkable|benign|notable|remarkable|show(?:s|ed)|reveal(?:s|ed)"
    r"|findings|WNL|(?:on|at) (?:admission|discharge))\b|[^\S\n]*+\n\s*+(?:general|gen|vitals?|vs|bp|heent)\b)"
)
# "Lung ca" is a cancer, and "Ca 8.9" is calcium.
_CANCER = re.compile(
    r"\b(?:breast|lung|colon|colorectal|rectal|prostate|pancrea(?:s|tic)|gastric|stomach|esophageal|bladder"
    r"|renal|kidney|liver|hepatocellular|ovarian|cervical|endometrial|uterine|thyroid|brain|skin|tongue"
    r"|laryngeal|(?:squamous|basal|renal|small|transitional)[ -]cell) (?P<word>ca)\b(?![ \t]*(?:[:=<>-]|(?!(?:19|20)\d\d\b)\d))"
    r"|\b(?P<of>ca) (?=of (?:the )?[a-z])",
    re.IGNORECASE,
)
# "1 ppd" are packs of cigarettes a day; "PPD negative" is a tuberculin test, "PPD#2" a day after birth.
_PACKS = re.compile(
    r"(?:\d|½|\b(?:half|one|two|three|a))[ -]?(?:pack )?(?P<word>ppd)\b"
    r"|\b(?:smok\w+|tobacco|cigarettes?)\b[^.;\n]{0,30}?\b(?P<behind>ppd)\b(?! ?#)",
    re.IGNORECASE,
)
# "Intentional OD on acetaminophen"; elsewhere "OD" is the right eye, or once a day.
_OVERDOSE = re.compile(
    r"\b(?:intentional|accidental|unintentional|drug|polysubstance|polypharmacy|opioid|opiate|heroin|fentanyl|suicidal"
    r"|cocaine|methadone|acetaminophen|tylenol|APAP|TCA|pill|s/p|after an?) (?P<word>OD)\b|\b(?P<behind>OD) (?=(?:on|of|by) )"
)
# "SI w/ plan", "SI/HI"; "SI" alone is a joint as well.
_IDEATION = re.compile(
    r"\b(?P<word>SI)(?=/HI\b|[ ](?:w/|with|without|and|or|w/o)[ ]?(?:an? )?(?:plan|intent|HI)\b)"
    r"|\b(?:active|passive|denies|denied|endorses|endorsed|reports|no) (?P<behind>SI)\b(?! joint)"
)
# A "pressure sore" or "pressure injury" is an ulcer, and its grade or category a stage.
_SORE = re.compile(
    r"\b(?<!tissue )(?:pressure|decubitus) (?P<word>sores?|injur(?:y|ies)|wounds?)\b", re.IGNORECASE
)
_STAGE = re.compile(
    r"\b(?P<word>grade|category|cat)[ -](?=(?:[1-4]|I{1,3}|IV)\b[^.;\n]{0,40}\b(?:pressure|decub\w*|bedsores?)\b)"
    r"|\b(?:pressure|decub\w*|bedsores?)\b[^.;\n]{0,40}?\b(?P<behind>grade|category|cat)[ -](?=(?:[1-4]|I{1,3}|IV)\b)",
    re.IGNORECASE,
)
# How deep a burn goes is said by degrees in titles.
_DEPTHS = (
    (re.compile(r"\b(?P<word>partial)[- ]thickness\b", re.IGNORECASE), "second degree"),
    (re.compile(r"\b(?P<word>full)[- ]thickness\b", re.IGNORECASE), "third degree"),
    (
        re.compile(r"\b(?P<word>superficial) (?=(?:\w+ ){0,2}(?:burn|scald)s?\b)", re.IGNORECASE),
        "first degree",
    ),
)
_BURN = re.compile(r"\b(?:burn(?:s|ed|t)?|scald(?:s|ed)?|TBSA)\b", re.IGNORECASE)


def read_by_context(text: str) -> Iterator[tuple[int, str]]:
    """Yield where words begin that their surroundings explain, and what they stand for.

    What stands for nothing but itself has no text.
    """
    yield from ((match.start(), "") for match in _EXAMINATION.finditer(text))
    depths = _DEPTHS if _BURN.search(text) else ()
    for pattern, meaning in (
        (_CANCER, "cancer"), (_PACKS, "pack a day"), (_SORE, "ulcer"), (_STAGE, "stage"), (_OVERDOSE, "overdose"),
        (_IDEATION, "suicidal ideation"), *depths,
    ):  # fmt: skip
        for match in pattern.finditer(text):
            yield match.start(match.lastgroup or 0), meaning

"""Sepsis and pneumonia with the germ that the note or its cultures name.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.1.d.1, 2 and 4 (sepsis by its
organism, also where a localized infection is its cause; a septic shock is that of a sepsis, which
is coded before it); I.B.2 (as specific as the record).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from core.clinical.names.tables import patterns, phrases, rows, whole_words
from core.clinical.ranking.guidelines import LOCAL_INFECTIONS
from core.clinical.stays.births import NEWBORN, is_of
from core.clinical.stays.note import StayCode, StayNote, span_of

SEPSIS, PNEUMONIA = ("A41.9",), ("J18.9", "J15.9")
GERMS = ("B95", "B96")
NONE = "-"
SHOCK = "R65.2"
# Sepsis that has a code of its own, by its germ or by what it followed.
OTHER_SEPSIS = patterns("germs", "sepsis of its own code")


class Germ(NamedTuple):
    """A germ, and the codes of a sepsis and of a pneumonia that it causes; "" where none is."""

    words: re.Pattern[str]
    sepsis: str
    pneumonia: str


# What is resistant or has a group comes before the germ alone.
OF_GERMS = tuple(
    Germ(whole_words(row.pattern), *row.meaning.replace(NONE, "").split(" "))
    for row in rows("germs", "germ")
)
_BLOOD = phrases("germs", "blood")
_LUNGS = phrases("germs", "lungs")


def germs(note: StayNote) -> Iterator[StayCode]:
    """Yield the codes of a sepsis and a pneumonia of which the note names the germ."""
    for general, named_by, is_sepsis in ((SEPSIS, _BLOOD, True), (PNEUMONIA, _LUNGS, False)):
        general_codes = note.says(*general)
        implied = _shocks_without_sepsis(note) if is_sepsis else []
        germ_named = _named(note, named_by, is_sepsis) if general_codes or implied else None
        if germ_named:
            match, code = germ_named
            has_own = note.says(*LOCAL_INFECTIONS) or (is_sepsis and note.says(*PNEUMONIA))
            germ = () if has_own else note.says(*GERMS)
            chance = max(note.chances[i] for i in general_codes or implied)
            yield StayCode(code, chance, (span_of(match),), (*general_codes, *germ))
        elif implied:
            spans = tuple(span for code in implied for span in note.spans(code))
            yield StayCode(general[0], max(note.chances[i] for i in implied), spans)


def _shocks_without_sepsis(note: StayNote) -> list[str]:
    is_named = note.says(*OTHER_SEPSIS) or is_of(NEWBORN, note)
    return [] if is_named else note.says(SHOCK)


def _named(
    note: StayNote, named_by: re.Pattern[str], is_sepsis: bool
) -> tuple[re.Match[str], str] | None:
    """Return where the one germ stands that is named beside such words, and the code of both.

    Where several are named, nothing says which of them is the cause.
    """
    by_code: dict[str, re.Match[str]] = {}
    for germ in OF_GERMS:
        code = germ.sepsis if is_sepsis else germ.pneumonia
        for match in note.affirmed(germ.words) if code else ():
            if named_by.search(note.text, *note.sentence(match.start())):
                by_code.setdefault(code, match)
    return (
        next(((match, code) for code, match in by_code.items()), None)
        if len(by_code) == 1
        else None
    )

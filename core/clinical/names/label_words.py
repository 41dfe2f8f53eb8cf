"""How labels of codes and what people type are compared: by the words of clinical notes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from core.clinical.names.clinical_words import ABBREVIATIONS, MEANS, keys_of
from core.clinical.names.tables import names_in_notes
from core.clinical.names.wordings import EVERYDAY, shortened

_HISTORY = re.compile(r"\b(?:history|hx)\b", re.IGNORECASE)
_BODY_MASS = re.compile(r"(?:bmi|body mass index)(?: of| is)? (\d\d)(?: \d)?")
LEAST_MASS, OBESE = 20, (40, 45, 50, 60, 70)
_NOTHING_MORE = frozenset(keys_of("unspecified NOS"))

names_of_codes = names_in_notes


def terms(text: str) -> list[str]:
    """Return the keys of the words of a text, but for those that say that nothing more is known."""
    return [key for key in keys_of(text) if key not in _NOTHING_MORE]


def said_by(label: str) -> str:
    """Return a label without what says that nothing more is known."""
    return shortened(label) or label


def is_half_said(alternative: str, label: str) -> bool:
    """Return whether an alternative label of a code leaves out that it is a history.

    Tables of codes say “Pneumonia” of V12.61, personal history of pneumonia.
    """
    return bool(_HISTORY.search(label)) and not _HISTORY.search(alternative)


def abbreviations() -> Mapping[str, str]:
    """Return abbreviations, and words that say in one what labels say in many."""
    return {**ABBREVIATIONS, **MEANS}


def everyday_names() -> Mapping[str, Sequence[str]]:
    """Return other names of what labels say."""
    return EVERYDAY


def label_of_number(query: str) -> str:
    """Return what labels say of a body mass index: one of each number, and few of high ones."""
    match = _BODY_MASS.fullmatch(query)
    if match is None:
        return ""
    value = int(match[1])
    if value < LEAST_MASS:
        return "body mass index 19.9 or less, adult"
    if value >= OBESE[-1]:
        return f"body mass index {OBESE[-1]} or greater, adult"
    last = value
    if value >= OBESE[0]:
        n = bisect_right(OBESE, value)
        value, last = OBESE[n - 1], OBESE[n] - 1
    return f"body mass index {value}.0-{last}.9, adult"

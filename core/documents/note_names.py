"""What notes are called, and what the name of a file says of the note in it."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date

NOTE = "Note"
NOTE_KINDS = (
    "Discharge summary",
    "Admission note",
    "Progress note",
    "Consultation",
    "Operation note",
    "Radiology report",
    "Pathology report",
    "Laboratory report",
    "Emergency note",
    "Nursing note",
    "Addendum",
)
"""Kinds that a form offers; a note may be of any other."""

_DATE = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")


def named_note(stem: str) -> tuple[str, date | None]:
    """The kind and the date of a note in a file of this name; "" and None where it says none."""
    day, rest = None, stem
    for match in _DATE.finditer(stem):
        with suppress(ValueError):
            day = date(*map(int, match.groups()))
            rest = stem[: match.start()] + " " + stem[match.end() :]
            break
    words = re.sub(r"[\W\d_]+", " ", rest).strip().casefold()
    return next((kind for kind in NOTE_KINDS if _is_named(kind.casefold(), words)), ""), day


def _is_named(kind: str, words: str) -> bool:
    """Whether the words have the name of a kind, or are its first word."""
    return kind in words or words in (kind.split()[0], f"{kind.split()[0]} note")

"""Names of kinds of notes, and the kind and date that a file's name shows."""

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

REPORTS = ("note", "report", "summary")
_ALSO = {"ed": "emergency", "er": "emergency", "operative": "operation", "lab": "laboratory"}
MOST_WORDS = 6  # of a first line that may be the name of a kind
_DATE = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")


def note_of_file_name(stem: str) -> tuple[str, date | None]:
    """Return the kind and date that a file's name gives for its note, or "" and None."""
    day, rest = None, stem
    for match in _DATE.finditer(stem):
        with suppress(ValueError):
            day = date(*map(int, match.groups()))
            rest = stem[: match.start()] + " " + stem[match.end() :]
            break
    words = _words(rest)
    return next((kind for kind in NOTE_KINDS if _is_named(kind.casefold(), words)), ""), day


def complete_kind(typed: str) -> str:
    """Return the one known kind that begins as was typed ("Discharge"), or else what was typed."""
    beginning = typed.strip().casefold()
    known = [kind for kind in NOTE_KINDS if beginning and kind.casefold().startswith(beginning)]
    return known[0] if len(known) == 1 else typed


def kind_of_heading(text: str) -> str:
    """Return the kind that a first line names ("EMERGENCY DEPARTMENT NOTE"), or ""."""
    words = _words(text.strip().partition("\n")[0]).split()
    if not words or len(words) > MOST_WORDS:
        return ""
    words[0] = _ALSO.get(words[0], words[0])
    return next((kind for kind in NOTE_KINDS if _heads(kind.casefold(), words)), "")


def _heads(kind: str, words: list[str]) -> bool:
    """Return whether a line begins or ends with a kind, or with its first word and "note"."""
    line = f" {' '.join(words)} "
    is_whole = line.startswith(f" {kind} ") or line.endswith(f" {kind} ")
    return is_whole or (words[0] == kind.split()[0] and words[-1] in REPORTS)


def _words(text: str) -> str:
    """Return the words of a name, without digits and signs."""
    return re.sub(r"[\W\d_]+", " ", text).strip().casefold()


def _is_named(kind: str, words: str) -> bool:
    """Return whether the words have the name of a kind, or are its first word."""
    return kind in words or words in (kind.split()[0], f"{kind.split()[0]} note")

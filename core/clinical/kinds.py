"""Kinds of notes and of their sections by name, and the kind and date that a file's name shows."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime

from core.clinical.names.tables import alternatives, meanings, patterns

NOTE = "Note"
NOTE_KINDS = patterns("kinds", "kind of note")
"""Kinds that a form offers; a note may be of any other."""

OF_RESULTS = ("Radiology report", "Pathology report", "Laboratory report")
"""Kinds that say what was found, and not how a stay went."""

REPORTS = ("note", "report", "summary")
_ALSO = meanings("kinds", "first word of a kind")
# Other names of kinds; each is looked for as whole words, the first that is found counts.
_OTHER_NAMES = meanings("kinds", "other name of a kind")
MOST_WORDS = 6  # of a first line that may be the name of a kind
MAX_HEADING_CHARACTERS = 2_000
HEADING_LINES = 5  # at the beginning, among which the name of a hospital may stand before the kind
_DATE = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")
_BIRTH = re.compile(
    r"(?:dob|d\.o\.b\.?|born|birth|birthdate|geb|né|née)[^0-9a-z]{0,5}$", re.IGNORECASE
)
OLDEST_NOTE_YEARS = 25  # a single date before it, in the name of a file, is one of birth


def note_of_file_name(stem: str) -> tuple[str, date | None]:
    """Return the kind and date that a file's name gives for its note, or "" and None.

    A date of birth is none: one that is called so, the earlier of several, or a very old one.
    """
    kind, day, _ = parts_of_file_name(stem)
    return kind, day


def parts_of_file_name(stem: str) -> tuple[str, date | None, str]:
    """Return kind and date as `note_of_file_name`, and what else the name says."""
    days = [(day, match) for match in _DATE.finditer(stem) if (day := _written_day(stem, match))]
    day, match = max(days, default=(None, None), key=lambda pair: pair[0])
    rest = stem
    if match is not None:
        rest = f"{stem[: match.start()]} {stem[match.end() :]}"
    words = _words(rest)
    kinds = (kind for kind in NOTE_KINDS if _is_named(kind.casefold(), words))
    return next(kinds, "") or _other_name(words), day, rest.strip(" -_,.;")


def _written_day(stem: str, match: re.Match[str]) -> date | None:
    """Return the day that stands in a file's name, unless it is one of birth."""
    with suppress(ValueError):
        day = date(*map(int, match.groups()))
        is_old = day.year < datetime.now(UTC).year - OLDEST_NOTE_YEARS
        return None if is_old or _BIRTH.search(stem[: match.start()]) else day
    return None


def _other_name(words: str) -> str:
    padded = f" {words} "
    return next((kind for name, kind in _OTHER_NAMES.items() if f" {name} " in padded), "")


def kind_of_stay(kind: str, title: str) -> str:
    """Return the kind of a note of a stay, by its kind or its title; "" of any other text."""
    named = known_kind(kind) or note_of_file_name(title)[0]
    return "" if named in OF_RESULTS else named


def known_kind(kind: str) -> str:
    """Return the kind that a note is of, whatever it is called: "Emergency department note"."""
    return kind if kind in NOTE_KINDS else note_of_file_name(kind)[0]


def complete_kind(typed: str) -> str:
    """Return the one known kind that begins as was typed ("Discharge"), or else what was typed."""
    beginning = typed.strip().casefold()
    kinds = [kind for kind in NOTE_KINDS if beginning and kind.casefold().startswith(beginning)]
    return kinds[0] if len(kinds) == 1 else typed


def kind_of_heading(text: str) -> str:
    """Return the kind that one of the first lines names ("EMERGENCY DEPARTMENT NOTE"), or "".

    The name of a hospital or a patient may stand before it. A line with a colon and more behind it
    is a field or a section, and names no kind.
    """
    lines = [line.strip() for line in text.strip()[:MAX_HEADING_CHARACTERS].splitlines()]
    first, *others = [line for line in lines if line][:HEADING_LINES] or [""]
    # What also names a section ("LABS") heads the whole note only where nothing stands before it.
    beginning = (first, *(line for line in others if kind_named(line) is None))
    return next((kind for line in beginning if (kind := _kind_of_line(line))), "")


def _kind_of_line(line: str) -> str:
    words = _words(line).split()
    if not words or len(words) > MOST_WORDS or ": " in line:
        return ""
    if other := _heading_name(words):
        return other
    words[0] = _ALSO.get(words[0], words[0])
    return next((kind for kind in NOTE_KINDS if _heads(kind.casefold(), words)), "")


def _heading_name(words: list[str]) -> str:
    """Return the kind of which a line is another name, alone or with one word ("CT CHEST")."""
    line = " ".join(words)
    for name, kind in _OTHER_NAMES.items():
        length = len(name.split())
        if line == name or (len(words) <= length + 1 and line.startswith(f"{name} ")):
            return kind
    return ""


def _heads(kind: str, words: list[str]) -> bool:
    """Return whether a line begins or ends with a kind, or with its first word and "note"."""
    line = f" {' '.join(words)} "
    is_whole = line.startswith(f" {kind} ") or line.endswith(f" {kind} ")
    return is_whole or (words[0] == kind.split()[0] and words[-1] in REPORTS)


def _words(text: str) -> str:
    return re.sub(r"[\W\d_]+", " ", text).strip().casefold()


def _is_named(kind: str, words: str) -> bool:
    return kind in words or words in (kind.split()[0], f"{kind.split()[0]} note")


# ---------------------------------------------------------------------- sections

COMPLAINT, HISTORY, PAST_HISTORY = "complaint", "history", "past history"
FAMILY_HISTORY, SOCIAL_HISTORY = "family history", "social history"
ALLERGIES, MEDICATIONS = "allergies", "medications"
REVIEW, EXAMINATION, RESULTS = "review of systems", "examination", "results"
PROCEDURES, HOSPITAL_COURSE = "procedures", "hospital course"
DIAGNOSES, PLAN = "diagnoses", "plan"
ADMINISTRATIVE, OTHER = "administrative", "other"
KINDS = (
    COMPLAINT, HISTORY, PAST_HISTORY, FAMILY_HISTORY, SOCIAL_HISTORY, ALLERGIES, MEDICATIONS, REVIEW,
    EXAMINATION, RESULTS, PROCEDURES, HOSPITAL_COURSE, DIAGNOSES, PLAN, ADMINISTRATIVE, OTHER,
)  # fmt: skip

_WORDS = re.compile(r"[a-z0-9/&-]+")
_PARENTHESES = re.compile(r"\([^()]*\)")


def _plain_header(name: str) -> str:
    return " ".join(_WORDS.findall(_PARENTHESES.sub(" ", name).lower()))


_KIND_OF = {_plain_header(name): kind for name, kind in meanings("kinds", "section").items()}
_BEFORE = alternatives("kinds", "before the name of a section")
_BEHIND = alternatives("kinds", "behind the name of a section")
# "Final impression", "Assessment at discharge": what says no more than whose or when.
_AROUND = re.compile(rf"(?:(?:{_BEFORE}) ){{0,2}}(?P<name>[a-z&/ -]+?)(?: (?:{_BEHIND}))?")


def kind_named(header: str) -> str | None:
    """Return the kind of section that a header names; None where it is no header that is known."""
    plain = _plain_header(header)
    if plain in _KIND_OF:
        return _KIND_OF[plain]
    around = _AROUND.fullmatch(plain)
    return _KIND_OF.get(around["name"]) if around else None

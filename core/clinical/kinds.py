"""Kinds of notes and of their sections by name, and the kind and date that a file's name shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime

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

OF_RESULTS = ("Radiology report", "Pathology report", "Laboratory report")
"""Kinds that say what was found, and not how a stay went."""

REPORTS = ("note", "report", "summary")
_ALSO = {"ed": "emergency", "er": "emergency", "operative": "operation", "lab": "laboratory"}
# Other names of kinds; each is looked for as whole words, the first that is found counts.
_OTHER_NAMES: tuple[tuple[str, str], ...] = (
    ("discharge letter", "Discharge summary"),
    ("dc summary", "Discharge summary"),
    ("d c summary", "Discharge summary"),
    ("hospital discharge", "Discharge summary"),
    ("transfer summary", "Discharge summary"),
    ("history and physical", "Admission note"),
    ("h p", "Admission note"),
    ("admission history", "Admission note"),
    ("daily note", "Progress note"),
    ("soap note", "Progress note"),
    ("ward round", "Progress note"),
    ("consult", "Consultation"),
    ("op note", "Operation note"),
    ("op report", "Operation note"),
    ("surgical report", "Operation note"),
    ("procedure note", "Operation note"),
    ("ct", "Radiology report"),
    ("mri", "Radiology report"),
    ("x ray", "Radiology report"),
    ("xr", "Radiology report"),
    ("ultrasound", "Radiology report"),
    ("imaging report", "Radiology report"),
    ("biopsy report", "Pathology report"),
    ("histology", "Pathology report"),
    ("lab report", "Laboratory report"),
    ("labs", "Laboratory report"),
    ("triage note", "Emergency note"),
    ("emergency room", "Emergency note"),
    ("emergency department", "Emergency note"),
)
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
    found = [(day, match) for match in _DATE.finditer(stem) if (day := _written_day(stem, match))]
    day, match = max(found, default=(None, None), key=lambda pair: pair[0])
    rest = stem
    if match is not None:
        rest = f"{stem[: match.start()]} {stem[match.end() :]}"
    words = _words(rest)
    known = (kind for kind in NOTE_KINDS if _is_named(kind.casefold(), words))
    return next(known, "") or _other_name(words), day, rest.strip(" -_,.;")


def _written_day(stem: str, match: re.Match[str]) -> date | None:
    """Return the day that stands in a file's name, unless it is one of birth."""
    with suppress(ValueError):
        day = date(*map(int, match.groups()))
        is_old = day.year < datetime.now(UTC).year - OLDEST_NOTE_YEARS
        return None if is_old or _BIRTH.search(stem[: match.start()]) else day
    return None


def _other_name(words: str) -> str:
    padded = f" {words} "
    return next((kind for name, kind in _OTHER_NAMES if f" {name} " in padded), "")


def kind_of_stay(kind: str, title: str) -> str:
    """Return the kind of a note of a stay, by its kind or its title; "" of any other text."""
    found = kind if kind in NOTE_KINDS else note_of_file_name(title)[0]
    return "" if found in OF_RESULTS else found


def complete_kind(typed: str) -> str:
    """Return the one known kind that begins as was typed ("Discharge"), or else what was typed."""
    beginning = typed.strip().casefold()
    known = [kind for kind in NOTE_KINDS if beginning and kind.casefold().startswith(beginning)]
    return known[0] if len(known) == 1 else typed


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
    for name, kind in _OTHER_NAMES:
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
    """Return the words of a name, without digits and signs."""
    return re.sub(r"[\W\d_]+", " ", text).strip().casefold()


def _is_named(kind: str, words: str) -> bool:
    """Return whether the words have the name of a kind, or are its first word."""
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

_NAMES: Mapping[str, str] = {
    COMPLAINT: "chief complaint; complaint; complaints; presenting complaint; presenting complaints; "
    "reason for admission; reason for visit; reason for consultation; reason for consult; "
    "reason for referral; reason for exam; reason for this examination; reason for hospitalization; "
    "reason for hospitalisation; cc",
    HISTORY: "history; history of present illness; history of the present illness; present illness; "
    "hpi; clinical history; indication; indications; clinical information; interval history; "
    "subjective; history of presenting complaint; history of presenting illness; "
    "brief history; clinical indication; preoperative history; underlying medical condition",
    PAST_HISTORY: "past medical history; past history; medical history; past surgical history; "
    "surgical history; past medical and surgical history; past medical/surgical history; pmh; psh; "
    "pmhx; pmh/psh; previous medical history; past psychiatric history; psychiatric history; "
    "past obstetric history; obstetric history; birth history; comorbidities; "
    "past medical history/past surgical history; personal history",
    FAMILY_HISTORY: "family history; family medical history; fh; fhx; family hx; "
    "family psychiatric history",
    SOCIAL_HISTORY: "social history; sh; shx; habits; social and family history; "
    "occupational history; social hx; tobacco history; substance use; living situation",
    ALLERGIES: "allergies; allergy; drug allergies; allergies and adverse reactions; "
    "allergies/adverse reactions; adverse reactions; adverse drug reactions; medication allergies; "
    "known allergies",
    MEDICATIONS: "medications; medication; meds; current medications; home medications; "
    "medications on admission; admission medications; medications at home; discharge medications; "
    "medications on discharge; medications at discharge; medications prior to admission; drugs; "
    "medications on transfer; preadmission medications; outpatient medications; prescriptions; "
    "inpatient medications; transfer medications; regular medications; current treatment; "
    "treatment at home; medication changes",
    REVIEW: "review of systems; ros; systems review",
    EXAMINATION: "physical examination; physical exam; examination; exam; pe; vital signs; vitals; "
    "physical examination on admission; physical exam on admission; admission physical exam; "
    "discharge physical exam; physical exam on discharge; physical examination on discharge; "
    "objective; on examination; general examination; mental status examination; "
    "mental status exam; neurological examination; observations; admission exam; discharge exam; o/e",
    RESULTS: "results; pertinent results; laboratory data; laboratory results; laboratory; labs; "
    "laboratory studies; laboratory values; admission labs; discharge labs; imaging; studies; "
    "radiology; findings; radiographic studies; diagnostic studies; investigations; "
    "microbiology; pathology; pathology results; data; pertinent laboratory data; ecg; ekg; "
    "imaging studies; tests; laboratory findings; echocardiogram; microscopic description; "
    "gross description; blood tests; comparison; technique; labs on admission; "
    "labs on discharge; laboratory data on admission; relevant results",
    PROCEDURES: "procedures; procedure; operations; operation; major surgical or invasive procedure; "
    "major surgical or invasive procedures; procedures performed; procedure performed; "
    "operation performed; operations performed; surgical procedures; operations and procedures; "
    "operative procedure; description of procedure; operative findings; surgery; "
    "procedure in detail; anesthesia; anaesthesia; operative technique; operative note",
    HOSPITAL_COURSE: "course; course by system; hospital course; brief hospital course; summary of hospital course; "
    "hospital course by system; hospital course by problem; clinical course; course in hospital; "
    "course of illness; hospital course and treatment; emergency department course; ed course; "
    "concise summary of hospital course by issue/system; postoperative course; evolution; "
    "summary of hospital course by systems; progress; course during admission",
    DIAGNOSES: "diagnosis; diagnoses; dx; dx list; discharge dx; final dx; diagnosis list; discharge diagnosis; discharge diagnoses; final diagnosis; "
    "final diagnoses; admission diagnosis; admitting diagnosis; admission diagnoses; "
    "principal diagnosis; primary diagnosis; secondary diagnoses; secondary diagnosis; "
    "primary diagnoses; other diagnoses; preoperative diagnosis; postoperative diagnosis; "
    "impression; assessment; assessment and plan; assessment/plan; a/p; problem list; problems; "
    "active problems; conclusion; conclusions; active issues; chronic issues; "
    "past diagnoses; active diagnoses; complications; clinical impression",
    PLAN: "plan; recommendations; discharge instructions; instructions; followup; follow up; "
    "follow-up; followup instructions; follow-up instructions; discharge plan; "
    "recommended follow-up; recommended followup; discharge disposition; disposition; "
    "discharge condition; condition on discharge; condition at discharge; "
    "transitional issues; follow-up plans; treatment plan; code status; discharge status; management",
    ADMINISTRATIVE: "admission date; discharge date; date of birth; date of admission; "
    "date of discharge; sex; gender; age; service; attending; attending physician; name; unit no; "
    "medical record number; mrn; dictated by; signed by; electronically signed by; completed by; "
    "facility; provider; date; department; ward; author; patient name; patient id; "
    "date of operation; surgeon; assistant; date of procedure; date of visit; "
    "dictated; transcribed; job id; jobid; addendum; consultant; "
    "admitted; discharged; primary care physician; referring physician",
}  # fmt: skip
_WORDS = re.compile(r"[a-z0-9/&-]+")
_PARENTHESES = re.compile(r"\([^()]*\)")


def _plain(name: str) -> str:
    """Return a header in small letters, without what stands in parentheses."""
    return " ".join(_WORDS.findall(_PARENTHESES.sub(" ", name).lower()))


_KIND_OF = {_plain(name): kind for kind, names in _NAMES.items() for name in names.split(";")}


def kind_named(header: str) -> str | None:
    """Return the kind of section that a header names; None where it is no header that is known."""
    return _KIND_OF.get(_plain(header))

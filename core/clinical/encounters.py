"""Encounters: documents of several clinical notes, each with a kind, a date and its sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import PurePosixPath
from typing import NamedTuple

from core.clinical.kinds import (
    ADMINISTRATIVE,
    NOTE,
    kind_of_heading,
    known_kind,
    note_of_file_name,
    parts_of_file_name,
)
from core.clinical.names.tables import meanings, phrases_by_meaning
from core.clinical.sections import Section, sections
from core.clinical.stay import (
    AMBULATORY_SURGERY,
    EMERGENCY,
    INPATIENT,
    NO_STAY,
    OBSERVATION,
    Stay,
    is_future,
    read_day,
    stay_of,
)
from core.documents.document import Document, Heading, Part
from core.documents.plain_text import is_text, tidy_text
from core.errors import DocumentError

SECTION_LEVEL = 2
LIST_SIGNS = " \t#*•-.)0123456789"
MAX_LIST_SIGNS = 200
MAX_NOTES = 200
MAX_KIND_CHARACTERS = 100
MAX_TITLE_CHARACTERS = 2_000
NOTES_FIELD = "notes"
# What a note may be called in JSON beside the names of its fields.
FIELD_NAMES = {
    "kind": ("kind", "type", "category"),
    "date": ("date", "chartdate", "written"),
    "title": ("title", "description", "heading"),
    "text": ("text", "note", "content", "body"),
}


@dataclass(frozen=True, slots=True)
class Note:
    """One note as a person or a file gives it.

    Attributes:
        kind: such as "Discharge summary"; "" where it is unknown.
    """

    text: str
    kind: str = ""
    date: date | None = None
    title: str = ""


def encounter(
    document_id: str, title: str, notes: Iterable[Note], *, stay: Stay | None = None
) -> Document:
    """Return a document with a part for each note that has a text, in the order given.

    Without a title, it is called by its first note, as "Discharge summary, 3 March 2026". A text in
    the place of the title, without any note, is its note.

    Raises:
        DocumentError: there is nothing to read, a note is no text, or there are too many.
    """
    parts = [_part(note, number) for number, note in enumerate(notes, start=1)]
    parts = [part for part in parts if part.text]
    if not parts and is_text(title):
        parts, title = [_part(Note(title), 1)], ""
    title = " ".join(tidy_text("The title", title).split())[:MAX_TITLE_CHARACTERS]
    if len(parts) > MAX_NOTES:
        raise DocumentError(f"An encounter has {len(parts)} notes; {MAX_NOTES} are the most.")
    if not parts and not title:
        raise DocumentError("There is nothing to read yet: write a note, or give a title.")
    return Document(document_id, title or note_name(parts[0]), tuple(parts), stay)


def cut_names(title: str, notes: Iterable[Note]) -> tuple[str, ...]:
    """Return a sentence on each title and kind that an encounter does not keep as a whole."""
    named = [("The title", title, MAX_TITLE_CHARACTERS)]
    for number, note in enumerate(notes, start=1):
        named.append((f"The kind of note {number}", note.kind, MAX_KIND_CHARACTERS))
        named.append((f"The title of note {number}", note.title, MAX_TITLE_CHARACTERS))
    return tuple(
        f"{name} has {len(text):,} characters, and was cut after {most:,}."
        for name, text, most in named
        if len(text.strip()) > most
    )


def encounter_of(
    fields: Mapping[str, object], document_id: str
) -> tuple[Document, tuple[str, ...]]:
    """Return an encounter from JSON, of `title`, `notes`, and what `stay_of` reads; and what was cut.

    A note has kind, date, title and text.

    Raises:
        DocumentError: says which note is wrong, and in what.
    """
    title, given = fields.get("title"), fields.get(NOTES_FIELD)
    if not isinstance(title, str | None):
        raise DocumentError("the title must be text")
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise DocumentError("notes must be a list of notes, each with a text")
    notes = [_note(note, number) for number, note in enumerate(given, start=1)]
    read = encounter(document_id, title or "", notes, stay=stay_of(fields))
    return read, cut_names(title or "", notes)


def note_file(name: str, text: str) -> Note:
    """Return a note from a file, which may be called `2026-03-12 Discharge summary.txt`.

    Where neither it nor the heading says a kind, the rest of the name is the title of the note.
    """
    kind, day, rest = parts_of_file_name(PurePosixPath(name).stem)
    kind = kind or kind_of_heading(text)
    return Note(text, kind, day, "" if kind else rest)


def with_sections(document: Document, name: str = "") -> Document:
    """Return a document as an encounter of one note: what was read from a text, page or file.

    A first line that was taken for its title goes back into the text where it heads a section, or
    was cut.

    Args:
        name: of the file; it is the title where the first line is not.
    """
    kind, day = note_of_file_name(PurePosixPath(name).stem)
    title, text = document.title, document.text
    kind = kind or kind_of_heading(title)
    if _is_cut(title, text) or sections(title):
        title, text = name, whole_text(title, text)
    return encounter(document.document_id, title, [Note(text, kind, day)], stay=document.stay)


def whole_text(title: str, text: str, between: str = "\n") -> str:
    """Return a text with its first line, which was taken for its title."""
    return text if _is_cut(title, text) else f"{title}{between}{text}".strip()


def _is_cut(title: str, text: str) -> bool:
    """Return whether the title is the beginning of a paragraph that stands in the text as well."""
    return title.endswith(" …") and text.startswith(title.removesuffix(" …"))


def future_days(document: Document) -> list[str]:
    """Return a sentence on each date of an encounter that is still to come.

    They are kept: dates of text without names are often shifted into the future.
    """
    dated = [(note_name(part), part.date) for part in document.parts if part.date]
    stay = document.stay or Stay()
    dated += [(name, day) for name, day in (
        ("The admission", stay.admitted), ("The discharge", stay.discharged)
    ) if day]  # fmt: skip
    return [
        f"{name}: the date {day} is still to come; check the year."
        for name, day in dated
        if is_future(day)
    ]


def last_day(document: Document) -> date | None:
    """Return the last day that an encounter names, of its notes or of its stay."""
    stay = document.stay or Stay()
    days = (*(part.date for part in document.parts), stay.admitted, stay.discharged)
    return max((day for day in days if day), default=None)


def note_name(part: Part) -> str:
    """Return what a note is called: its kind, its date, and its title if it has one."""
    first = ", ".join(filter(None, (name_of_kind(part), name_of_day(part))))
    return f"{first}: {part.title}" if part.title else first


def is_called_by_note(document: Document) -> bool:
    """Return whether the title of an encounter is the name of its first note, with a day or without."""
    part = next(iter(document.parts), None)
    return part is not None and document.title in (note_name(part), name_of_kind(part))


def name_of_kind(part: Part) -> str:
    """Return the kind of a note, with a capital."""
    return part.kind[:1].upper() + part.kind[1:]


def name_of_day(part: Part) -> str:
    """Return the date of a note, as "3 March 2026"; "" where it has none."""
    return name_of_date(part.date)


def name_of_date(day: date | None) -> str:
    """Return a date as "3 March 2026"; "" for none."""
    return f"{day.day} {day:%B %Y}" if day else ""


def section_headings(text: str, note_sections: Iterable[Section]) -> tuple[Heading, ...]:
    """Return the section headers that are drawn: those of substance, at the start of a line."""
    return tuple(
        Heading(section.start, section.body, SECTION_LEVEL)
        for section in note_sections
        if section.kind != ADMINISTRATIVE
        and not _line_before(text, section.start).strip(LIST_SIGNS)
    )


def _line_before(text: str, at: int) -> str:
    """Return what stands before a place in its line, as far as the signs of a list may reach."""
    return text[max(0, at - MAX_LIST_SIGNS) : at].rpartition("\n")[2]


def _part(note: Note, number: int) -> Part:
    text = tidy_text(f"Note {number}", note.text)
    kind = " ".join(tidy_text(f"The kind of note {number}", note.kind).split())
    kind = kind or kind_of_heading(text) or NOTE
    title = " ".join(tidy_text(f"The title of note {number}", note.title).split())
    headings = section_headings(text, sections(text))
    return Part(text, kind[:MAX_KIND_CHARACTERS], note.date, title[:MAX_TITLE_CHARACTERS], headings)


def _note(given: object, number: int) -> Note:
    """Return a note as JSON has it: an object, or a text alone."""
    if isinstance(given, str):
        given = {"text": given}
    if not isinstance(given, Mapping):
        raise DocumentError(f"note {number} is neither an object nor a text")
    values = {field: _text(given, field, number) for field in FIELD_NAMES}
    if not values["text"].strip():
        raise DocumentError(f"note {number} has no text")
    day = read_day(values.pop("date"), f"the date of note {number}")
    return Note(values["text"], values["kind"], day, values["title"])


def _text(given: Mapping[str, object], field: str, number: int) -> str:
    values = [given[name] for name in FIELD_NAMES[field] if given.get(name) is not None]
    value = values[0] if values else ""
    if not isinstance(value, str):
        raise DocumentError(f"the {field} of note {number} must be text")
    return value.encode("utf-8", "replace").decode("utf-8")


# ---------------------------------------------------------------------- its class

OF_KINDS = meanings("classes", "class of a kind of note")
OF_KINDS_ALONE = meanings("classes", "class of a kind of note alone")
_WORDS = phrases_by_meaning("classes", "words of a class")
OPERATION = "Operation note"
LEAST_NIGHTS = 2  # of an inpatient; of one night, notes have to say which it was
MAX_CHARACTERS = 20_000  # of a note, in which words of a class are looked for


class GuessedClass(NamedTuple):
    """A class with what speaks for it; both "" where nothing does."""

    name: str = ""
    reason: str = ""


def guessed_class(document: Document) -> GuessedClass:
    """Return the class that kinds of notes, words in them and the stay suggest."""
    stay = document.stay or NO_STAY
    kinds = [known_kind(part.kind) for part in document.parts]
    if not any(kinds):  # a note that was pasted alone is called so by its title
        kinds = [known_kind(document.title)]
    nights = (stay.discharged - stay.admitted).days if stay.discharged and stay.admitted else None
    if nights is not None and nights >= LEAST_NIGHTS:
        return GuessedClass(INPATIENT, f"a stay of {nights} nights")
    stated = _said(document)
    for name in (OBSERVATION, AMBULATORY_SURGERY):
        if name in stated:
            return GuessedClass(name, f"“{stated[name]}”")
    of_kinds = {OF_KINDS[kind]: kind for kind in reversed(kinds) if kind in OF_KINDS}
    for name in (INPATIENT, *of_kinds):
        if name in of_kinds:
            return GuessedClass(name, of_kinds[name])
    if OPERATION in kinds and nights == 0:
        return GuessedClass(AMBULATORY_SURGERY, "an operation note of a single day")
    name = next((name for name in (INPATIENT, EMERGENCY, *stated) if name in stated), "")
    if name:
        return GuessedClass(name, f"“{stated[name]}”")
    alone = OF_KINDS_ALONE.get(kinds[0], "") if not nights and len(set(kinds)) == 1 else ""
    return GuessedClass(alone, f"{kinds[0].lower()} alone") if alone else GuessedClass()


def with_class(stay: Stay | None, document: Document) -> Stay:
    """Return a stay with its class, guessed where nobody has said it."""
    stay = stay or NO_STAY
    return stay if stay.encounter_class else replace(stay, encounter_class=guess(document))


def guess(document: Document) -> str:
    """Return the name of the guessed class alone."""
    return guessed_class(document).name


def _said(document: Document) -> dict[str, str]:
    """Return the first words that say each class."""
    text = "\n".join((document.title, *(part.text[:MAX_CHARACTERS] for part in document.parts)))
    matches = {name: words.search(text) for name, words in _WORDS.items()}
    return {name: match.group() for name, match in matches.items() if match}

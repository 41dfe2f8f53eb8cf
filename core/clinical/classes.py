"""The class of an encounter as its notes and its stay suggest it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from core.clinical.names.tables import meanings, phrases_by_meaning
from core.clinical.stay import (
    AMBULATORY_SURGERY,
    EMERGENCY,
    INPATIENT,
    NO_STAY,
    OBSERVATION,
    Stay,
)
from core.documents.document import Document

OF_KINDS = meanings("classes", "class of a kind of note")
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
    kinds = [part.kind for part in document.parts]
    nights = (stay.discharged - stay.admitted).days if stay.discharged and stay.admitted else None
    if nights is not None and nights >= LEAST_NIGHTS:
        return GuessedClass(INPATIENT, f"a stay of {nights} nights")
    said = _said(document)
    for name in (OBSERVATION, AMBULATORY_SURGERY):
        if name in said:
            return GuessedClass(name, f"“{said[name]}”")
    of_kinds = {OF_KINDS[kind]: kind for kind in reversed(kinds) if kind in OF_KINDS}
    for name in (INPATIENT, *of_kinds):
        if name in of_kinds:
            return GuessedClass(name, of_kinds[name])
    if OPERATION in kinds and nights == 0:
        return GuessedClass(AMBULATORY_SURGERY, "an operation note of a single day")
    name = next((name for name in (INPATIENT, EMERGENCY, *said) if name in said), "")
    return GuessedClass(name, f"“{said[name]}”") if name else GuessedClass()


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
    found = {name: words.search(text) for name, words in _WORDS.items()}
    return {name: match.group() for name, match in found.items() if match}

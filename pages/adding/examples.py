"""Invented documents, which show a newcomer a result."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.documents.clinical.encounters import encounter, note_file
from core.documents.document import Document
from core.documents.intake import read_text
from core.settings import PROJECT_ROOT

EXAMPLES = PROJECT_ROOT / "assets" / "examples"
ENCOUNTERS = EXAMPLES / "encounters"
SUBJECTS, CODES = "subjects.json", "codes.json"


@dataclass(frozen=True, slots=True)
class Example:
    """An invented document.

    Attributes:
        path: a text file, or a folder with a file for each note of an encounter.
    """

    document_id: str
    subject: str
    path: Path

    def document(self) -> Document:
        """Return what opening it puts on the page."""
        if self.path.is_dir():
            files = sorted(self.path.glob("*.txt"))
            notes = [note_file(file.name, file.read_text("utf-8")) for file in files]
            return encounter(self.document_id, self.subject, notes)
        return read_text(self.path.name, self.path.read_bytes()).document(self.document_id)


@cache
def examples(*, clinical: bool = False) -> tuple[Example, ...]:
    """Return the examples for acts or for encounters, in the order of their file names."""
    if clinical:
        given = json.loads((ENCOUNTERS / CODES).read_text("utf-8"))
        return tuple(
            Example(f"example-{name}", given[name]["subject"], ENCOUNTERS / name)
            for name in sorted(given)
        )
    subjects = json.loads((EXAMPLES / SUBJECTS).read_text("utf-8"))
    return tuple(
        Example(f"example-{path.stem}", subjects[path.stem], path)
        for path in sorted(EXAMPLES.glob("*.txt"))
    )

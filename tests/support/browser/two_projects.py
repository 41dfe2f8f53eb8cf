"""Documents of two projects with two vocabularies."""

from __future__ import annotations

from core.documents.document import Document

PROJECT_NOTES = [
    Document.from_text(f"note-{n}", f"Visit {n}", "Lobar pneumonia.") for n in range(3)
]

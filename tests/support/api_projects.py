"""Documents of two projects."""

from __future__ import annotations

from core.documents.document import Document

PROJECT_ACT = Document.from_text("act", "On herring", "Herring and sole.")


PROJECT_NOTE = Document.from_text("note", "Visit", "Lobar pneumonia.")

"""The document whose suggestions the routes explain."""

from __future__ import annotations

from core.documents.document import Document

HERRING_ACT = Document.from_text(
    "act", "𐍈 Fishing quota", "The quota of 😀 herring.\n\nSole, and quota."
)

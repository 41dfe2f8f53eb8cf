"""Acts that read alike, and others."""

from __future__ import annotations

from core.documents.document import Document

SIMILAR_ACTS = {
    "herring": Document.from_text("herring", "Herring quotas", "Vessels catch herring at sea."),
    "cod": Document.from_text("cod", "Cod quotas", "Vessels catch cod at sea in the bay."),
    "trains": Document.from_text(
        "trains", "Train tickets", "Passengers travel by high-speed train."
    ),
}

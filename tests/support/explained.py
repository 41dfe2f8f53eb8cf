"""The document that is explained."""

from __future__ import annotations

from core.documents.document import Document

FISH = Document.from_text(
    "1",
    "Regulation on the fish quota No 12/2016",
    "The 𐍈 😀 fish quota of the bay. İ fish, fish quota!\n\nBay No 7/1999 honey " * 9,
)

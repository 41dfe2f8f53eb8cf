"""The unit that is indexed: a document with a title and one or more parts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a document: an act's body, an annex, one note of an encounter."""

    text: str
    kind: str = "body"
    date: date | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What decisions belong to; evidence belongs to one of its parts."""

    document_id: str
    title: str
    parts: tuple[Part, ...]

    @classmethod
    def from_text(cls, document_id: str, title: str, text: str) -> Document:
        """A document of one part, or of none where only the title is known."""
        parts = (Part(text),) if text.strip() else ()
        return cls(document_id, title.strip(), parts)

    @property
    def text(self) -> str:
        """All parts in order, without the title, separated by an empty line."""
        return "\n\n".join(part.text for part in self.parts)

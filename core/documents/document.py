"""The unit that is indexed: a document with a title and one or more parts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date

from core.clinical.stay import Stay
from core.documents.plain_text import plain_letters

PART_BREAK = "\n\n"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of a part's text that names what follows it.

    Attributes:
        start, end: code-point offsets into the text of the part.
        level: 1 = most general (a title or chapter), then sections, articles …
    """

    start: int
    end: int
    level: int


@dataclass(frozen=True, slots=True)
class Part:
    """One text of a document: an act's body, an annex, one note of an encounter.

    Attributes:
        kind: "body", "annex" …
        title: what the part is called, such as "Annex II"; it also stands in the text where the
            document has it there.
        headings: in the order of the text, none inside another.
    """

    text: str
    kind: str = "body"
    date: date | None = None
    title: str = ""
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What decisions belong to; evidence belongs to one of its parts.

    Attributes:
        stay: of an encounter, as far as it is known; None of any other document.
    """

    document_id: str
    title: str
    parts: tuple[Part, ...]
    stay: Stay | None = None

    @classmethod
    def from_text(cls, document_id: str, title: str, text: str) -> Document:
        """Return a document of one part, or of none where only the title is known."""
        title, text = plain_letters(title), plain_letters(text)
        parts = (Part(text),) if text.strip() else ()
        return cls(document_id, title.strip(), parts)

    @property
    def text(self) -> str:
        """All parts in order, without the title, separated by an empty line."""
        return PART_BREAK.join(part.text for part in self.parts)


def fingerprint(document: Document) -> str:
    """Return what changes where a document's title or text does, and with nothing else."""
    digest = hashlib.sha256()
    for text in (document.title, document.text):
        encoded = text.encode("utf-8", errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()

"""What a person pastes or uploads, as a title and parts that can be indexed."""

from __future__ import annotations

from dataclasses import dataclass

from core.documents.document import PART_BREAK, Document, Part
from core.documents.language import (
    EU_LANGUAGES,
    MIN_LANGUAGE_CHARACTERS,
    identify_language,
    language_warning,
)
from core.documents.plain_text import GUESSED_ENCODING, decode_text, split_title, tidy_text
from core.documents.structure import parts_of
from core.errors import DocumentError

__all__ = [
    "EU_LANGUAGES",
    "MIN_LANGUAGE_CHARACTERS",
    "Intake",
    "identify_language",
    "language_warning",
    "read_pasted",
    "read_text",
    "split_title",
]

MAX_TITLE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Intake:
    """A text that can be indexed, with its title.

    Attributes:
        notes: sentences that the person should read, such as that an encoding was guessed.
    """

    title: str
    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All parts, as `Document.text` joins them."""
        return PART_BREAK.join(part.text for part in self.parts)

    def document(self, document_id: str = "") -> Document:
        """Return the document of this id."""
        return Document(document_id, self.title, self.parts)


def read_pasted(title: str, text: str) -> Intake:
    """Tidy what was typed; without a title, a short first line becomes the title.

    Raises:
        DocumentError: there is nothing to read, or it is not text.
    """
    title, text = " ".join(tidy_text("The title", title).split()), tidy_text("The text", text)
    if not title and not text:
        raise DocumentError("There is nothing to read yet: paste a text, or give a title.")
    if not title:
        title, text = split_title(text)
    return Intake(title[:MAX_TITLE_CHARACTERS], parts_of(text))


def read_text(name: str, content: bytes) -> Intake:
    """Read a text file in UTF-8, UTF-16 or Windows-1252; its first line is the title.

    Raises:
        DocumentError: it is empty, or not plain text.
    """
    text, guessed = decode_text(content)
    text = tidy_text(name, text)
    if not text:
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    title, rest = split_title(text)
    return Intake(title, parts_of(rest), (GUESSED_ENCODING,) if guessed else ())

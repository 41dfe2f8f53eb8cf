"""What a person pastes or uploads, as a title and parts that can be indexed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.documents.acts import FIRST_LINE_TITLE, find_title
from core.documents.copied_text import as_published
from core.documents.document import PART_BREAK, Document, Part
from core.documents.plain_text import GUESSED_ENCODING, decode_text, is_text, tidy_text
from core.documents.structure import parts_of
from core.errors import DocumentError

MAX_TITLE_CHARACTERS = 2_000
MAX_ID_CHARACTERS = 200
MARKDOWN, HEADING_SIGNS = ".md", re.compile(r"^#{1,6}[ \t]+", re.MULTILINE)
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
UNREADABLE_TITLE = (
    "The title has characters that cannot be read: type it, or paste it as plain text."
)
CUT_TITLE = (
    f"A title of more than {MAX_TITLE_CHARACTERS:,} characters was cut there. If it is a text, put it "
    "into the field or column for the text."
)


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

    @property
    def encounter_notes(self) -> tuple[str, ...]:
        """The notes of an encounter, which is called by its file and not by its first line."""
        return tuple(note for note in self.notes if note != FIRST_LINE_TITLE)

    def document(self, document_id: str = "") -> Document:
        """Return the document of this id."""
        return Document(document_id, self.title, self.parts)


def read_pasted(title: str, text: str) -> Intake:
    """Tidy a typed text; a missing title is taken from the act's heading or the first line.

    What stands in the place of a title and is a text is taken for the text.

    Raises:
        DocumentError: there is nothing to read, or it is not text.
    """
    title, text = title.strip(), tidy_text("The text", text)
    if not text and is_text(title):
        title, text = "", tidy_text("The text", title)
    title = title_line(title)
    if not title and not text:
        raise DocumentError("There is nothing to read yet: paste a text, or give a title.")
    text = as_published(text)
    if not title:
        return _titled(text)
    notes = (CUT_TITLE,) if len(title) > MAX_TITLE_CHARACTERS else ()
    return Intake(title[:MAX_TITLE_CHARACTERS], parts_of(text), notes)


def read_id(typed: str) -> str:
    """Tidy an id that was typed; "" where none was.

    Raises:
        DocumentError: it is too long, or not text.
    """
    document_id = " ".join(tidy_text("The id", typed).split())
    if len(document_id) > MAX_ID_CHARACTERS:
        raise DocumentError(
            f"The id has {len(document_id):,} characters; at most {MAX_ID_CHARACTERS} are kept."
        )
    return document_id


def read_title(typed: str) -> str:
    """Tidy a title that is to take the place of another.

    Raises:
        DocumentError: there is none, it is too long, or it is not text.
    """
    title = title_line(typed)
    if not any(c.isprintable() and not c.isspace() for c in title):
        raise DocumentError("A document needs a title: type one, or keep the title that it has.")
    if len(title) > MAX_TITLE_CHARACTERS:
        raise DocumentError(
            f"The title has {len(title):,} characters; at most {MAX_TITLE_CHARACTERS:,} are kept."
        )
    return title


def title_line(title: str) -> str:
    """Return a title in one line; "" for one that has nothing in it.

    Raises:
        DocumentError: it is not text.
    """
    try:
        return " ".join(tidy_text("The title", title).split())
    except DocumentError as error:
        raise DocumentError(UNREADABLE_TITLE) from error


def read_text(name: str, content: bytes) -> Intake:
    """Read a text file in UTF-8, UTF-16 or Windows-1252, as a text without a title.

    Raises:
        DocumentError: it is empty, or not plain text.
    """
    text, guessed = decode_text(content)
    text = tidy_text(name, text)
    if not text:
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    if name.lower().endswith(MARKDOWN):
        pieces = FENCED.split(text)  # every other one is code, in which the sign begins a comment
        pieces[::2] = [HEADING_SIGNS.sub("", piece) for piece in pieces[::2]]
        text = "".join(pieces)
    return _titled(as_published(text), (GUESSED_ENCODING,) if guessed else ())


def _titled(text: str, notes: tuple[str, ...] = ()) -> Intake:
    title_found = find_title(text)
    if title_found.is_first_line:
        notes = (*notes, FIRST_LINE_TITLE)
    return Intake(title_found.title, parts_of(title_found.rest), notes)

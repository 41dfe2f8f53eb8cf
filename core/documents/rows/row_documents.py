"""Documents from the fields `id`, `title`, and `text`, `notes` or `parts` of a row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeGuard

from core.clinical.encounters import NOTES_FIELD, encounter_of
from core.clinical.sections import sections
from core.clinical.stay import read_day
from core.documents.acts import find_title
from core.documents.copied_text import as_published
from core.documents.document import Document, Part
from core.documents.intake import title_line
from core.documents.plain_text import is_text, tidy_text
from core.documents.rows.records import BadLine
from core.documents.structure import BODY, stated_part
from core.errors import DocumentError

PARTS_FIELD = "parts"  # of an act, as it was exported
ID_FIELDS = ("id", "document_id")  # what an export calls it is read again
NO_TEXT = "neither title nor text"


@dataclass(frozen=True, slots=True)
class InputDocument:
    """A document as a batch names it.

    Attributes:
        given_id: as it stands in the file, so that a number stays a number in the output.
        is_first_line: whether the title is the first line, for want of another.
        said: sentences on what of the row was cut, or of the file not read.
    """

    given_id: str | int | float
    document: Document
    is_first_line: bool = False
    said: tuple[str, ...] = ()

    def remarks(self) -> list[str]:
        """Return `said` as lines that name the document."""
        return [f"{self.given_id}: {sentence}\n" for sentence in self.said]


def document_of(
    fields: Mapping[str, object], *, default_id: str | int, where: str
) -> InputDocument | BadLine:
    """Return a document from the fields `id`, `title` and `text`, or what is wrong with them.

    The id may be called `document_id` as well. Without a title, that of an act's heading is taken,
    or else the first line. With `notes` in place of the text, it is an encounter; with `parts`, it
    has these.
    """
    named = (fields.get(name) for name in ID_FIELDS)
    given_id = next((value for value in named if value is not None), default_id)
    title = "" if fields.get("title") is None else fields["title"]
    text = "" if fields.get("text") is None else fields["text"]
    if not _is_id(given_id):
        return BadLine(where, "the id is neither text nor a number")
    if fields.get(NOTES_FIELD) is not None and not fields.get("text"):
        return _encounter(fields, given_id, where)
    if isinstance(parts := fields.get(PARTS_FIELD), list) and parts and not text:
        return _in_parts(parts, given_id, str(title), where)
    if not isinstance(title, str) or not isinstance(text, str):
        return BadLine(where, "title and text must be text")
    title, text = without_lone_surrogates(title), without_lone_surrogates(text)
    if not text.strip() and is_text(title):
        title, text = "", title
    # As on the page, so that both suggest the same for the same text.
    try:
        title, text = title_line(title), as_published(tidy_text("The text", text))
    except DocumentError as error:
        return BadLine(where, str(error))
    if not title and not text:
        return BadLine(where, NO_TEXT)
    if title:
        return InputDocument(given_id, Document.from_text(str(given_id), title, text))
    title_found = find_title(text)
    # The name of a section of a note, such as FAMILY HISTORY, says what follows it, as on the page.
    rest = text if title_found.is_first_line and sections(title_found.title) else title_found.rest
    document = Document.from_text(str(given_id), title_found.title, rest)
    return InputDocument(given_id, document, title_found.is_first_line)


def _encounter(
    fields: Mapping[str, object], given_id: str | int | float, where: str
) -> InputDocument | BadLine:
    try:
        document, remark = encounter_of(fields, str(given_id))
    except DocumentError as error:
        return BadLine(where, str(error))
    return InputDocument(given_id, document, said=remark)


def _in_parts(
    given: list[object], given_id: str | int | float, title: str, where: str
) -> InputDocument | BadLine:
    """Return a document with these parts; without a title, as one that is a text alone."""
    try:
        parts = tuple(_part(part, number) for number, part in enumerate(given, start=1))
    except DocumentError as error:
        return BadLine(where, str(error))
    document = Document(str(given_id), " ".join(without_lone_surrogates(title).split()), parts)
    if not document.title:
        title_found = find_title(document.text)
        return InputDocument(
            given_id, replace(document, title=title_found.title), title_found.is_first_line
        )
    return InputDocument(given_id, document)


def _part(given: object, number: int) -> Part:
    values = given if isinstance(given, Mapping) else {}
    text, kind, title, day = (values.get(name) or "" for name in ("text", "kind", "title", "date"))
    if not (isinstance(text, str) and isinstance(kind, str) and isinstance(title, str)):
        raise DocumentError(f"kind, title and text of part {number} must be text")
    tidy = tidy_text(f"Part {number}", without_lone_surrogates(text))
    if not tidy:
        raise DocumentError(f"part {number} has no text")
    part = stated_part(tidy, kind or BODY, without_lone_surrogates(title))
    return replace(part, date=read_day(str(day), f"the date of part {number}"))


def _is_id(value: object) -> TypeGuard[str | int | float]:
    """Return whether this can be written out again as it came."""
    if isinstance(value, str):
        return without_lone_surrogates(value) == value
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def without_lone_surrogates(text: str) -> str:
    """Text with the halves of surrogate pairs replaced, which JSON can name but UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")

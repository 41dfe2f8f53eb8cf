"""OpenDocument texts (.odt), read from their XML without entities or network."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from core.documents.archives import opened, read_member
from core.documents.intake import Intake
from core.documents.readers.blocks import intake_of, spaced
from core.documents.structure import Block
from core.errors import DocumentError

TEXT_MEDIA_TYPES = (
    "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.text-template",
)
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
HEADING, PARAGRAPH, ROW = f"{TEXT}h", f"{TEXT}p", f"{TABLE}table-row"
DROPPED = {f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation", f"{OFFICE}forms"}
TEXT_BOX = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}text-box"
NOTE_BODY = f"{TEXT}note-body"
TITLE_STYLE = "Title"
MAX_SPACES = 20  # a single element may ask for as many as it likes


def read(name: str, content: bytes) -> Intake:
    """Title, text and headings of an OpenDocument text.

    Raises:
        DocumentError: it is a spreadsheet or presentation, is locked, damaged or too large.
    """
    with opened(name, content) as archive:
        media_type = read_member(name, archive, "mimetype").decode("ascii", "replace").strip()
        if media_type not in TEXT_MEDIA_TYPES:
            raise DocumentError(
                f"{name} is an OpenDocument file, but no text. Save a table as CSV, "
                "or anything else as PDF, and add that."
            )
        if "META-INF/manifest.xml" in archive.namelist():
            _refuse_locked(name, read_member(name, archive, "META-INF/manifest.xml"))
        root = _parsed(name, read_member(name, archive, "content.xml"))
    body = root.find(f"{OFFICE}body/{OFFICE}text")
    if body is None:
        raise DocumentError(f"{name} is damaged: open it, save it again, and add that.")
    return intake_of(name, [*_blocks(body), *_notes(body)])


def _refuse_locked(name: str, manifest: bytes) -> None:
    if b"encryption-data" in manifest:
        raise DocumentError(
            f"{name} is protected by a password. Save a copy without it, and add that."
        )


def _parsed(name: str, xml: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(xml, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentError(f"{name} is damaged: open it, save it again, and add that.") from error


def _blocks(container: etree._Element) -> Iterator[Block]:
    for element in container:
        if element.tag in DROPPED or not isinstance(element.tag, str):
            continue
        if element.tag in (HEADING, PARAGRAPH):
            if text := spaced("".join(_text(element))):
                yield Block(text, _level(element))
            yield from _boxed(element)
        elif element.tag == ROW:
            cells = [spaced(" ".join(block.text for block in _blocks(cell))) for cell in element]
            if any(cells):
                yield Block(" | ".join(cell for cell in cells if cell))
        else:
            yield from _blocks(element)


def _boxed(element: etree._Element) -> Iterator[Block]:
    """Yield what stands in the text boxes of a paragraph; those in a box are found in it."""
    for child in element:
        if child.tag == TEXT_BOX:
            yield from _blocks(child)
        elif child.tag not in DROPPED:
            yield from _boxed(child)


def _notes(body: etree._Element) -> Iterator[Block]:
    for note in body.iter(NOTE_BODY):
        if text := spaced(" ".join("".join(_text(p)) for p in note.iter(PARAGRAPH))):
            yield Block(text)


def _level(element: etree._Element) -> int:
    if element.get(f"{TEXT}style-name") == TITLE_STYLE:
        return 1
    stated = element.get(f"{TEXT}outline-level", "1")
    return (int(stated) if stated.isdigit() else 1) if element.tag == HEADING else 0


def _text(element: etree._Element) -> Iterator[str]:
    """Yield the visible text, with spaces, tabs and line breaks that are elements of their own."""
    yield element.text or ""
    for child in element:
        if child.tag == f"{TEXT}s":
            stated = child.get(f"{TEXT}c", "1")
            yield " " * min(int(stated) if stated.isdigit() else 1, MAX_SPACES)
        elif child.tag in (f"{TEXT}tab", TEXT_BOX):  # a text box is a text of its own
            yield " "
        elif child.tag == f"{TEXT}line-break":
            yield "\n"
        elif child.tag not in DROPPED and isinstance(child.tag, str):
            yield from _text(child)
            yield " " if child.tag == PARAGRAPH else ""  # of a drawn shape
        yield child.tail or ""

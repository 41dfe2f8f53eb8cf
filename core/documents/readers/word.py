"""Word documents (.docx), with their headings, lists and tables."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import docx
from docx.document import Document as DocxDocument
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from lxml.etree import XMLSyntaxError, _Element

from core.boundaries import DOCUMENT_ARCHIVES
from core.documents.archives import opened
from core.documents.intake import Intake
from core.documents.readers.blocks import intake_of, spaced
from core.documents.structure import Block
from core.errors import DocumentError

TITLE_STYLES = {"Title"}
HEADING_STYLE = "Heading "
BODY_OUTLINE_LEVEL = 9  # what Word writes where a paragraph is none of nine headings
PARAGRAPH, TABLE, ROW, CELL = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc")
# Text that was taken out with changes tracked, or stands a second time for older programs.
DROPPED = {
    qn("w:del"),
    qn("w:moveFrom"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
TEXT, TAB, HYPHEN = qn("w:t"), qn("w:tab"), qn("w:noBreakHyphen")
BREAKS = {qn("w:br"), qn("w:cr")}
RUN, HIDDEN = qn("w:r"), qn("w:vanish")


def read(name: str, content: bytes) -> Intake:
    """Title, text and headings of a Word document.

    Raises:
        DocumentError: it is damaged, or too large when unpacked.
    """
    with opened(name, content):
        pass  # refuses what is too large before anything is unpacked
    try:
        document = docx.Document(BytesIO(content))
        blocks = list(_blocks(document))
    except (OpcError, KeyError, XMLSyntaxError, *DOCUMENT_ARCHIVES.errors) as error:
        raise DocumentError(
            f"{name} is damaged: open it in Word, save it again, and add that."
        ) from error
    return intake_of(name, blocks)


def _blocks(document: DocxDocument) -> Iterator[Block]:
    styles = {
        style.style_id: style.name or "" for style in document.styles if style.style_id is not None
    }
    yield from _under(document.element.body, styles)


def _under(container: _Element, styles: dict[str, str]) -> Iterator[Block]:
    """Paragraphs and rows in their order, also those inside content controls."""
    for element in container:
        if element.tag == PARAGRAPH:
            if text := spaced(_text(element)):
                yield Block(text, _level(element, styles))
        elif element.tag == TABLE:
            yield from _rows(element)
        elif element.tag not in DROPPED:
            yield from _under(element, styles)


def _rows(table: _Element) -> Iterator[Block]:
    for row in table.iter(ROW):
        cells = [
            spaced(" ".join(_text(paragraph) for paragraph in cell.iter(PARAGRAPH)))
            for cell in row
            if cell.tag == CELL
        ]
        if any(cells):
            yield Block(" | ".join(cell for cell in cells if cell))


def _level(paragraph: _Element, styles: dict[str, str]) -> int:
    """Of a heading by its style or outline level; the title is the highest."""
    style = styles.get(_value(paragraph, "w:pStyle"), "")
    if style in TITLE_STYLES:
        return 1
    if style.startswith(HEADING_STYLE) and style[len(HEADING_STYLE) :].isdigit():
        return int(style[len(HEADING_STYLE) :])
    outline = _value(paragraph, "w:outlineLvl")
    return int(outline) + 1 if outline.isdigit() and int(outline) < BODY_OUTLINE_LEVEL else 0


def _value(paragraph: _Element, tag: str) -> str:
    found = paragraph.find(f"{qn('w:pPr')}/{qn(tag)}")
    return "" if found is None else str(found.get(qn("w:val"), ""))


def _text(paragraph: _Element) -> str:
    """Return the visible text: tracked insertions in, deletions and hidden runs out."""
    pieces: list[str] = []
    waiting = list(reversed(paragraph))
    while waiting:
        element = waiting.pop()
        if element.tag == TEXT:
            pieces.append(element.text or "")
        elif element.tag == TAB:
            pieces.append(" ")
        elif element.tag in BREAKS:
            pieces.append("\n")
        elif element.tag == HYPHEN:
            pieces.append("-")
        elif element.tag not in DROPPED and not _is_hidden(element):
            waiting += reversed(element)
    return "".join(pieces)


def _is_hidden(element: _Element) -> bool:
    return element.tag == RUN and element.find(f"{qn('w:rPr')}/{HIDDEN}") is not None

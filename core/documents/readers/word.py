"""Word documents (.docx), with their headings, lists, tables, text boxes and notes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import docx
from docx.document import Document as DocxDocument
from docx.opc.exceptions import OpcError
from docx.oxml import parse_xml
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
# Also of a formula, as far as it is written in a line.
TEXTS = {qn("w:t"), "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"}
TAB, HYPHEN = qn("w:tab"), qn("w:noBreakHyphen")
BREAKS = {qn("w:br"), qn("w:cr")}
TEXT_BOX = qn("w:txbxContent")
NOTES = ("footnote", "endnote")
RUN, HIDDEN = qn("w:r"), qn("w:vanish")
OFF = {"0", "false", "off"}


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
    for kind in NOTES:
        yield from _notes(document, kind)


def _under(container: _Element, styles: dict[str, str]) -> Iterator[Block]:
    """Paragraphs and rows in their order, also those inside content controls and text boxes."""
    for element in _outermost(container, PARAGRAPH, TABLE):
        if element.tag == TABLE:
            yield from _rows(element, styles)
            continue
        if text := spaced(_text(element)):
            yield Block(text, _level(element, styles))
        for box in _outermost(element, TEXT_BOX):
            yield from _under(box, styles)


def _rows(table: _Element, styles: dict[str, str]) -> Iterator[Block]:
    """Yield each row as a line, then what stands in tables and text boxes inside it."""
    for row in _outermost(table, ROW):
        cells = list(_outermost(row, CELL))
        texts = [spaced(" ".join(map(_text, _outermost(cell, PARAGRAPH, TABLE)))) for cell in cells]
        if any(texts):
            yield Block(" | ".join(text for text in texts if text))
        for cell in cells:
            for element in _outermost(cell, TABLE, TEXT_BOX):
                within = _rows if element.tag == TABLE else _under
                yield from within(element, styles)


def _outermost(container: _Element, *tags: str) -> Iterator[_Element]:
    """Yield the outermost elements of these tags, in document order."""
    waiting = list(reversed(container))
    while waiting:
        element = waiting.pop()
        if element.tag in tags:
            yield element
        elif element.tag not in DROPPED:
            waiting += reversed(element)


def _notes(document: DocxDocument, kind: str) -> Iterator[Block]:
    for relation in document.part.rels.values():
        if relation.is_external or not relation.reltype.endswith(f"/{kind}s"):
            continue
        for note in parse_xml(relation.target_part.blob).iter(qn(f"w:{kind}")):
            paragraphs = _outermost(note, PARAGRAPH)
            text = spaced(" ".join(map(_text, paragraphs)))
            if text and note.get(qn("w:type"), "normal") == "normal":
                yield Block(text)


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
    child = paragraph.find(f"{qn('w:pPr')}/{qn(tag)}")
    return "" if child is None else str(child.get(qn("w:val"), ""))


def _text(paragraph: _Element) -> str:
    """Return the visible text: tracked insertions in, deletions and hidden runs out; none of a table."""
    pieces: list[str] = []
    waiting = list(reversed(paragraph)) if paragraph.tag == PARAGRAPH else []
    while waiting:
        element = waiting.pop()
        if element.tag in TEXTS:
            pieces.append(element.text or "")
        elif element.tag == TAB:
            pieces.append(" ")
        elif element.tag in BREAKS:
            pieces.append("\n")
        elif element.tag == HYPHEN:
            pieces.append("-")
        elif element.tag == TEXT_BOX:
            pieces.append(" ")  # what stands in it is a text of its own
        elif element.tag not in DROPPED and not _is_hidden(element):
            waiting += reversed(element)
    return "".join(pieces)


def _is_hidden(element: _Element) -> bool:
    mark = element.find(f"{qn('w:rPr')}/{HIDDEN}") if element.tag == RUN else None
    return mark is not None and mark.get(qn("w:val"), "1") not in OFF

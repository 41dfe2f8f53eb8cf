"""Rows of a page's tables: of data, or of a list that is only laid out as a table."""

from __future__ import annotations

from lxml import html

from core.documents.readers.blocks import MARKER
from core.documents.readers.eurlex import is_noise
from core.documents.readers.visible import BLOCK_TAGS, is_dropped, visible_text

CELL_TAGS = ("td", "th")


def row_text(row: html.HtmlElement) -> str | None:
    """A row in one line, or None where a cell holds more than one paragraph.

    EUR-Lex lays recitals and points out as rows of a number and a text; they read as a paragraph.
    """
    cells = [cell for cell in row if cell.tag in CELL_TAGS and not is_dropped(cell)]
    if any(not _is_simple(cell) for cell in cells):
        return None  # the page is walked on inside the row
    texts = [text for cell in cells if (text := visible_text(cell))]
    if len(texts) == 2 and MARKER.fullmatch(texts[0]):
        return " ".join(texts)
    return " | ".join(texts)


def _is_simple(cell: html.HtmlElement) -> bool:
    """Whether a cell holds one paragraph of the act at most, and no table or list."""
    within = [one for one in cell.iterdescendants() if isinstance(one.tag, str)]
    blocks = [one.tag for one in within if one.tag in BLOCK_TAGS]
    plain = blocks.count("p") < 2 and {"p", "div"}.issuperset(blocks)
    return plain and not any(is_noise(one) for one in within)

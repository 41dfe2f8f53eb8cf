"""PDF files: their lines with the places where they stand, by pdfium."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.documents.intake import Intake
from core.documents.readers.blocks import intake_of
from core.documents.structure import Block, is_annex, level_of
from core.errors import DocumentError

MAX_PAGES = 2_000
MIN_LETTERS_A_PAGE = 12  # a scan may carry a stamp or a page number as text
HEADING_GROWTH = 1.12  # how much larger than the text a heading is set
MAX_HEADING_CHARACTERS = 300
MAX_LEVEL = 6
TITLE_SEARCHED_PARAGRAPHS = 6


def read(name: str, content: bytes) -> Intake:
    """Return title and text of a PDF; lines set larger than the text are headings.

    Raises:
        DocumentError: it is locked, damaged, too long, or holds pictures of text alone.
    """
    document = _opened(name, content)
    try:
        if len(document) > MAX_PAGES:
            raise DocumentError(
                f"{name} has {len(document):,} pages; {MAX_PAGES:,} is the most that is read. "
                "Split it, and add the pieces."
            )
        pages = [_page_lines(document, number) for number in range(len(document))]
    except pdfium.PdfiumError as error:
        raise DocumentError(
            f"{name} is damaged: open it in a PDF reader, print it to a new PDF, and add that."
        ) from error
    finally:
        document.close()
    _refuse_scan(name, pages)
    return _intake(name, pages)


def _opened(name: str, content: bytes) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            sentence = "is protected by a password. Save a copy without it, and add that."
        else:
            sentence = "is damaged: open it in a PDF reader, print it to a new PDF, and add that."
        raise DocumentError(f"{name} {sentence}") from error


def _page_lines(document: pdfium.PdfDocument, number: int) -> list[Line]:
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            return list(_placed(text_page, number))
        finally:
            text_page.close()
    finally:
        page.close()


def _placed(text_page: pdfium.PdfTextPage, number: int) -> Iterator[Line]:
    """Yield the lines of a page with the place and height of their first letter."""
    start = 0
    text = text_page.get_text_range()
    for line in text.split("\n"):
        shown = line.strip()
        if shown:
            first = start + line.index(shown[0])
            bottom, top = _height(text_page, first)
            # pdfium marks the hyphen of a word that goes on in the next line.
            ends_in_hyphen = shown.endswith(("\ufffe", "\x02", "\u00ad"))
            tidy = shown.rstrip("\ufffe\x02\u00ad").replace("\ufffe", "").replace("\x02", "")
            yield Line(tidy, number, bottom, max(top - bottom, 0.0), ends_in_hyphen)
        start += len(line) + 1


def _height(text_page: pdfium.PdfTextPage, index: int) -> tuple[float, float]:
    """Return bottom and top of a letter as its font is set, in points."""
    box = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(box)):
        return 0.0, 0.0
    return float(box.bottom), float(box.top)


def _refuse_scan(name: str, pages: list[list[Line]]) -> None:
    n_letters = sum(sum(map(str.isalpha, line.text)) for page in pages for line in page)
    if n_letters < MIN_LETTERS_A_PAGE * max(len(pages), 1):
        raise DocumentError(
            f"{name} holds pictures of pages and no text, as scanners make them. Run text "
            "recognition (OCR) on it, and add the result."
        )


def _intake(name: str, pages: list[list[Line]]) -> Intake:
    lines = without_running_lines(pages)
    found = list(paragraphs(lines))
    usual = median([line.height for line in lines for _ in range(1 + len(line.text) // 20)])
    larger = sorted({round(height, 1) for _, height in found if _is_larger(height, usual)})
    levels = {height: min(n, MAX_LEVEL) for n, height in enumerate(reversed(larger), start=1)}
    blocks = []
    for text, height in found:
        short = len(text) <= MAX_HEADING_CHARACTERS and any(map(str.isalpha, text))
        blocks.append(Block(text, (short and levels.get(round(height, 1), 0)) or level_of(text)))
    place = _title_place(found, usual)
    if place is None:
        return intake_of(name, blocks)
    title = blocks.pop(place).text
    return intake_of(name, blocks, title=title)


def _is_larger(height: float, usual: float) -> bool:
    return height > HEADING_GROWTH * usual


def _title_place(found: list[tuple[str, float]], usual: float) -> int | None:
    """Return which of the first paragraphs is set largest, and so the title; None where none is."""
    first = [
        (height, -place)
        for place, (text, height) in enumerate(found[:TITLE_SEARCHED_PARAGRAPHS])
        if _is_larger(height, usual) and len(text) <= MAX_HEADING_CHARACTERS and not is_annex(text)
    ]
    return -max(first)[1] if first else None


# ---------------------------------------------------------------------- paragraphs

MIN_PAGES_OF_RUNNING_LINES = 3
RUNNING_SHARE = 0.3  # left and right pages may differ
EDGE_LINES = 2  # so many lines at the head and foot of a page may be running lines
WIDE_GAP = 1.35  # times the usual distance of lines
SAME_HEIGHT = 1.08
DIGITS = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"(?<![-–—\s])[-–—\s]*+(?:page|p\.)?\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?[-–—\s]*", re.IGNORECASE
)
NEW_ITEM = re.compile(r"(?:\(\d{1,3}\)|\([a-z]{1,4}\)|\d{1,3}\.(?:\d++\.?){0,20}+|[-–—•])\s+\S")
SENTENCE_END = (".", ";", ":", "!", "?", ",")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page.

    Attributes:
        bottom: where it stands, in points from the foot of the page.
        height: of its font, in points.
        hyphenated: its last word goes on in the next line.
    """

    text: str
    page: int
    bottom: float
    height: float
    hyphenated: bool = False


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Return all lines but page numbers and what stands at the edge of many pages."""
    counts = Counter(
        _key(line) for page in pages for line in {edge.text: edge for edge in _edges(page)}.values()
    )
    fewest = max(RUNNING_SHARE * len(pages), MIN_PAGES_OF_RUNNING_LINES)
    running = {text for text, n in counts.items() if n >= fewest}
    kept = []
    for page in pages:
        edges = _edges(page)
        for line in page:
            at_edge = line in edges
            if at_edge and _key(line) in running:
                continue
            if at_edge and PAGE_NUMBER.fullmatch(line.text) and len(pages) > 1:
                continue
            kept.append(line)
    return kept


def paragraphs(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    """Yield the text of each paragraph and the height of its font."""
    usual = _usual_distance(lines)
    gathered, height, before = "", 0.0, None
    for line in lines:
        if before is not None and _begins(before, line, usual):
            yield gathered, height
            gathered = ""
        if not gathered:
            gathered, height = line.text, line.height
        elif before is not None and before.hyphenated:
            gathered += line.text
        else:
            gathered += f" {line.text}"
        before = line
    if gathered:
        yield gathered, height


def _key(line: Line) -> str:
    """Return what running lines share; "Article 7" and "Article 8" are no running lines."""
    return line.text if level_of(line.text) else DIGITS.sub("#", line.text)


def _edges(page: Sequence[Line]) -> list[Line]:
    return [*page[:EDGE_LINES], *page[-EDGE_LINES:]]


def _usual_distance(lines: Sequence[Line]) -> float:
    distances = [
        first.bottom - second.bottom
        for first, second in pairwise(lines)
        if first.page == second.page and first.bottom > second.bottom
    ]
    return median(distances) if distances else 0.0


def _begins(before: Line, line: Line, usual: float) -> bool:
    """Return whether a line begins a paragraph, by its place, its font, or what it says."""
    if before.hyphenated:
        return False
    if not _same_height(before, line) or level_of(line.text) or _is_heading(before.text):
        return True
    ended = before.text.endswith(SENTENCE_END)
    if NEW_ITEM.match(line.text) and ended:
        return True
    if before.page != line.page:
        return ended and not line.text[0].islower()
    distance = before.bottom - line.bottom
    return distance > WIDE_GAP * usual or (distance < 0 and ended)


def _is_heading(text: str) -> bool:
    return is_annex(text) or level_of(text) > 0


def _same_height(first: Line, second: Line) -> bool:
    low, high = sorted((first.height, second.height))
    return high <= SAME_HEIGHT * low or high == low

"""PDF files: their lines with the places where they stand, by pdfium."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.documents.acts import ADOPTED_BY, HEADING, HEADING_LINES, running_heads
from core.documents.intake import Intake
from core.documents.readers.blocks import intake_of, says_something
from core.documents.readers.pdf_columns import LinePiece, in_reading_order, with_typed_in_place
from core.documents.readers.pdf_pages import Box, box_of, is_picture, text_of_page
from core.documents.structure import Block, is_annex, level_of
from core.errors import DocumentError

MAX_PAGES = 2_000
MIN_PAGES_BETWEEN_COVERS = 3  # of text; of fewer, a picture is as likely a scanned page
MIN_LETTERS_A_PAGE = 12  # a scan may carry a stamp or a page number as text
HEADING_GROWTH = 1.12  # how much larger than the text a heading is set
MAX_HEADING_CHARACTERS = 300
MAX_LEVEL = 6
TITLE_SEARCHED_PARAGRAPHS = 6
DIVIDED = re.compile("[^\\W\\d_A-Z]-$")  # a word that goes on in the next line
WIDE_SPACE = 0.9  # heights of the font: more than between justified words, less than a gutter
FAR_BACK = 8  # heights of the font: further than a word of a script from right to left
HYPHENS = ("\ufffe", "\x02", "\u00ad")
LINE_ENDS = re.compile("(?<=[\n\ufffe\x02])")
PARTLY_SCANNED = (
    "Some of its pages hold pictures and no text, as scanners make them, and were not read. Run text "
    "recognition (OCR) on the file, and add the result."
)


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
        with suppress(pdfium.PdfiumError):  # a form that is damaged leaves the pages as they are
            document.init_forms()  # which draws the values of fields that are not drawn yet
        pages = [_page_lines(document, number) for number in range(len(document))]
        pictures = {n for n, page in enumerate(pages) if not page and is_picture(document, n)}
    except pdfium.PdfiumError as error:
        raise DocumentError(
            f"{name} is damaged: open it in a PDF reader, print it to a new PDF, and add that."
        ) from error
    finally:
        document.close()
    _refuse_scan(name, pages)
    return _intake(
        name, pages, notes=(PARTLY_SCANNED,) if _is_partly_scanned(pages, pictures) else ()
    )


def _is_partly_scanned(pages: list[list[Line]], pictures: set[int]) -> bool:
    """Return whether pages that show pictures alone may be scans, and not a cover and a back."""
    are_covers = (
        pictures <= {0, len(pages) - 1} and sum(map(bool, pages)) >= MIN_PAGES_BETWEEN_COVERS
    )
    return bool(pictures) and not are_covers


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
    with text_of_page(document, number) as (text_page, typed):
        pieces = [
            piece
            for start, line in _raw_lines(text_page)
            for piece in _pieces(text_page, start, line, typed)
        ]
    return list(_placed(pieces, number))


def _placed(pieces: Sequence[LinePiece], number: int) -> Iterator[Line]:
    for piece in in_reading_order(with_typed_in_place(pieces)):
        # pdfium marks the hyphen of a word that goes on in the next line.
        ends_in_hyphen = piece.text.endswith(HYPHENS)
        tidy = piece.text.rstrip("\ufffe\x02\u00ad").replace("\ufffe", "").replace("\x02", "")
        yield Line(tidy, number, piece.bottom, piece.height, ends_in_hyphen, piece.typed)


def _raw_lines(text_page: pdfium.PdfTextPage) -> Iterator[tuple[int, str]]:
    """Yield the lines as they were drawn, with the number of their first letter.

    pdfium ends no line at a divided word, also where a page number is what follows.
    """
    start = 0
    for line in LINE_ENDS.split(text_page.get_text_range()):
        if line.strip():
            yield start, line
        start += len(line)


def _pieces(
    text_page: pdfium.PdfTextPage, start: int, line: str, typed: Mapping[int, int]
) -> Iterator[LinePiece]:
    shown = [n for n, character in enumerate(line) if not character.isspace()]
    boxes = {}
    if pdfium_c.FPDFText_CountRects(text_page, start, len(line)) > 1:
        boxes = {n: box_of(text_page, start + n) for n in shown}
    cuts = [0]
    for first, second in pairwise(shown):
        is_apart = boxes and second > first + 1 and _is_apart(boxes[first], boxes[second])
        if is_apart or typed.get(start + first) != typed.get(start + second):
            cuts.append(second)
    for begin, end in pairwise([*cuts, len(line)]):
        text = line[begin:end].strip()
        if end < len(line) and DIVIDED.search(
            text
        ):  # pdfium marks those at the ends of lines alone
            text = f"{text[:-1]}\u00ad"
        if text:
            first = begin + line[begin:end].index(text[0])
            left, bottom, _, top = box_of(text_page, start + first)
            right = box_of(text_page, start + first + len(text) - 1)[2]
            is_typed = start + first in typed
            yield LinePiece(text, left, right, bottom, max(top - bottom, 0.0), is_typed)


def _is_apart(first: Box, second: Box) -> bool:
    """Return whether a letter stands in another column than the letter before it."""
    height = max(first[3] - first[1], 1.0)
    return second[0] - first[2] > WIDE_SPACE * height or first[0] - second[0] > FAR_BACK * height


def _refuse_scan(name: str, pages: list[list[Line]]) -> None:
    n_letters = sum(sum(map(str.isalpha, line.text)) for page in pages for line in page)
    if n_letters < MIN_LETTERS_A_PAGE * max(len(pages), 1):
        raise DocumentError(
            f"{name} holds pictures of pages and no text, as scanners make them. Run text "
            "recognition (OCR) on it, and add the result."
        )


def _intake(name: str, pages: list[list[Line]], notes: tuple[str, ...]) -> Intake:
    # Pages that all say the same, as copies of a form do, are running lines alone.
    lines = without_running_lines(pages) or [line for page in pages for line in page]
    heads = running_heads([line.text for line in lines])
    lines = [line for number, line in enumerate(lines) if number not in heads] or lines
    read_paragraphs = list(paragraphs(lines))
    usual = median([line.height for line in lines for _ in range(1 + len(line.text) // 20)])
    larger = sorted(
        {round(height, 1) for _, height in read_paragraphs if _is_larger(height, usual)}
    )
    levels = {height: min(n, MAX_LEVEL) for n, height in enumerate(reversed(larger), start=1)}
    blocks = []
    for text, height in read_paragraphs:
        short = len(text) <= MAX_HEADING_CHARACTERS and any(map(str.isalpha, text))
        blocks.append(Block(text, (short and levels.get(round(height, 1), 0)) or level_of(text)))
    likely_title = _likely_title(read_paragraphs, usual)
    return intake_of(name, blocks, likely_title=likely_title, notes=notes)


def _is_larger(height: float, usual: float) -> bool:
    return height > HEADING_GROWTH * usual


def _likely_title(read_paragraphs: list[tuple[str, float]], usual: float) -> str:
    """Return which of the first paragraphs is set largest, and so the title; "" where none is."""
    first = [
        (height, -place, text)
        for place, (text, height) in enumerate(read_paragraphs[:TITLE_SEARCHED_PARAGRAPHS])
        if _is_larger(height, usual) and len(text) <= MAX_HEADING_CHARACTERS and _may_be_title(text)
    ]
    return max(first)[-1] if first else ""


def _may_be_title(text: str) -> bool:
    return says_something(text) and not is_annex(text) and not running_heads([text])


# ---------------------------------------------------------------------- paragraphs

MIN_PAGES_OF_RUNNING_LINES = 3
RUNNING_SHARE = 0.3  # left and right pages may differ
EDGE_LINES = 2  # so many lines at the head and foot of a page may be running lines
WIDE_GAP = 1.35  # times the usual distance of lines
SAME_HEIGHT = 1.08
DIGITS = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"(?<![-–—\s])[-–—\s]*+(?P<word>page|p\.)?\s*(?P<number>\d{1,4})(?P<of>\s*(?:of|/)\s*\d{1,4})?[-–—\s]*",
    re.IGNORECASE,
)
NEW_ITEM = re.compile(r"(?:\(\d{1,3}\)|\([a-z]{1,4}\)|\d{1,3}\.(?:\d++\.?){0,20}+|[-–—•])\s+\S")
GROUNDS = re.compile(r"Having regard to\b|Whereas[:,]|HAS ADOPTED\b|HAVE ADOPTED\b")
SENTENCE_END = (".", ";", ":", "!", "?", ",")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page.

    Attributes:
        bottom: where it stands, in points from the foot of the page.
        height: of its font, in points.
        hyphenated: its last word goes on in the next line.
        typed: into a field of a form, or onto the page, and so no running line.
    """

    text: str
    page: int
    bottom: float
    height: float
    hyphenated: bool = False
    typed: bool = False


def without_running_lines(pages: Sequence[Sequence[Line]]) -> list[Line]:
    """Return all lines but page numbers and what stands at the edge of many pages."""
    counts = Counter(
        _key(line) for page in pages for line in {edge.text: edge for edge in _edges(page)}.values()
    )
    fewest = max(RUNNING_SHARE * len(pages), MIN_PAGES_OF_RUNNING_LINES)
    running = {text for text, n in counts.items() if n >= fewest}
    offsets = Counter(
        offset
        for page in pages
        for offset in {_offset(line) for line in _edges(page)}
        if offset is not None
    )
    ascending = _ascending_numbers(pages, running)
    kept_pages = []
    for page in pages:
        edges = _edges(page)
        for line in page:
            at_edge = line in edges
            if at_edge and _key(line) in running:
                continue
            if line in ascending or (at_edge and len(pages) > 1 and _is_page_number(line, offsets)):
                continue
            kept_pages.append(line)
    return kept_pages


def _ascending_numbers(pages: Sequence[Sequence[Line]], running: Set[str]) -> set[Line]:
    """Return the numbers at an edge of most pages that rise, as in excerpts and two pages a sheet.

    Those of a table's rows may rise as well, but have other cells beside them.
    """
    ascending: set[Line] = set()
    for edge in (slice(EDGE_LINES), slice(-EDGE_LINES, None)):
        numbers = {
            line: int(match["number"])
            for page in pages
            for line in _drawn(page)[edge]
            if (match := PAGE_NUMBER.fullmatch(line.text)) and not _is_in_row(line, page, running)
        }
        n_pages = len({line.page for line in numbers})
        rise = all(first < second for first, second in pairwise(numbers.values()))
        if rise and n_pages >= max(len(pages) / 2, MIN_PAGES_OF_RUNNING_LINES):
            ascending |= numbers.keys()
    return ascending


def _is_in_row(number: Line, page: Sequence[Line], running: Set[str]) -> bool:
    return any(
        abs(line.bottom - number.bottom) < number.height / 2
        and not (PAGE_NUMBER.fullmatch(line.text) or _key(line) in running)
        for line in page
    )


def _is_page_number(line: Line, offsets: Mapping[int, int]) -> bool:
    """Return whether a line counts the pages, as figures of a table at their edges do not.

    Args:
        offsets: how many pages have a number that is so much more than the pages before them.
    """
    match, offset = PAGE_NUMBER.fullmatch(line.text), _offset(line)
    if match is None or offset is None or match["word"] or match["of"]:
        return match is not None
    return offset == 1 or offsets[offset] > 1


def _offset(line: Line) -> int | None:
    """Return by how much the number that a line is exceeds the pages before it; None of another."""
    match = PAGE_NUMBER.fullmatch(line.text)
    return int(match["number"]) - line.page if match else None


def paragraphs(lines: Sequence[Line]) -> Iterator[tuple[str, float]]:
    """Yield the text of each paragraph and the height of its font."""
    usual = _usual_distance(lines)
    gathered, height, before = "", 0.0, None
    for number, line in enumerate(lines):
        is_opening = _opens_act(line.text, is_near_top=number < HEADING_LINES)
        if before is not None and (is_opening or _begins(before, line, usual)):
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


def _opens_act(text: str, *, is_near_top: bool) -> bool:
    """Return whether a line begins the heading of an act, or names who adopts it, or on what grounds.

    A heading that is not in capitals is one near the top alone; elsewhere a sentence names an act.
    """
    heading = HEADING.match(text)
    is_heading = heading is not None and (is_near_top or heading.group().isupper())
    return is_heading or bool(ADOPTED_BY.match(text) or GROUNDS.match(text))


def _key(line: Line) -> str:
    """Return what running lines share; "Article 7" and "Article 8" are no running lines."""
    is_its_own = level_of(line.text) or PAGE_NUMBER.fullmatch(line.text)
    return line.text if is_its_own else DIGITS.sub("#", line.text)


def _edges(page: Sequence[Line]) -> list[Line]:
    drawn = _drawn(page)
    return [*drawn[:EDGE_LINES], *drawn[-EDGE_LINES:]]


def _drawn(page: Sequence[Line]) -> list[Line]:
    return [line for line in page if not line.typed]


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

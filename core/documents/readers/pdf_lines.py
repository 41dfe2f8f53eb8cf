"""Paragraphs from the lines of a PDF, which knows of letters on a page alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.documents.structure import is_annex, level_of

MIN_PAGES_OF_RUNNING_LINES = 3
RUNNING_SHARE = 0.3  # left and right pages may differ
EDGE_LINES = 2  # so many lines at the head and foot of a page may be running lines
WIDE_GAP = 1.35  # times the usual distance of lines
SAME_HEIGHT = 1.08
DIGITS = re.compile(r"\d+")
PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|p\.)?\s*\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?[-–—\s]*", re.IGNORECASE
)
NEW_ITEM = re.compile(r"(?:\(\d{1,3}\)|\([a-z]{1,4}\)|\d{1,3}\.(?:\d{1,3}\.?)*|[-–—•])\s+\S")
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

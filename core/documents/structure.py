"""The headings and annexes of an act, found by rule where its format does not mark them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.documents.document import PART_BREAK, Heading, Part

BODY, ANNEX_KIND = "body", "annex"
PART_KINDS = frozenset({BODY, ANNEX_KIND})
"""Of acts; the parts of an encounter are called by the kinds of notes."""

ANNEX_LEVEL = DIVISION_LEVEL = 1
MAX_HEADING_CHARACTERS = 200
MAX_CAPITALS_CHARACTERS = 120
MIN_CAPITALS_LETTERS = 4
NUMBER = r"(?:[IVXLC]+|\d+|[A-Z])[a-z]?"
ANNEX = re.compile(
    rf"(?:ANNEX|Annex|APPENDIX|Appendix)(?:[ \u00a0]+{NUMBER})?(?:[ \u00a0]*[-–—:.][^\n]*)?"
)
# The wording of a heading, and its level; what is named first is tried first.
WORDINGS = (
    (re.compile(rf"(?:PART|TITLE|BOOK)[ \u00a0]+{NUMBER}\b.*"), DIVISION_LEVEL),
    (re.compile(rf"(?:CHAPTER|Chapter)[ \u00a0]+{NUMBER}\b(?:[ \u00a0]*[-–—:.].*)?"), 2),
    (re.compile(rf"(?:SECTION|Section|SUBSECTION)[ \u00a0]+{NUMBER}\b(?:[ \u00a0]*[-–—:.].*)?"), 3),
    (re.compile(rf"(?:Article|ARTICLE)[ \u00a0]+{NUMBER}\b\.?(?:[ \u00a0]*[-–—:][^.;]*)?"), 4),
    (re.compile(r"Sole Article"), 4),
)
CAPITALS_LEVEL = 2
SENTENCE_ENDS = ".:;,"
MAX_NAME_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading or table row that a reader found.

    Attributes:
        level: of a heading, 1 = most general; 0 for anything else.
        begins: the kind of part that begins here ("annex"), or "".
    """

    text: str
    level: int = 0
    begins: str = ""


def parts_of(text: str) -> tuple[Part, ...]:
    """Plain text in its parts, cut before each line that names an annex, with its headings."""
    if not text.strip():
        return ()
    cuts = [0, *(offset for offset, line in _lines(text) if offset and is_annex(line)), len(text)]
    pieces = [text[start:end].strip() for start, end in pairwise(cuts)]
    return tuple(_part(piece) for piece in pieces if piece)


def stated_part(text: str, kind: str, title: str) -> Part:
    """Return a text with its headings as the part that somebody says it is."""
    return replace(_part(text), kind=kind, title=title)


def assembled(blocks: Iterable[Block]) -> tuple[Part, ...]:
    """Return the parts of a document from its blocks, which stand apart by an empty line."""
    given = list(blocks)
    if not any(block.level for block in given):
        levels = levels_of([block.text for block in given])
        given = [replace(block, level=level) for block, level in zip(given, levels, strict=True)]
    given = [
        replace(block, level=block.level or ANNEX_LEVEL) if is_annex(block.text) else block
        for block in given
    ]
    return tuple(_joined(group) for group in _by_part(given))


def level_of(line: str) -> int:
    """Return the level of a line that reads as a heading; 0 where it does not."""
    line = line.strip()
    if not line or len(line) > MAX_HEADING_CHARACTERS or "\n" in line:
        return 0
    if is_annex(line):
        return ANNEX_LEVEL
    for wording, level in WORDINGS:
        if wording.fullmatch(line):
            return level
    return CAPITALS_LEVEL if _in_capitals(line) else 0


def levels_of(lines: Sequence[str]) -> list[int]:
    """Return the level of each line; the name below "Article 1" is a heading, too."""
    levels = [level_of(line) for line in lines]
    for n, line in enumerate(lines[1:-1], start=1):
        above = lines[n - 1].strip()
        if not levels[n] and _is_name(line) and levels[n - 1] and _has_wording(above):
            levels[n] = levels[n - 1] + 1
    return levels


def is_annex(line: str) -> bool:
    """Return whether a line names an annex, as "ANNEX II" or "Annex — List of products" do."""
    line = line.strip()
    return len(line) <= MAX_HEADING_CHARACTERS and ANNEX.fullmatch(line) is not None


def _has_wording(line: str) -> bool:
    """Return whether a heading is a mere number, as "CHAPTER II" is, so that a name may follow."""
    return any(wording.fullmatch(line) for wording, _ in WORDINGS)


def _is_name(line: str) -> bool:
    """Return whether a line may name a chapter or article: short, no sentence, no list item."""
    line = line.strip()
    return bool(line) and (
        line[0].isupper() and line[-1] not in SENTENCE_ENDS and len(line) <= MAX_NAME_CHARACTERS
    )


def _in_capitals(line: str) -> bool:
    if len(line) > MAX_CAPITALS_CHARACTERS or line != line.upper() or line[-1] in SENTENCE_ENDS:
        return False
    n_letters = sum(map(str.isalpha, line))
    return n_letters >= MIN_CAPITALS_LETTERS and 2 * n_letters > len(line) and " | " not in line


def _lines(text: str) -> Iterator[tuple[int, str]]:
    offset = 0
    for line in text.split("\n"):
        yield offset, line
        offset += len(line) + 1


def _part(text: str) -> Part:
    lines = [(offset, line) for offset, line in _lines(text) if line.strip()]
    headings = []
    for (offset, line), level in zip(lines, levels_of([line for _, line in lines]), strict=True):
        if level:
            start = offset + len(line) - len(line.lstrip())
            headings.append(Heading(start, start + len(line.strip()), level))
    first = text.partition("\n")[0].strip()
    annex = is_annex(first)
    return Part(text, ANNEX_KIND if annex else BODY, None, first if annex else "", tuple(headings))


def _by_part(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Blocks in groups that each make a part: a new one begins at every annex."""
    group: list[Block] = []
    for block in blocks:
        if (block.begins or is_annex(block.text)) and group:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _joined(blocks: Sequence[Block]) -> Part:
    headings, offset = [], 0
    for block in blocks:
        if block.level:
            headings.append(Heading(offset, offset + len(block.text), block.level))
        offset += len(block.text) + len(PART_BREAK)
    text = PART_BREAK.join(block.text for block in blocks)
    first = blocks[0]
    kind = first.begins or (ANNEX_KIND if is_annex(first.text) else BODY)
    return Part(text, kind, None, "" if kind == BODY else _name(blocks), tuple(headings))


def _name(blocks: Sequence[Block]) -> str:
    """Return the name of an annex: its first line, with the heading right below it."""
    first = blocks[0].text
    if (
        len(blocks) > 1
        and blocks[1].level
        and len(first) + len(blocks[1].text) < MAX_HEADING_CHARACTERS
    ):
        return f"{first} — {blocks[1].text}"
    return first[:MAX_HEADING_CHARACTERS]

"""What readers share: from the blocks that a format marks to an `Intake`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.documents.acts import FIRST_LINE_TITLE, running_heads, title_lines
from core.documents.intake import CUT_TITLE, MAX_TITLE_CHARACTERS, Intake
from core.documents.plain_text import may_be_title, refuse_unreadable, split_title, tidy_piece
from core.documents.structure import Block, assembled
from core.errors import DocumentError

WORD = re.compile(r"[^\W\d_]+")
MIN_TITLE_LETTERS = 3
# A mere date is no title; in English, French and German.
OF_DATE = re.compile(
    "(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|okt|dez|january|february|march|april|may|june|july|"
    "august|september|october|november|december|janvier|février|mars|avril|mai|juin|juillet|août|septembre|"
    "octobre|novembre|décembre|januar|februar|märz|juni|juli|oktober|dezember|(?:mon|tues|wednes|thurs|fri|"
    "satur|sun)day|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|montag|dienstag|mittwoch|donnerstag|"
    "freitag|samstag|sonntag|st|nd|rd|th|er|the|of|den|le)"
)
TOO_DEEP = "is nested too deeply to be read. Save it as plain text, and add that."
SPACES = re.compile(r"[ \t\u00a0\u2002-\u200a\u202f\u3000]+")
LINE_ENDS = re.compile(r"(?<! ) *\n *")
# "(a)", "1.", "—": the mark of a list item, which belongs before the item's own text.
MARKER = re.compile(r"(?:\(?[0-9ivxlcIVXLC]{1,5}[.)]{1,2}|\(?[a-zA-Z]{1,2}[.)]|[-–—•‣◦*])")


def spaced(text: str) -> str:
    """Return text with single spaces, and no space at line ends."""
    return LINE_ENDS.sub("\n", SPACES.sub(" ", text)).strip()


def intake_of(
    name: str,
    blocks: Sequence[Block],
    *,
    title: str = "",
    likely_title: str = "",
    notes: tuple[str, ...] = (),
) -> Intake:
    """Return a title and parts from what a reader found.

    Without a stated title, it is that in the heading of an act, or else the likely one, or else the
    first block that may be one, if it is short.

    Args:
        title: where the format states it.
        likely_title: what is set largest, or the first heading of a page; one of the blocks, or the
            name of the page.
    Raises:
        DocumentError: there is no text.
    """
    # A cell that is a sign nobody can read makes no unreadable document.
    refuse_unreadable(name, "".join(block.text for block in blocks))
    tidy = [replace(block, text=tidy_piece(block.text)) for block in with_markers(blocks)]
    with_text = [block for block in tidy if block.text]
    if not with_text and not f"{title}{likely_title}".strip():
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    if not title.strip():
        title, with_text = _act(with_text)
    if not title and says_something(likely_title):
        title = spaced(tidy_piece(likely_title)).replace("\n", " ")
        with_text = _without(title, with_text)
    if not title.strip():
        title, with_text, is_stated = _titled(with_text)
        notes = notes if is_stated else (*notes, FIRST_LINE_TITLE)
    title = spaced(tidy_piece(title)).replace("\n", " ")
    if len(title) > MAX_TITLE_CHARACTERS:
        title, notes = title[:MAX_TITLE_CHARACTERS], (*notes, CUT_TITLE)
    return Intake(title, assembled(with_text), notes)


def says_something(text: str) -> bool:
    """Return whether a text may be a title: no mere date, number or sign."""
    words = WORD.findall(text.casefold())
    return sum(len(word) for word in words if not OF_DATE.fullmatch(word)) >= MIN_TITLE_LETTERS


def _act(blocks: list[Block]) -> tuple[str, list[Block]]:
    """Return the title of an act, "" of anything else, and the blocks without it and running heads."""
    lines = [(n, line) for n, block in enumerate(blocks) for line in block.text.split("\n")]
    heads = running_heads([line for _, line in lines])
    lines = [line for n, line in enumerate(lines) if n not in heads]
    title_and_rest = title_lines([line for _, line in lines])
    title, remaining = title_and_rest or ("", range(len(lines)))
    texts: dict[int, list[str]] = {}
    for number, line in (lines[n] for n in remaining):
        texts.setdefault(number, []).append(line)
    rest = [replace(blocks[n], text="\n".join(text).strip()) for n, text in texts.items()]
    return title, [block for block in rest if block.text]


def _without(title: str, blocks: list[Block]) -> list[Block]:
    texts = (spaced(block.text).replace("\n", " ") for block in blocks)
    place = next((n for n, text in enumerate(texts) if text == title), None)
    return blocks if place is None else [*blocks[:place], *blocks[place + 1 :]]


def with_markers(blocks: Sequence[Block]) -> list[Block]:
    """Blocks with list marks put before the text that they mark."""
    joined: list[Block] = []
    marker = ""
    for block in blocks:
        if not block.level and MARKER.fullmatch(block.text):
            marker = f"{marker}{block.text} "
            continue
        joined.append(replace(block, text=marker + block.text))
        marker = ""
    return [*joined, Block(marker.strip())] if marker else joined


def _titled(blocks: list[Block]) -> tuple[str, list[Block], bool]:
    """Return the first block that may be a title, the rest, and whether the format marks it so.

    A long one stays text, too.
    """
    place = next((n for n, block in enumerate(blocks) if says_something(block.text)), 0)
    block = blocks[place]
    first = block.text.replace("\n", " ")
    if may_be_title(first, alone=len(blocks) > 1):
        return first, [*blocks[:place], *blocks[place + 1 :]], block.level > 0
    return split_title(first)[0], blocks, False

"""What readers share: from the blocks that a format marks to an `Intake`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.documents.intake import MAX_TITLE_CHARACTERS, Intake
from core.documents.plain_text import may_be_title, split_title, tidy_text
from core.documents.structure import Block, assembled
from core.errors import DocumentError

TOO_DEEP = "is nested too deeply to be read. Save it as plain text, and add that."
SPACES = re.compile(r"[ \t\u00a0\u2002-\u200a\u202f\u3000]+")
LINE_ENDS = re.compile(r"(?<! ) *\n *")
# "(a)", "1.", "—": the mark of a list item, which belongs before the item's own text.
MARKER = re.compile(r"(?:\(?[0-9ivxlcIVXLC]{1,5}[.)]{1,2}|\(?[a-zA-Z]{1,2}[.)]|[-–—•‣◦*])")


def spaced(text: str) -> str:
    """Return text with single spaces, and no space at line ends."""
    return LINE_ENDS.sub("\n", SPACES.sub(" ", text)).strip()


def intake_of(
    name: str, blocks: Sequence[Block], *, title: str = "", notes: tuple[str, ...] = ()
) -> Intake:
    """Return a title and parts from what a reader found.

    Args:
        title: where the format states it; otherwise the first block is taken if it is short.
    Raises:
        DocumentError: there is no text.
    """
    tidy = [replace(block, text=tidy_text(name, block.text)) for block in with_markers(blocks)]
    found = [block for block in tidy if block.text]
    if not found and not title.strip():
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    if not title.strip():
        title, found = _titled(found)
    title = spaced(tidy_text(name, title)).replace("\n", " ")
    return Intake(title[:MAX_TITLE_CHARACTERS], assembled(found), notes)


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


def _titled(blocks: list[Block]) -> tuple[str, list[Block]]:
    """Return the first block as the title, and the rest; a long one stays text, too."""
    first = blocks[0].text.replace("\n", " ")
    if may_be_title(first, alone=len(blocks) > 1):
        return first, blocks[1:]
    return split_title(first)[0], blocks

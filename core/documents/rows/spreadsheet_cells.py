"""Text in the cells of a table, so that no spreadsheet runs it as a formula, and back again."""

from __future__ import annotations

import re

FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LONGEST_CELL = 32_767  # characters that a spreadsheet keeps in a cell


def text_cell(text: str) -> str:
    """Return text that no spreadsheet runs as a formula, without characters that break a file.

    One that has an apostrophe there of its own gets a second, so that it can be read back.
    """
    clean = without_control_characters(text)
    begins = clean.lstrip("'")
    risky = begins.startswith(("\t", "\r", "\n")) or begins.lstrip().startswith(FORMULA_STARTS)
    return f"'{clean}" if risky else clean


def without_control_characters(text: str) -> str:
    """Return text without the characters that break a file."""
    return CONTROL_CHARACTERS.sub("", text)


def text_of_cell(cell: str) -> str:
    """Return the text of a cell as it was before `text_cell` made it safe."""
    return cell[1:] if cell.startswith("'") and text_cell(cell[1:]) == cell else cell


def is_cut(cell: str) -> bool:
    """Return whether a spreadsheet may have cut a cell: it has just as many signs as one holds."""
    return len(cell) == LONGEST_CELL

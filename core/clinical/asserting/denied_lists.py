"""Lists that a cue denies as a whole: "No diabetes, hypertension, asthma or gout."

The network has learned from lines where an item behind a comma is what the patient has ("no fever,
cough for three days"), and so is unsure of the items of a plain list.
"""

from __future__ import annotations

import re

LEAST_ITEMS = 3
MOST_WORDS = 4
"""Of an item."""
_JOINT = re.compile(r", ?(?:or |and |nor )?|/| or | nor | and ")
_LIST = re.compile(
    r"[^\n.;:()→–—,/-]{2,40}(?:(?:,|/)[^\n.;:()→–—,/-]{2,40}){0,12}(?=[ \t]{0,3}(?:[.;\n]|$))"
)
# A list has names alone; what tells of the patient is none.
_TELLS = re.compile(
    r"\b(?:but|has|have|had|with|is|was|are|now|just|only|s?he|pt|on|for|no|not|denies|without|good"
    r"|explains?|stays?|persists?|both|old|since|by|admit\w*|in|at)\b|\d|[?+]",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\bn?or\b")


def is_of_denied_list(start: int, end: int, cue_end: int, text: str) -> bool:
    """Return whether a condition is an item of a list of names that stands right behind a cue.

    Args:
        start, end: of the condition.
        cue_end: of what denies it.
    """
    items = _LIST.match(text, cue_end) if cue_end <= start else None
    if items is None or items.end() < end or _TELLS.search(items.group()):
        return False
    parts = [part for part in _JOINT.split(items.group()) if part.strip()]
    is_long = len(parts) >= LEAST_ITEMS and all(len(part.split()) <= MOST_WORDS for part in parts)
    return is_long or _CLOSED.search(items.group()) is not None

"""Everyday shorthand of notes: small-letter abbreviations, slashed words, and what depends on
the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import by_meaning, meanings, phrases

# Between "w/" and what follows there may be no space; "2/2" is "secondary to", or a count.
SLASHED = (
    r"(?<![\w/.])(?:[wW]/[oO]|[wW]/(?![uUcC]\b)|[cC]/[wWbB]|[dD]/[tToO]|[sS]/[pP]|[hHrRyY]/[oO]|i/s/o"
    r"|[aApP]/[wW]|[bB]/[lL]|[nN]/[vV]|2/2)(?![\w/]|(?<=[2oOtTpPlLvVwWbB])\.\d)"
)
SLASHED_WORDS = "w/ c/w c/b d/t i/s/o a/w p/w 2/2"
"""Those that say how two things belong together, as "with" does."""

SHORT = meanings("words", "shorthand")
"""Read as these words in small letters, in capitals, or with a capital."""


def _contexts(kind: str) -> dict[str, re.Pattern[str]]:
    found = by_meaning("words", kind)
    return {meaning: re.compile("|".join(patterns)) for meaning, patterns in found.items()}


# "PE: lungs clear" is an examination, "Ca 8.9" calcium, and "OD" the right eye but for overdoses.
_CONTEXTS = _contexts("in context")
_DEPTHS = _contexts("in context of a burn")
_BURN = phrases("words", "burn")


def read_by_context(text: str) -> Iterator[tuple[int, str]]:
    """Yield where words begin that their surroundings explain, and what they stand for.

    What stands for nothing but itself has no text.
    """
    for meaning, pattern in (_CONTEXTS | (_DEPTHS if _BURN.search(text) else {})).items():
        for match in pattern.finditer(text):
            yield match.start(match.lastgroup or 0), meaning

"""Everyday shorthand of notes: small-letter abbreviations, slashed words, and what depends on
the words around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache

from core.clinical.names.tables import by_meaning, meanings, phrases, rows

# Between "w/" and what follows there may be no space; "2/2" is "secondary to", or a count.
SLASHED = (
    r"(?<![\w/.])(?:[wW]/[oO]|[wW]/(?![uUcC]\b)|[cC]/[wWbB]|[dD]/[tToO]|[sS]/[pP]|[hHrRyY]/[oO]|i/s/o"
    r"|[aApP]/[wW]|[bB]/[lL]|[nN]/[vV](?:/[dD])?|2/2)(?![\w/]|(?<=[2oOtTpPlLvVwWbBdD])\.\d)"
)
SLASHED_WORDS = "w/ c/w c/b d/t i/s/o a/w p/w 2/2"
"""Those that say how two things belong together, as "with" does."""

SHORT = meanings("words", "shorthand")
"""Read as these words in small letters, in capitals, or with a capital."""


def _contexts(kind: str) -> dict[str, re.Pattern[str]]:
    by_context = by_meaning("words", kind)
    return {meaning: re.compile("|".join(patterns)) for meaning, patterns in by_context.items()}


# "PE: lungs clear" is an examination, "Ca 8.9" calcium, and "OD" the right eye but for overdoses.
_CONTEXTS = _contexts("in context")
_DEPTHS = _contexts("in context of a burn")
_BURN = phrases("words", "burn")


AMONG_CONDITIONS = meanings("abbreviations", "read among conditions")
ITS_OWN_WORDS = meanings("abbreviations", "read by its own words")
UNLESS_OTHERWISE = meanings("abbreviations", "read unless said otherwise")
AMBIGUOUS = AMONG_CONDITIONS | ITS_OWN_WORDS | UNLESS_OTHERWISE
"""Letters with two meanings on a ward, and what they stand for if that is said nowhere else."""
_AMBIGUOUS = re.compile(rf"(?<!\w)(?:{'|'.join(AMBIGUOUS)})(?!\w)")
_AROUND = 100
"""Characters beside them in which is looked for what they mean."""
_HERE = "~"
"""Where the letters stand in a pattern of their context."""


@cache
def _contexts_of(kind: str, abbreviation: str) -> tuple[re.Pattern[str], ...]:
    """Return the contexts of a kind that are of one abbreviation, or of any."""
    word = rf"(?P<word>(?<!\w){abbreviation}(?!\w))"
    return tuple(
        re.compile(row.pattern.replace(_HERE, word))
        for row in rows("abbreviations", kind)
        if row.meaning in ("", abbreviation)
    )


def _abbreviations(text: str) -> Iterator[tuple[int, str]]:
    for match in _AMBIGUOUS.finditer(text):
        yield match.start(), match.group()


def _is_read(place: int, abbreviation: str, text: str) -> bool:
    """Return whether the letters at a place are read as the condition that they stand for."""

    def stands_in(kind: str) -> bool:
        start, end = max(place - _AROUND, 0), place + _AROUND
        return any(
            match.start("word") == place
            for context in _contexts_of(kind, abbreviation)
            for match in context.finditer(text, start, end)
        )

    if stands_in("another meaning"):
        return False
    if abbreviation in UNLESS_OTHERWISE or stands_in("own context"):
        return True
    return abbreviation in AMONG_CONDITIONS and stands_in("among conditions")


def not_read(text: str) -> Collection[int]:
    """Return where letters stand that mean something else, or of which nothing says what they mean."""
    return {place for place, letters in _abbreviations(text) if not _is_read(place, letters, text)}


def read_by_context(text: str) -> Iterator[tuple[int, str]]:
    """Yield where words begin that their surroundings explain, and what they stand for.

    What stands for nothing but itself has no text.
    """
    for place, abbreviation in _abbreviations(text):
        if AMBIGUOUS[abbreviation] and _is_read(place, abbreviation, text):
            yield place, AMBIGUOUS[abbreviation]
    for meaning, pattern in (_CONTEXTS | (_DEPTHS if _BURN.search(text) else {})).items():
        for match in pattern.finditer(text):
            yield match.start(match.lastgroup or 0), meaning

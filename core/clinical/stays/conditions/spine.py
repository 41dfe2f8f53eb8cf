"""Diseases of the spine by the level that stands beside them: "L5/S1 disc extrusion" is lumbosacral.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.2 (as specific as the record);
categories M43.1, M46.2, M46.4, M47, M48.0, M50 and M51 by region; index, Compression, nerve, root, of
a disc disorder: that with radiculopathy.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from core.clinical.names.tables import lists, meanings, phrases, phrases_by_meaning
from core.clinical.stays.note import StayCode, StayNote, apart, span_of
from core.suggest.evidence.spans import Span

LIKELY = 0.75
DISEASES = phrases_by_meaning("spine", "disease")
CODES = lists("spine", "codes of a disease")
"""By disease the stems without more, with radiculopathy and with myelopathy, and what they replace."""
REGIONS = {word: int(digit) for word, digit in meanings("spine", "region").items()}
"""Words for regions, and their digits in the codes."""
_REGION = phrases("spine", "region")
_RADICULOPATHY, _MYELOPATHY = (
    phrases("spine", "with radiculopathy"),
    phrases("spine", "with myelopathy"),
)
_CLAUDICATION = phrases("spine", "with neurogenic claudication")
_LEVEL = re.compile(
    r"\b(?P<part>[CTDLS])(?P<n>\d{1,2})"
    r"(?:(?:\s?[-/–]\s?|\s(?:on|over|upon|and|to)\s)(?P<next>[CTDLS])?(?P<m>\d{1,2})\b(?!\s?[-/–]\s?\d)|(?![\w-]))"
)
_HEADING = re.compile(rf"[\W\d]{{0,6}}(?P<level>{_LEVEL.pattern})[^\n:]{{0,12}}:")
_JOINED = re.compile(r"\s?(?:,|and|&|,\s?and)\s?")
PARTS = "CTLS"
OTHER_NAME = {"D": "T"}
"""Thoracic levels are called dorsal as well."""
CERVICAL, CERVICOTHORACIC, LUMBAR, LUMBOSACRAL = 2, 3, 6, 7
DISCS, MID_CERVICAL = ("displacement", "degeneration"), {4: "21", 5: "22", 6: "23"}
DEEP = {("degeneration", LUMBAR): "9", ("degeneration", LUMBOSACRAL): "9"}
"""Last character of codes that say a pain as well."""


class Level(NamedTuple):
    """A place in the spine: its region, and the number of the upper vertebra, 0 where none is told."""

    region: int
    upper: int


def spine(note: StayNote) -> Iterator[StayCode]:
    """Yield the code of each disease of the spine beside which the note tells the level."""
    spans: dict[str, list[Span]] = defaultdict(list)
    vague: dict[str, set[str]] = defaultdict(set)
    for disease, pattern in DISEASES.items():
        for match in note.affirmed(pattern):
            for level in _levels(match, note):
                code = _code(disease, level, match, note)
                spans[code].append(span_of(match))
                vague[code].update(_vague(disease, code, match, note))
    for code, some in spans.items():
        yield StayCode(code, LIKELY, tuple(some), tuple(sorted(vague[code])))


def _vague(disease: str, code: str, match: re.Match[str], note: StayNote) -> tuple[str, ...]:
    """Return what the note names there without the level, or as a part of it."""
    start, end = note.sentence(match.start())
    begins = tuple(CODES[disease][-1].split(","))
    return tuple(
        other
        for other in note.says(*begins)
        if other != code and note.is_only(other, lambda span: start <= span.start < end)
    )


def _levels(match: re.Match[str], note: StayNote) -> list[Level]:
    """Return the levels nearest to a disease in its sentence, else the region that it names there.

    "L4/5: bulge and facet arthropathy": the level that begins a line is that of all of it.
    """
    line = note.text.rfind("\n", 0, match.start()) + 1
    heading = _HEADING.match(note.text, line, match.start())
    if heading:
        return [_level(heading)]
    start, end = note.sentence(match.start())
    there = list(_LEVEL.finditer(note.text, start, end))
    if there:
        return [_level(found) for found in _nearest(there, match, note.text)]
    words = list(_REGION.finditer(note.text, start, end))
    word = min(words, key=lambda found: apart(found, match), default=None)
    return [Level(REGIONS[word.group().lower()], 0)] if word else []


def _nearest(there: list[re.Match[str]], match: re.Match[str], text: str) -> list[re.Match[str]]:
    """Return the level nearest to a disease, with those that "and" or a comma join to it."""
    nearest = min(there, key=lambda found: apart(found, match))
    first = last = bisect_left([found.start() for found in there], nearest.start())
    while first and _JOINED.fullmatch(text, there[first - 1].end(), there[first].start()):
        first -= 1
    while last + 1 < len(there) and _JOINED.fullmatch(
        text, there[last].end(), there[last + 1].start()
    ):
        last += 1
    return there[first : last + 1]


def _level(match: re.Match[str]) -> Level:
    part, n = OTHER_NAME.get(match["part"], match["part"]), int(match["n"])
    below = OTHER_NAME.get(match["next"] or part, match["next"] or part)
    if part == "C" and n <= 1 + (match["m"] is None):
        return Level(1, n)
    is_between = below != part and match["m"] is not None and int(match["m"]) == 1
    return Level(CERVICAL + 2 * PARTS.index(part) + is_between, n)


def _code(disease: str, level: Level, match: re.Match[str], note: StayNote) -> str:
    plain, with_radiculopathy, with_myelopathy, _ = CODES[disease]
    around = note.sentence(match.start())
    stem = plain
    if any(note.affirmed(_MYELOPATHY, *around)):
        stem = with_myelopathy
    elif any(note.affirmed(_RADICULOPATHY, *around)):
        stem = with_radiculopathy
    if disease in DISCS and level.region <= CERVICOTHORACIC:
        return stem.replace("M51", "M50") + _of_cervical_disc(level)
    if disease == "hemangioma":
        return stem
    if disease == "stenosis" and level.region == LUMBAR:
        has_claudication = next(note.affirmed(_CLAUDICATION), None) is not None
        return f"{stem}{LUMBAR}{1 + has_claudication}"
    last = DEEP.get((disease, level.region), "") if stem == plain else ""
    return f"{stem}{level.region}{last}"


def _of_cervical_disc(level: Level) -> str:
    """Return the characters for the level of a cervical disc: high, of two vertebrae, or at the chest."""
    if level.region == CERVICOTHORACIC:
        return "3"
    return MID_CERVICAL.get(level.upper, "1" if level.upper else "0")

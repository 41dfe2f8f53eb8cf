"""Doubt that a note takes back, and names that conditions lend to something else.

"Pneumonia was suspected but not borne out by the film" denies what it supposed; "Stroke Unit",
"Dr. Gout" and "Park Street" are no conditions, and the hives of "Allergies: sulfa (hives)" are what
a drug does.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from core.clinical.asserting.cues import HYPOTHETICAL, Cue, pattern_of
from core.clinical.names.tables import alternatives, phrases

# Certain words take back what their sentence says; "biopsy negative" only what was in doubt before.
_TAKEN_BACK = pattern_of("taken back")
_IF_IN_DOUBT = pattern_of("taken back if in doubt")
_DOUBT_BEFORE = re.compile(
    rf"{pattern_of('doubt, before', HYPOTHETICAL).pattern}|(?<!\w)\?\s?(?=[A-Za-z])", re.IGNORECASE
)
_DOUBT_BEHIND = re.compile(
    rf"{pattern_of('doubt, behind', HYPOTHETICAL).pattern}|(?<=\w)\s?\?", re.IGNORECASE
)
_NEW_LINE = re.compile(r"\n\s*(?:\n|[-*•#\d]|[A-Z])")
MOST_CHARACTERS = 250
"""Before words that take something back, in which it is looked for."""
_NO_PART = r"(?:with|for|of|in|on|at|to|the|and|or|an?|ha[sd]|have|is|was|from|by|via|per|see|seen|no|not|palliative|hospice|care)\b"
_NAMED_AFTER = re.compile(
    rf"(?P<what>(?<![\w-])(?:(?!{_NO_PART})[A-Za-z][\w'’/-]{{0,30}}[ ]){{1,4}})"
    rf"(?P<cue>(?:{alternatives('cues', 'named after, behind')}))(?![\w-])",
    re.IGNORECASE,
)
_SOMETHING_ELSE = re.compile(alternatives("cues", "something else"))
_ALLERGENS = re.compile(
    rf"\b(?:{alternatives('cues', 'names allergens')})\b:?(?P<list>[^.\n]{{0,200}}(?:\n[^.\n]{{1,80}}(?=\n|$)){{0,12}})",
    re.IGNORECASE,
)
_REACTION = re.compile(
    r"(?:\b\w{1,30}|(?<=allergy)|(?<=intolerance))[ ]?(?:\([ ]?|[-–—=]+>?[ ]|→[ ]?|:[ ]|[ ](?:caus(?:es?|ed|ing)|gives|gave|gets)[ ])"
    r"(?!\w{0,20} ?allerg)(?P<what>[^,;.()\n]{1,60})",
    re.IGNORECASE,
)
_OF_NOW = phrases("cues", "reaction of now")


class Reach(NamedTuple):
    """Words that say something of others, and where these begin and end."""

    cue_start: int
    cue_end: int
    start: int
    end: int


def taken_back(text: str, cues: Iterable[Cue], stops: Sequence[int]) -> Iterator[tuple[Reach, Cue]]:
    """Yield what a note supposes and takes back in the same sentence, or in the next one.

    Args:
        stops: where the sentences of the text begin and end.
    Returns:
        What takes it back and may not be reached over, with the words of doubt; a cue that is the
        words themselves where these are certain and nothing is in doubt.
    """
    doubts = [cue for cue in cues if cue.status == HYPOTHETICAL]
    doubts += [Cue(HYPOTHETICAL, True, *m.span()) for m in _DOUBT_BEFORE.finditer(text)]
    doubts += [Cue(HYPOTHETICAL, False, *m.span()) for m in _DOUBT_BEHIND.finditer(text)]
    doubts.sort(key=lambda cue: cue.start)
    starts = [cue.start for cue in doubts]
    for pattern, is_certain in ((_TAKEN_BACK, True), (_IF_IN_DOUBT, False)):
        for match in pattern.finditer(text):
            first, begins_at = _beginnings(text, match.start(), stops)
            around = doubts[bisect_right(starts, first - 1) : bisect_right(starts, match.start())]
            for cue in (cue for cue in around if cue.end <= match.end()):
                # The "?" of "Hyperkalemia - peaked T?" asks for what stands behind the dash.
                dash = -1 if cue.is_before else text.rfind(" - ", first, cue.start)
                yield Reach(*match.span(), max(first, dash), match.start()), cue
            if is_certain and not around:
                yield Reach(*match.span(), begins_at, match.start()), Cue("", False, *match.span())


def _beginnings(text: str, at: int, stops: Sequence[int]) -> tuple[int, int]:
    """Return where the sentence before that of a place begins, of one line, and its own."""
    n = bisect_right(stops, at)
    begins_at = max(stops[n - 1], at - MOST_CHARACTERS)
    first = max(stops[max(n - 2, 0)], at - MOST_CHARACTERS)
    lines = [match.end() - 1 for match in _NEW_LINE.finditer(text, first, at)]
    return max([first, *lines]), begins_at


def something_else(text: str) -> Iterator[Reach]:
    """Yield departments, doctors and streets with the name of a condition, and reactions to drugs."""
    for match in _NAMED_AFTER.finditer(text):
        yield Reach(*match.span("cue"), *match.span("what"))
    for match in _SOMETHING_ELSE.finditer(text):
        yield Reach(match.start(), match.start(), *match.span())
    for allergens in _ALLERGENS.finditer(text):
        for match in _REACTION.finditer(text, *allergens.span("list")):
            if not _OF_NOW.search(match["what"]):
                yield Reach(match.start(), match.start("what"), *match.span("what"))

"""Codes whose name is all of a line in a list of diagnoses: the best evidence that a note has.

What a physician lists under "Discharge diagnoses" is established, the principal diagnosis first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.documents.clinical.kinds import DIAGNOSES
from core.documents.clinical.sections import sections
from core.documents.document import PART_BREAK, Document
from core.suggest.evidence.spans import Span
from core.suggest.names.clinical_words import keys_of
from core.suggest.names.mentions import Named

FIRST, STEP, LEAST = 0.99, 0.002, 0.95
"""Probability of the first of them, how much less the next one has, and what the last one has."""
_LINE = re.compile(r"[^\n;]+")
# "1. Sepsis 2. Pneumonia" in one line: a number with its point begins another one.
_NUMBER = re.compile(r"(?:^|(?<=\s))(?:#?\d{1,2}[.)]|[-*•#])\s+")
# What was done about it: "Pneumonia - ceftriaxone", "NSTEMI (peak troponin 4)".
_REMARK = re.compile(r"(?<!\s)\s+[-–—]\s|(?<!\s)\s*\(|\.(?=\s|$)")


def listed_codes(document: Document, named: Sequence[Named]) -> list[str]:
    """Return the codes whose names fill a line of a diagnosis list, in its order.

    Args:
        named: codes that the note names and does not deny, the most probable first; of several
            with one name the first counts.
    """
    found: dict[str, None] = {}
    for start, end in _lines(document):
        words = set(keys_of(document.text[start:end]))
        code = next((one.concept_id for one in named if _fills(one, start, end, words)), None)
        if code is not None:
            found[code] = None
    return list(found)


def with_listed(chances: Mapping[str, float], listed: Sequence[str]) -> dict[str, float]:
    """Return probabilities where listed codes are nearly certain, in the order of their list."""
    found = dict(chances)
    for n, code in enumerate(listed):
        found[code] = max(FIRST - n * STEP, LEAST)
    return found


def _lines(document: Document) -> Iterator[tuple[int, int]]:
    """Yield where the lines of diagnosis lists begin and end, without remarks."""
    offset = 0
    for part in document.parts:
        for section in sections(part.text):
            if section.kind == DIAGNOSES:
                yield from (
                    (start + offset, end + offset)
                    for start, end in _of_section(part.text, section.body, section.end)
                )
        offset += len(part.text) + len(PART_BREAK)


def _of_section(text: str, body: int, end: int) -> Iterator[tuple[int, int]]:
    for line in _LINE.finditer(text, body, end):
        marks = [match.span() for match in _NUMBER.finditer(text, *line.span())]
        starts = [line.start(), *(behind for _, behind in marks)]
        ends = [*(at for at, _ in marks), line.end()]
        for first, last in zip(starts, ends, strict=True):
            remark = _REMARK.search(text, first, last)
            yield first, remark.start() if remark else last


def _fills(named: Named, start: int, end: int, words: set[str]) -> bool:
    """Return whether one of a code's mentions has all the words that stand here."""
    return any(
        _is_within(mention.span, start, end) and words <= set(keys_of(mention.written))
        for mention in named.mentions
    )


def _is_within(span: Span, start: int, end: int) -> bool:
    return span.field == "text" and start <= span.start and span.end <= end

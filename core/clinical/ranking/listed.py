"""Codes whose name is a line in a list of diagnoses, or begins it: the best evidence of a note.

What a physician lists under "Discharge diagnoses" is established, the principal diagnosis first.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, II (the principal diagnosis is what
is established after study, so lists of the discharge come before those of the admission) and III.B
(findings of a report are coded where the physician says what they mean).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.clinical.asserting.check_boxes import BOX
from core.clinical.assertions import is_denying
from core.clinical.kinds import DIAGNOSES, HISTORY, HOSPITAL_COURSE, OF_RESULTS, OTHER, PLAN
from core.clinical.names.clinical_words import keys_of
from core.clinical.names.mentions import Mention, Named
from core.clinical.names.tables import alternatives, expression
from core.clinical.sections import Section, sections
from core.documents.document import PART_BREAK, Document, Part
from core.suggest.evidence.spans import Span

FIRST, STEP, LEAST = 0.99, 0.002, 0.95
"""Probability of the first of them, how much less the next one has, and what the last one has."""
_LINE = re.compile(r"[^\n;]+")
# "1. Sepsis 2. Pneumonia" in one line: a number with its point begins another one.
_NUMBER = re.compile(rf"(?:^|(?<=\s))(?:#?\d{{1,2}}[.)]|[-*•#]|{BOX.pattern})\s+")
# What was done about it: "Pneumonia - ceftriaxone", "NSTEMI (peak troponin 4)".
_REMARK = re.compile(r"(?<!\s)\s+[-–—]\s|(?<!\s)\s*\(|\.(?=\s|$)")
# What a line adds to the name that begins it: "Fracture of right femur, closed, after a fall".
_FURTHER = re.compile(
    r"\s{0,3}(?:,|\b(?:with|without|due to|secondary to|after|on|s/p|status post)\b"
    r"|(?<!\S)(?:w/|w/o\b|d/t\b|2/2\b|c/b\b))",
    re.IGNORECASE,
)
# Behind a disease another one may follow; "fever and neutropenia" is one finding.
_AND = re.compile(r"\s{0,3}(?:&|\b(?:and|plus)\b)", re.IGNORECASE)
SYMPTOM = "R"
# "Incidental 7 mm pulmonary nodule", "Colles' fracture left": what stands around a name in its line.
_PROBLEM = re.compile(
    r"^[ \t]*(?:(?:#\d{0,2}[.)]?|\d{1,2}[.)])[ \t]*(?P<problem>[^\n;:]+)"
    r"|(?:[-*•][ \t]+)?(?P<heading>[A-Za-z](?:[^\n;:.]|\.(?=\S)){1,60}):)",
    re.MULTILINE,
)
_QUALIFIED = re.compile(
    rf"\s{{0,3}}(?:(?:{alternatives('kinds', 'before a listed name')})\s{{1,3}}){{1,4}}",
    re.IGNORECASE,
)
_SIDES = frozenset(keys_of("right left bilateral R L Rt Lt"))
_OF_DISCHARGE = re.compile(
    r"\b(?:discharge|final|principal|primary|secondary|other|post-?op\w*)\b", re.IGNORECASE
)
# "Postoperative diagnosis: same": what stands before the operation is the diagnosis.
_OF_OPERATION = re.compile(r"\b(?:pre|post)-? ?op|\bfinal\b", re.IGNORECASE)
_SAME = expression("operations", "the same")
# What stands beside the principal diagnosis, and of what no more than a line is said.
_BESIDE_IT = re.compile(r"\b(?:other|additional|chronic)\b", re.IGNORECASE)
_PROBLEM_ALONE = re.compile(r"\bproblem$", re.IGNORECASE)
_PRINCIPAL = re.compile(
    r"(?:principal|primary|main) (?:discharge )?(?:diagnosis|dx|problem)", re.IGNORECASE
)


PRINCIPAL, LISTED, BESIDE = "principal", "listed", "beside it"
PROBLEM, HEADING = "problem", "heading"
TELLING = (HISTORY, HOSPITAL_COURSE, PLAN, OTHER)
"""Kinds of sections that tell how a stay goes, as does what stands in none."""
OF_COURSE = (PROBLEM, HEADING)
"""Kinds of lines that tell how a stay went: symptoms that head one are none of its diagnoses."""


class ListLine(NamedTuple):
    """Where a line of a list of diagnoses begins and ends, and of what kind it is."""

    start: int
    end: int
    kind: str

    def moved(self, offset: int) -> ListLine:
        """Return it with places in a text that begins so many characters before."""
        return ListLine(self.start + offset, self.end + offset, self.kind)


def listed_codes(document: Document, named: Sequence[Named]) -> list[str]:
    """Return the codes whose names fill a line of a diagnosis list, or begin it, in its order.

    Args:
        named: codes that the note names and does not deny, the most probable first; of several
            with one name the first counts.
    """
    text = document.text
    mentions = [
        (rank, mention)
        for rank, code in enumerate(named)
        for mention in code.mentions
        if mention.span.field == "text"
    ]
    mentions.sort(key=lambda ranked: ranked[1].span.start)
    starts = [mention.span.start for _, mention in mentions]
    listed: dict[str, None] = {}
    for start, end, kind in _lines(document):
        there = mentions[bisect_left(starts, start) : bisect_right(starts, end)]
        within = [(rank, mention) for rank, mention in there if mention.span.end <= end]
        rank = _filling(within, text[start:end])
        if rank is None:
            rank = _heading(within, text, (start, end), _diseases(within, named))
        if rank is None and kind == PRINCIPAL:
            rank = _first(within)
        is_told = kind in OF_COURSE and rank is not None and rank not in _diseases(within, named)
        if rank is not None and not is_told:
            listed[named[rank].concept_id] = None
    return list(listed)


def leading_codes(
    document: Document,
    names: Mapping[str, Sequence[Span]],
    others: Mapping[str, Sequence[Span]],
) -> list[tuple[str, ...]]:
    """Return for each line of the diagnosis lists the codes that it says, the first told first.

    The principal diagnosis may stand in words that no name fills: "Obstructing 5 mm calculus".

    Args:
        names: by code where its names stand.
        others: by code where other words say it; a name that stands there goes before.
    """
    places = sorted(
        (span.start, n, -span.end, code)
        for n, spans in enumerate((names, others))
        for code, some in spans.items()
        for span in some
        if span.field == "text"
    )
    starts = [start for start, *_ in places]
    lines = []
    kinds: list[str] = []
    for start, end, kind in _lines(document):
        # Of the problems of a course the first alone may be the principal one.
        is_later = kind == PROBLEM and PROBLEM in kinds
        if kind not in (HEADING, BESIDE) and not is_later:
            there = places[bisect_left(starts, start) : bisect_left(starts, end)]
            lines.append(tuple(dict.fromkeys(code for *_, code in there)))
        kinds.append(kind)
    return lines


def with_listed(chances: Mapping[str, float], listed: Sequence[str]) -> dict[str, float]:
    """Return probabilities where listed codes are nearly certain, in the order of their list."""
    raised = dict(chances)
    for n, code in enumerate(listed):
        raised[code] = max(FIRST - n * STEP, LEAST)
    return raised


def _lines(document: Document) -> list[ListLine]:
    """Return the lines of diagnosis lists.

    The principal diagnosis comes first, then those of the discharge. Where a note has no list, the
    problems that head the paragraphs of its course are one.
    """
    has_stay = any(not _is_report(part) for part in document.parts)
    principal: list[ListLine] = []
    of_discharge: list[ListLine] = []
    others: list[ListLine] = []
    offset = 0
    for part in document.parts:
        note_sections = sections(part.text)
        final = _OF_DISCHARGE
        if any(_is_as_before(section, part.text) for section in note_sections):
            final = _OF_OPERATION
        is_beside = has_stay and _is_report(part)
        if not is_beside and not any(section.kind == DIAGNOSES for section in note_sections):
            others += [line.moved(offset) for line in _problems(part.text, note_sections)]
        for section in note_sections:
            if section.kind == DIAGNOSES and not is_beside:
                lines = of_discharge if final.search(section.title) else others
                for line in _of_section(part.text, section):
                    (principal if line.kind == PRINCIPAL else lines).append(line.moved(offset))
        offset += len(part.text) + len(PART_BREAK)
    return principal + of_discharge + others


def _problems(text: str, note_sections: Sequence[Section]) -> Iterator[ListLine]:
    """Yield the problems of a course: "# Colitis - steroids", "- HTN: amlodipine"."""
    starts = [section.start for section in note_sections]
    for line in _PROBLEM.finditer(text):
        place = bisect_right(starts, line.start())
        if place and note_sections[place - 1].kind not in TELLING:
            continue
        kind = line.lastgroup or PROBLEM
        start, end = line.span(kind)
        remark = _REMARK.search(text, start, end)
        yield ListLine(start, remark.start() if remark else end, kind)


def _is_as_before(section: Section, text: str) -> bool:
    """Return whether a diagnosis after an operation is the one before it."""
    is_after = _OF_DISCHARGE.search(section.title) and _OF_OPERATION.search(section.title)
    return bool(is_after and _SAME.match(text, section.body))


def _is_report(part: Part) -> bool:
    return part.kind in OF_RESULTS


def _of_section(text: str, section: Section) -> Iterator[ListLine]:
    """Yield the lines of a section of diagnoses; of "Principal problem: …" the first alone."""
    kind = BESIDE if _BESIDE_IT.search(section.title) else LISTED
    if _PRINCIPAL.fullmatch(section.title.strip()):
        kind = PRINCIPAL
    for number, line in enumerate(_LINE.finditer(text, section.body, section.end)):
        if number and _PROBLEM_ALONE.search(section.title):
            break
        marks = [match.span() for match in _NUMBER.finditer(text, *line.span())]
        starts = [line.start(), *(behind for _, behind in marks)]
        ends = [*(at for at, _ in marks), line.end()]
        for first, last in zip(starts, ends, strict=True):
            remark = _REMARK.search(text, first, last)
            yield ListLine(first, remark.start() if remark else last, kind)


def _diseases(within: Sequence[tuple[int, Mention]], named: Sequence[Named]) -> set[int]:
    """Return the ranks of what is no symptom."""
    return {rank for rank, _ in within if named[rank].concept_id[0] != SYMPTOM}


def _filling(within: Sequence[tuple[int, Mention]], line: str) -> int | None:
    """Return the first rank of a mention that has all the words of its line."""
    words = set(keys_of(line)) - _SIDES
    return min(
        (
            rank
            for rank, mention in within
            if words and words <= set(keys_of(mention.written)) and _stands(mention)
        ),
        default=None,
    )


def _heading(
    within: Sequence[tuple[int, Mention]],
    text: str,
    line: tuple[int, int],
    diseases: Collection[int],
) -> int | None:
    """Return the rank of the longest name that begins a line which goes on with a remark.

    Args:
        diseases: ranks of which the line may go on with another one.
    """
    start, end = line
    first = end - len(text[start:end].lstrip())
    qualified = _QUALIFIED.match(text, start, end)
    firsts = {first, qualified.end()} if qualified else {first}
    heading = [
        (mention.span.end, -rank)
        for rank, mention in within
        if mention.span.start in firsts
        and _stands(mention)
        and (
            _FURTHER.match(text, mention.span.end, end)
            or (rank in diseases and _AND.match(text, mention.span.end, end))
        )
    ]
    return -max(heading)[1] if heading else None


def _first(within: Sequence[tuple[int, Mention]]) -> int | None:
    """Return the rank of the longest of the names that stand first in a line."""
    leading = [
        (mention.span.start, -mention.span.end, rank)
        for rank, mention in within
        if _stands(mention)
    ]
    return min(leading)[2] if leading else None


def _stands(mention: Mention) -> bool:
    return not mention.is_over and not is_denying(mention.assertion)

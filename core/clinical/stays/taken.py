"""What a patient is allergic to, takes or no longer takes for long, and has in the family.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.21.c.3 (status: allergies, Z88
and Z91.0-, and long-term drug therapy, Z79, which is not coded of what is given for a time) and c.4
(history of the family, Z80 to Z84).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.asserting.cues import FAMILY
from core.clinical.kinds import ALLERGIES
from core.clinical.names.tables import (
    expression,
    lists,
    meanings,
    patterns,
    phrases,
    phrases_by_meaning,
)
from core.clinical.sections import Section, sections
from core.clinical.stays.births import NEWBORN, is_of
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

LIKELY = 0.7
LONG_TERM = "Z79"


OF_ALLERGENS = phrases_by_meaning("taken", "allergy")
_LISTS_ALLERGIES = phrases("taken", "allergies of a sentence")
_GIVEN = phrases("taken", "given instead of an allergen")
_REACTION = phrases("taken", "reaction, behind a drug")
_NEAR = 20
"""Characters before a reaction in which is looked for the drug: "penicillin gives her a rash"."""
_MOST_WORDS = 8
"""Of a sentence that goes on with a list of allergies."""
# How a drug is called that is taken each day; what is given for a time is no such use.
LONG_USE = phrases_by_meaning("taken", "taken for long")
_VISIBLE = re.compile(r"\S")
_VISIBLE_WORD = re.compile(r"\S+")
_FOR_A_TIME = phrases("taken", "for a time")
_STOPPED_BEFORE = expression("taken", "stopped, before a drug")
_STOPPED_BEHIND = expression("taken", "stopped, behind a drug")
_AGAIN = phrases("taken", "taken again")
_REACH = 40
"""Characters before a drug in which is looked for what was done with it."""


def taken(note: StayNote) -> Iterator[StayCode]:
    """Yield what stands under allergies, and what is taken daily."""
    places = list(_places_of_allergens(note))
    for code, pattern in OF_ALLERGENS.items():
        match = next((m for m in note.affirmed(pattern) if _is_in(m, places)), None)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))
    for code, pattern in LONG_USE.items():
        for match in pattern.finditer(note.text):
            # What is behind the drug, such as since when, may stand before another one that is denied.
            word = _VISIBLE_WORD.match(note.text, match.start())
            if word is None or note.denies(*word.span()):
                continue
            if not is_stopped(span_of(match), note) and not _is_for_a_time(match, note):
                yield StayCode(code, LIKELY, (span_of(match),))
                break


def no_longer_taken(note: StayNote) -> list[str]:
    """Return the codes of long-term use of drugs that the note names only where they were stopped."""
    return [
        code
        for code in note.says(LONG_TERM)
        if note.is_only(code, lambda span: is_stopped(span, note))
    ]


def is_stopped(span: Span, note: StayNote) -> bool:
    """Return whether a drug was stopped for good where it is named."""
    start, end = note.sentence(span.start)
    before = note.text[max(start, span.start - _REACH) : span.start]
    is_said = _STOPPED_BEFORE.search(before) or _STOPPED_BEHIND.match(note.text, span.end, end)
    return bool(is_said) and not _AGAIN.search(note.text, start, end)


def _is_for_a_time(match: re.Match[str], note: StayNote) -> bool:
    return bool(_FOR_A_TIME.search(note.text, *note.sentence(match.start())))


def _places_of_allergens(note: StayNote) -> Iterator[tuple[int, int]]:
    """Yield where allergens are listed, as far as to what was given instead."""
    for start, end in _lists_of_allergies(note):
        given = _GIVEN.search(note.text, start, end)
        yield start, given.start() if given else end


def _lists_of_allergies(note: StayNote) -> Iterator[tuple[int, int]]:
    for section in sections(note.text):
        if section.kind == ALLERGIES:
            yield section.body, _end_of_allergies(section, note)
    for match in _LISTS_ALLERGIES.finditer(note.text):
        yield match.end(), note.sentence(match.end())[1]
    for match in _REACTION.finditer(note.text):
        yield max(note.sentence(match.start())[0], match.start() - _NEAR), match.start()


def _end_of_allergies(section: Section, note: StayNote) -> int:
    """Return where a list of allergies ends that no header ends: at a blank line, or a long sentence."""
    first = _VISIBLE.search(note.text, section.body, section.end)
    end = note.sentence(first.start())[1] if first else section.end
    while end < section.end:
        start, behind = end, note.sentence(end)[1]
        said = note.text[start:behind]
        is_blank = not said.strip() and note.text[start - 1] == "\n"
        if is_blank or len(said.split()) > _MOST_WORDS:
            break
        end = behind
    return min(end, section.end)


def _is_in(match: re.Match[str], places: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in places)


# ---------------------------------------------------------------------- the family

LESS_LIKELY = 0.4
# A relative's disease counts where the patient has, or is examined for, one that it bears on, by the
# beginning of its code; the longest counts. Of others, where the note names little else.
SHARED_RISKS = lists("histories", "history of the family beside")
CODED_AS_A_RULE = patterns("histories", "history of the family coded as a rule")
CODED_BY_HALF = 0.55
LITTLE = 3
"""Codes at most of a note that names little else."""
# The code of a family history by the beginning of the code of the disease; the longest counts.
OF_FAMILY = meanings("histories", "history of the family")
_NO_RELATIVE = phrases("histories", "no relative by blood")


def family(note: StayNote) -> Iterator[StayCode]:
    """Yield the history of each disease that a relative by blood has or had.

    A newborn's mother is the parent of whose conditions its own note tells.
    """
    if is_of(NEWBORN, note):
        return
    for named in (*note.denied, *note.named):
        begins = [begin for begin in OF_FAMILY if named.concept_id.startswith(begin)]
        spans = tuple(
            mention.span
            for mention in named.mentions
            if mention.assertion is not None
            and mention.assertion.status == FAMILY
            and not _NO_RELATIVE.search(mention.assertion.cue)
        )
        if begins and spans:
            code = OF_FAMILY[max(begins, key=len)]
            risks = [begin for begin in SHARED_RISKS if code.startswith(begin)]
            bears = SHARED_RISKS[max(risks, key=len)] if risks else (code,)
            is_likely = bool(note.says(*bears)) or len(note.codes) <= LITTLE
            otherwise = CODED_BY_HALF if code.startswith(CODED_AS_A_RULE) else LESS_LIKELY
            yield StayCode(code, LIKELY if is_likely else otherwise, spans)

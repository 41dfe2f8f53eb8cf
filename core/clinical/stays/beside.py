"""Codes that a coder does not give beside another one, and symptoms that are given.

Source: the Excludes1 notes of the tabular list; ICD-10-CM Official Guidelines for Coding and
Reporting, I.B.2 (as specific as the record), I.B.4 to I.B.6 (symptoms), I.C.4.a (of a diabetes, as many
codes as it has complications), I.C.9.d and I.C.18 (deficits of a stroke, severe sepsis and shock
are no mere symptoms), I.C.20.a (external causes go with an injury) and III.A (what was earlier and
has no bearing on the stay is not coded).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations

from core.clinical.coding.rules.diabetes import CATEGORIES
from core.clinical.coding.rules.symptoms import INTEGRAL, diseases_of
from core.clinical.coding.titles import LEFT, RIGHT, open_places, side_of, stated_words, words
from core.clinical.instructions import (
    CODE_ALSO,
    EXCLUDES_1,
    USE_ADDITIONAL,
    Instruction,
    instructions,
)
from core.clinical.names.tables import lists, patterns, phrases, rows
from core.clinical.notation import category_of
from core.clinical.stays.births import (
    NEWBORN,
    is_of,
    of_another_patient,
    speaks_of_newborn,
)
from core.clinical.stays.detail import is_part
from core.clinical.stays.encounters import is_told_as_earlier, only_before_operation
from core.clinical.stays.note import StayCode, StayNote
from core.clinical.stays.numbers import ADULT, years_of
from core.clinical.stays.places import CAUSES, is_injury
from core.clinical.stays.strokes import left_by_this_stroke, old_infarctions
from core.clinical.stays.taken import no_longer_taken
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy

EVEN = 0.5
LIKELY = 0.7
COMPARED = 0.3
"""Probability from which on codes are compared with each other."""
SYMPTOM = "R"
_WITH = " with "
# Chapter 18 has deficits, complications and states as well, which belong to no disease as a rule.
NO_MERE_SYMPTOMS = patterns("beside", "no mere symptom")
# Long-term use (Z79) is not coded of what is given for a time (I.C.4.a.3).
LONG_TERM = ("Z79",)
_LEFT_OPEN = re.compile(r"\b(?:unspecified|unidentified)\b", re.IGNORECASE)
_FOR_A_TIME = phrases("beside", "given for a time")
_AT_HOME = re.compile(r"\b(?:home|long[- ]term|chronic|daily|every day)\b", re.IGNORECASE)
_AROUND = 25
"""Characters beside a drug in which is looked for how it was given."""
# What was made in this stay is no status (I.C.21.c.3).
MADE = ("Z89", "Z90", "Z93", "Z94", "Z95", "Z96", "Z97.5", "Z98.4")
MAY_BE_REMOVED = ("Z93", "Z95.8", "Z97.5")
_REMOVED = phrases("beside", "removed")
_IN_THIS_STAY = phrases("beside", "made in this stay")
# A condition that belongs to a disease beside it, as symptoms do (I.B.5).
BELONGS = lists("beside", "belongs to")
# Earlier operations that bear on nothing but diseases of their organ (III.A).
EARLIER = lists("beside", "bears on")
SEPSIS = ("A40", "A41")
# The tabular list has a germ's name alone under its sepsis: "Pseudomonas aeruginosa" (A41.52).
_OF_SEPSIS = re.compile(r"sep(?:sis|tic)|bacter(?:a)?emi|blood ?stream", re.IGNORECASE)
ILEUS, AFTER_OPERATION = "K56.7", "K91.89"
"""An ileus after an operation stands beside the obstruction that was operated on."""
INJURIES = ("S", "T2", "M80", "M84")
SEVERAL = {"S22.3": "S22.4"}
"""Beginnings of the codes of one injury, and of several of that kind."""
_SEVERAL = phrases("beside", "several injuries")
NO_CAUSES = ("Y8", "Y90", "Y95")
"""Of the external causes those that go with a complication, a drug or an infection."""
# What a code is beside one of others: bleeding varices in a cirrhosis, an ulcer with a bleeding.
BESIDE_ANOTHER = [
    (row.pattern, instead, others)
    for row in rows("coding", "one code beside another")
    for instead, *others in [row.meaning.split()]
]
# What has many things in one category: statuses, metastases; psoriasis of the joints beside that of the skin.
OF_MANY_THINGS = ("Z", "C78", "C79", "L40.5")
LASTING_SINCE_BIRTH = ("P27",)
"""Beginnings of codes of conditions that begin at birth and that adults may have (I.C.16.a.4)."""
# Bleeding, where a disease says that it bleeds.
BLEEDING = ("K92.0", "K92.1", "K92.2")
_BLEEDS = re.compile(r"(?<!without )(?:hemorrhage|bleeding)")


def is_cause(code: str, note: StayNote) -> bool:
    """Return whether a code is one of the external causes: injuries name them in their chapter."""
    if code not in note.hierarchy:
        return False
    chapter = note.hierarchy[note.hierarchy.path(code)[0]].label().lower()
    return "external causes" in chapter and "injury" not in chapter


def beside_another(note: StayNote) -> Iterator[StayCode]:
    """Yield the code that takes the place of one which stands beside another one."""
    said = set(note.codes)
    for code, instead, others in (one for one in BESIDE_ANOTHER if one[0] in said):
        old = old_infarctions(note)
        beside = next((other for other in note.says(*others) if other not in old), None)
        if beside:  # which is said as well where both are of one category
            replaced = (code, beside) if category_of(beside) == category_of(instead) else (code,)
            spans = (*note.spans(code), *note.spans(beside))
            yield StayCode(instead, max(LIKELY, note.chances[code]), spans, replaced)


def is_kept(symptom: str, note: StayNote) -> bool:
    """Return whether a symptom is coded beside the diseases of a note, as a code of its own."""
    if _belongs_to_disease(symptom, note):
        return False
    if any(
        symptom.startswith(tuple(others))
        for code, _, others in BESIDE_ANOTHER
        if note.chances.get(code, 0.0) >= COMPARED
    ):
        return True
    return symptom.startswith(NO_MERE_SYMPTOMS) or any(
        instruction.codes.matches(symptom) and not instruction.is_loose
        for code in note.codes
        if note.chances[code] >= COMPARED
        for instruction in instructions(code, note.hierarchy, (USE_ADDITIONAL, CODE_ALSO))
    )


def _belongs_to_disease(symptom: str, note: StayNote) -> bool:
    return next(diseases_of(symptom, note.codes, note.hierarchy), None) is not None


def behind(note: StayNote) -> Iterator[str]:
    """Yield codes that are not given beside another one of the note."""
    yield from of_another_patient(note)
    yield from _of_birth(note)
    yield from no_longer_taken(note)
    yield from old_infarctions(note)
    yield from () if _OF_SEPSIS.search(note.text) else note.says(*SEPSIS)
    of_this_stroke = left_by_this_stroke(note)
    yield from of_this_stroke
    yield from only_before_operation(note)
    of_newborn = is_of(NEWBORN, note)
    yield from (i for i in note.says(*LONG_TERM) if of_newborn or _is_for_a_time(i, note))
    yield from (code for code in note.says(*MADE) if _is_of_this_stay(code, note))
    yield from (code for code in note.says(*INTEGRAL) if _belongs_to_disease(code, note))
    belonging = {
        code
        for begin, diseases in BELONGS.items()
        if note.says(*diseases)
        for code in note.says(begin)
    }
    yield from belonging
    for begin, diseases in EARLIER.items():
        yield from () if note.says(*diseases) else note.says(begin)
    if not is_injury(note):
        yield from (i for i in note.chances if i.startswith(CAUSES) and not i.startswith(NO_CAUSES))
    likely = [
        code
        for code, p in note.chances.items()
        if p >= COMPARED
        and code in note.hierarchy
        and code not in note.barred
        and code not in of_this_stroke
        and code not in belonging
    ]
    if any(_bleeds(code, note) for code in likely if code not in BLEEDING):
        yield from (code for code in likely if code in BLEEDING)
        likely = [code for code in likely if code not in BLEEDING]
    said_by_another = set(_said_by_another(likely, note))
    yield from said_by_another
    yield from _of_one_and_several(note)
    yield from _within(likely, note)
    yield from _excluded([code for code in likely if code not in said_by_another], note)


def _of_birth(note: StayNote) -> list[str]:
    """Return what letters that stand for a condition of newborns, such as HIE, say in an adult's note."""
    years = years_of(note)
    if years is None or years < ADULT or speaks_of_newborn(note):
        return []
    return [code for code in note.says("P") if not code.startswith(LASTING_SINCE_BIRTH)]


def _is_for_a_time(code: str, note: StayNote) -> bool:
    """Return whether the note says a drug only where it was given for a time."""

    def is_for_a_time(span: Span) -> bool:
        around = note.text[max(span.start - _AROUND, 0) : span.end + _AROUND]
        return bool(_FOR_A_TIME.search(around)) and not _AT_HOME.search(around)

    return note.is_only(code, is_for_a_time)


def _is_of_this_stay(code: str, note: StayNote) -> bool:
    """Return whether the note says an operation only as one of this stay."""

    def is_of_this_stay(span: Span) -> bool:
        if code.startswith(MAY_BE_REMOVED) and note.has_beside(_REMOVED, span):
            return True
        return note.has_beside(_IN_THIS_STAY, span) and not is_told_as_earlier(span, note)

    spans = note.spans(code) or _spans_without_side(code, note)
    return bool(spans) and all(map(is_of_this_stay, spans))


def _spans_without_side(code: str, note: StayNote) -> list[Span]:
    """Return where the name of a status stands, whose side the words beside it say."""
    if len(code) < len("Z96.652"):
        return []
    siblings = (named.concept_id for named in note.named if named.concept_id[:-1] == code[:-1])
    return [span for sibling in siblings for span in note.spans(sibling)]


def _said_by_another(likely: Sequence[str], note: StayNote) -> Iterator[str]:
    """Yield codes of which another one of their group says all, or what they leave open.

    I50.33 says both I50.31 and I50.32, and J44.1 what J44.9 leaves open.
    """
    sure = [code for code in likely if note.chances[code] >= EVEN]
    for code in likely:
        if code == ILEUS and AFTER_OPERATION in sure:
            continue
        others = (other for other in sure if _group(other) == _group(code))
        if any(_says_more(other, code, note.hierarchy) for other in others):
            yield code


def _says_more(code: str, general: str, hierarchy: Hierarchy) -> bool:
    """Return whether a code says all of another one, or is exact where that one is open."""
    if is_part(general, code, hierarchy):
        return True
    if code.startswith(INJURIES):
        if not _has_side_of(code, general, hierarchy):
            return False
        if _is_left_open(general, code, hierarchy):
            return True
    is_exact = is_open(general, hierarchy) and not is_open(code, hierarchy)
    return is_exact and not general.startswith(CATEGORIES) and not is_part(code, general, hierarchy)


def _has_side_of(code: str, general: str, hierarchy: Hierarchy) -> bool:
    return side_of(hierarchy[general].label()) in ("", side_of(hierarchy[code].label()))


def _is_left_open(general: str, code: str, hierarchy: Hierarchy) -> bool:
    """Return whether an injury leaves open what another one of the same visit says.

    The fracture of an unspecified part of the neck of the femur leaves open what an unspecified
    intracapsular one says, though the titles of both have open parts.
    """
    if code == general or code[-1] != general[-1]:
        return False
    for concept, parent in open_places(general, hierarchy):
        beside = [other for other in hierarchy.narrower(parent) if code.startswith(other)]
        if concept not in beside and any(not _says_no_more(i, parent, hierarchy) for i in beside):
            return _says_no_more(concept, parent, hierarchy)
    return False


def _says_no_more(concept: str, parent: str, hierarchy: Hierarchy) -> bool:
    return stated_words(hierarchy[concept].label()) <= words(hierarchy[parent].label())


def _of_one_and_several(note: StayNote) -> Iterator[str]:
    """Yield codes of one injury where the note speaks of several, or of several where it has one."""
    for one_begin, several_begin in SEVERAL.items():
        for one in note.says(one_begin):
            for several in note.says(several_begin):
                sides = {side_of(note.hierarchy[code].label()) for code in (one, several)}
                if one[-1] == several[-1] and not sides >= {LEFT, RIGHT}:
                    yield one if _speaks_of_several(several_begin, note) else several


def _speaks_of_several(begin: str, note: StayNote) -> bool:
    return any(
        _SEVERAL.search(note.text, *note.sentence(mention.span.start))
        for named in note.named
        if named.concept_id.startswith(begin)
        for mention in named.mentions
    )


def _group(code: str) -> str:
    """Return the category of a code; a narrow group where one has many things."""
    return code[:5] if code.startswith(OF_MANY_THINGS) else category_of(code)


def _within(likely: Sequence[str], note: StayNote) -> Iterator[str]:
    """Yield codes that leave something open, where the note names them only in longer names."""
    names = sorted(
        (mention.span.start, mention.span.end)
        for code in likely
        if note.chances[code] >= EVEN
        for mention in note.mentions(code)
    )
    starts = [start for start, _ in names]
    # The farthest end of the names that begin no later.
    ends = list(accumulate((end for _, end in names), max))
    for code in likely:
        is_within = note.is_only(code, lambda span: _is_inside_a_name(span, starts, ends))
        if is_within and is_open(code, note.hierarchy):
            yield code


def _is_inside_a_name(span: Span, starts: Sequence[int], ends: Sequence[int]) -> bool:
    before, upto = bisect_left(starts, span.start), bisect_right(starts, span.start)
    is_behind_a_start = before > 0 and ends[before - 1] >= span.end
    return is_behind_a_start or (upto > 0 and ends[upto - 1] > span.end)


def is_open(code: str, hierarchy: Hierarchy) -> bool:
    """Return whether the title of a code leaves something open."""
    return code in hierarchy and bool(_LEFT_OPEN.search(hierarchy[code].label()))


def _bleeds(code: str, note: StayNote) -> bool:
    label = note.hierarchy[code].label().lower()
    return code.startswith(("K", "I85")) and _BLEEDS.search(label) is not None


def _excluded(likely: list[str], note: StayNote) -> Iterator[str]:
    """Yield of two codes that exclude each other the one that says less.

    A note at one of them sends what it is about to the other ("hemorrhage with peptic ulcer").
    """
    stated = {code: instructions(code, note.hierarchy, [EXCLUDES_1]) for code in likely}
    for first, second in combinations(likely, 2):
        pair = ((first, second), (second, first))
        sends = [
            code for code, other in pair if any(rule.codes.matches(other) for rule in stated[code])
        ]
        joined = [code for code, other in pair if _joins(other, stated[code])]
        if len(joined) == 1 and not joined[0].startswith(SYMPTOM):
            yield joined[0]
        elif sends:
            less = [code for code in (first, second) if code.startswith(SYMPTOM)]
            less = less or [code for code in (first, second) if is_open(code, note.hierarchy)]
            yield min(less or sends, key=lambda code: _says(code, note))


def _joins(other: str, stated: Sequence[Instruction]) -> bool:
    """Return whether a note gives both conditions to the other code: "rhinitis with asthma (J45.909)"."""
    return any(_WITH in rule.text and rule.codes.matches(other) for rule in stated)


def _says(code: str, note: StayNote) -> tuple[bool, bool, float]:
    """Return what makes a code the better of two: no symptom, nothing left open, likely."""
    return not code.startswith(SYMPTOM), not is_open(code, note.hierarchy), note.chances[code]

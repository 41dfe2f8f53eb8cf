"""Complications of a diabetes that the note names without its type, or in one name with it.

"Diabetic neuropathy" and "DKA" are names of type 2, which is meant where no type is stated.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.4.a.1 and 2; I.A.13 (a
manifestation is coded behind the diabetes).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.coding.rules.diabetes import CATEGORIES
from core.clinical.names.tables import phrases, phrases_by_meaning
from core.clinical.stays.note import StayCode, StayNote, span_of

TYPE_1, TYPE_2 = "E10", "E11"
_SAYS_TYPE_2 = re.compile(r"\b(?:type (?:2|II)|T2DM|DM2|NIDDM)\b", re.IGNORECASE)
LIKELY = 0.7
_OF_MANY_NERVES = re.compile(r"peripheral|poly|distal|sensor", re.IGNORECASE)
_INDUCED = re.compile(r"[- ](?:induced|related|associated) $", re.IGNORECASE)
_BEFORE = 12  # characters
NEUROPATHY = "G62.9"
# Of a retinopathy the stage, and whether the macula is swollen, for each eye.
STAGES = phrases_by_meaning("beside", "stage of a retinopathy")
_RETINOPATHY = phrases("beside", "retinopathy")
_EDEMA = phrases("beside", "macular edema")
_EYES = phrases_by_meaning("beside", "eye")
OPEN_EYE, BOTH_EYES = "9", "3"
MANIFESTATIONS = phrases_by_meaning("beside", "manifestation of diabetes")


def type_1(note: StayNote) -> Iterator[StayCode]:
    """Yield codes of type 1 in place of those of type 2, where the note speaks of type 1 alone."""
    if not note.says(TYPE_1) or _SAYS_TYPE_2.search(note.text):
        return
    for code in note.says(TYPE_2):
        spans = note.spans(code)
        yield StayCode(code.replace(TYPE_2, TYPE_1), note.chances[code], spans, (code,))


def manifestations(note: StayNote) -> Iterator[StayCode]:
    """Yield what a note names together with the diabetes, whose code does not say it."""
    if not note.says(*CATEGORIES):
        return
    for code, pattern in MANIFESTATIONS.items():
        match = next(note.affirmed(pattern), None)
        if match:
            yield StayCode(code, LIKELY, (span_of(match),))


def polyneuropathy(note: StayNote) -> Iterator[StayCode]:
    """Yield the diabetes with a polyneuropathy, where the note says more than a neuropathy."""
    spans = tuple(
        mention.span
        for mention in note.mentions(NEUROPATHY)
        if _OF_MANY_NERVES.search(mention.written)
        and not _INDUCED.search(note.text, max(mention.span.start - _BEFORE, 0), mention.span.start)
    )
    for category in dict.fromkeys(code[:3] for code in note.says(*CATEGORIES)) if spans else ():
        general = (f"{category}.40", f"{category}.9", NEUROPATHY)
        yield StayCode(f"{category}.42", LIKELY, spans, general)


def retinopathy(note: StayNote) -> Iterator[StayCode]:
    """Yield a retinopathy by the stage that the note names, which may not name the diabetes there."""
    diabetes = next(iter(note.says(*CATEGORIES)), "")[:3]
    for stage, pattern in STAGES.items() if diabetes else ():
        for match in note.affirmed(pattern):
            around = note.sentence(match.start())
            if not _RETINOPATHY.search(note.text, *around):
                continue
            edema = next(_EDEMA.finditer(note.text, *around), None)
            is_swollen = edema is not None and not note.denies(*edema.span())
            code = f"{diabetes}.3{stage}{'1' if is_swollen else '9'}{_eye(around, note)}"
            vague = note.says(f"{diabetes}.31", f"{diabetes}.35", f"{diabetes}.9", "H35.0")
            replaced = tuple(i for i in vague if i != code)
            yield StayCode(code, LIKELY, (span_of(match),), replaced)
            return


def _eye(around: tuple[int, int], note: StayNote) -> str:
    eyes = {eye for eye, pattern in _EYES.items() if pattern.search(note.text, *around)}
    return (eyes.pop() if len(eyes) == 1 else BOTH_EYES) if eyes else OPEN_EYE

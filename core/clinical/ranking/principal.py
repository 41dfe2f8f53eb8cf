"""Which of a note's diagnoses stands first.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, section II: the condition established
after study to be chiefly responsible for the stay. A list of diagnoses says it; where none does, it
is what is acute and told early, and no status, symptom or cause. Encounters that may only be first
(I.C.21.c.16), sepsis (I.C.1.d.4), poisonings (I.C.19.e.5.b) and hypertensive heart disease before its
failure (I.C.9.a) come before what belongs to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.names.tables import lists, meanings
from core.clinical.notation import category_of
from core.clinical.stays.beside import is_open
from core.clinical.stays.note import StayNote
from core.suggest.evidence.spans import Span

LIKELY = 0.5
STEP, MOST = 0.001, 0.995
MOST_BESIDE_OPEN = 0.898
"""Of codes behind a principal one that leaves something open: raised above all others it would have
90 % and more, and is right in less than half of the encounters that nobody tuned on."""
WEIGHTS = {
    begin: int(w) for begin, w in meanings("principal", "weight of a principal diagnosis").items()
}
"""How soon a code is the principal one, by its beginning; the longest counts."""
ACUTE_BESIDE = {begin: tuple(codes) for begin, codes in lists("principal", "acute beside").items()}
"""What is acute beside one of others alone: hypertensive heart disease where its failure is."""
CHRONIC = 20
PLAIN, LISTED, OF_POISONING, FIRST_IN_ANY_CASE = 25, 40, 70, 90
EARLY, EARLIER = 8, 15
"""What it adds that a condition is told at once, and takes that it is a thing of the past."""
OF_CARE = ("T8", "K91", "N99", "G97", "I97", "J95")
LATE = 0.35
"""Complications of care: one that is told late in a note came during the stay."""
METASTASES = ("C77", "C78", "C79")
"""Behind their primary neoplasm, unless a list says otherwise (I.C.2)."""
ACUTE = 48
"""Weight from which on a condition is an acute one."""
NOWHERE: Mapping[str, Sequence[Span]] = MappingProxyType({})
_POISONING = re.compile(r"T(?:3[6-9]|[45]\d|6[0-5]).{0,5}[1-4]A")
# Behind the nature of the harm, and behind what came of taking less (I.C.19.e.5.a and c).
_BEHIND_ITS_HARM = re.compile(r"T(?:3[6-9]|4\d|50).{0,5}[56]A")
OF_A_DRUG = 2
BEFORE = lists("principal", "stands before what is listed")
"""What says a listed disease together with another one, by the beginning of the listed one."""


def with_principal(
    chances: Mapping[str, float],
    lines: Sequence[Sequence[str]],
    note: StayNote,
    places: Mapping[str, Sequence[Span]] = NOWHERE,
) -> dict[str, float]:
    """Return probabilities where the principal diagnosis is the most probable code.

    Args:
        lines: codes of each line of the lists of diagnoses, in their order.
        places: by code where words say it that are no name of it.
    """
    likely = [i for i, p in chances.items() if p >= LIKELY and i not in note.barred]
    ranked = dict(chances)
    if likely:
        listed = (_standing(code, likely) for line in lines for code in line)
        first = next(filter(None, listed), None)
        scores = {code: _score(code, first, likely, note, places) for code in likely}
        principal = max(likely, key=lambda code: (scores[code], chances[code]))
        others = max((chances[code] for code in likely if code != principal), default=0.0)
        if is_open(principal, note.hierarchy):
            ranked = {code: min(chance, MOST_BESIDE_OPEN) for code, chance in ranked.items()}
            others = min(others, MOST_BESIDE_OPEN)
        ranked[principal] = max(chances[principal], min(others + STEP, MOST))
    return ranked


def weight(code: str) -> int:
    """Return how soon a code is the principal one, whatever the note says."""
    if _POISONING.fullmatch(code):
        return OF_POISONING
    if _BEHIND_ITS_HARM.fullmatch(code):
        return OF_A_DRUG
    begins = [begin for begin in WEIGHTS if code.startswith(begin)]
    return WEIGHTS[max(begins, key=len)] if begins else PLAIN


def _standing(listed: str, likely: Sequence[str]) -> str | None:
    """Return a listed code, or the one of its category that took its place; None of a status."""
    there = [listed] if listed in likely else []
    there += [code for code in likely if category_of(code) == category_of(listed)]
    return next((code for code in there if weight(code) > OF_A_DRUG), None)


def _score(
    code: str,
    first: str | None,
    likely: Iterable[str],
    note: StayNote,
    places: Mapping[str, Sequence[Span]],
) -> float:
    points = weight(code)
    if code.startswith(METASTASES) and any(map(_is_primary, likely)):
        points = CHRONIC
    acute = next((others for begin, others in ACUTE_BESIDE.items() if code.startswith(begin)), ())
    if acute and not any(other.startswith(acute) for other in likely):
        points = CHRONIC
    if first is not None and points < FIRST_IN_ANY_CASE:
        instead = [other for other in likely if other.startswith(_before(first))]
        points += LISTED if code == first else LISTED + EARLY + 1 if code in instead else 0
    mentions = note.mentions(code)
    starts = [mention.span.start for mention in mentions]
    starts += [span.start for span in places.get(code, ()) if span.field == "text"]
    if not starts:  # two conditions say it
        return points + EARLY
    place = min(starts) / max(len(note.text), 1)
    if code.startswith(OF_CARE) and place > LATE and any(_is_acute(i) for i in likely if i != code):
        points -= EARLIER
    if not mentions:
        return points + EARLY * (1 - place)
    is_past = all(m.assertion is not None and m.assertion.status == HISTORICAL for m in mentions)
    return points + EARLY * (1 - place) - EARLIER * is_past


def _is_primary(code: str) -> bool:
    return code.startswith("C") and not code.startswith(METASTASES)


def _is_acute(code: str) -> bool:
    """Return whether a disease may be what the stay with an operation was for."""
    return ACUTE <= weight(code) < OF_POISONING and not code.startswith(OF_CARE)


def _before(code: str) -> tuple[str, ...]:
    return next((others for begin, others in BEFORE.items() if code.startswith(begin)), ("~",))

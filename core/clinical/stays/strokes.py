"""The artery of a cerebral infarction and its side, which is not that of the deficit.

A right hemiplegia is that of a left middle cerebral artery, so that a side counts for an artery
where it stands right before it.
Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.2 and I.B.13 (as specific as the
record, side included), I.C.9.d (I69 says the stroke and what it left) and I.C.6.a (which side is
dominant); categories I63.0 to I63.5 by cause and artery.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.names.tables import lists, phrases, whole_words
from core.clinical.stays.detail import is_left_handed
from core.clinical.stays.note import NO_BREATHS, NO_LITRES, StayCode, StayNote, span_of

LIKELY = 0.85
INFARCTION = "I63"
# By artery the endings of codes due to thrombosis (I63.0-, I63.3-), embolism (I63.1-, I63.4-), and
# other occlusion (I63.2-, I63.5-), without the digit of the side.
ARTERIES = lists("strokes", "artery")
SIDES = {"r": "1", "l": "2", "b": "3"}
_SIDED = re.compile(
    r"\b(?P<side>right|left|bilateral|R|L)[- ]{1,2}"
    r"(?:(?:sided|proximal|distal|superior|inferior|posterior|anterior|internal|acute|large|small|M1|M2) ){0,2}"
    r"(?:(?P<MCA>MCA|M[12]|middle cerebral(?: artery)?)|(?P<ACA>ACA|anterior cerebral(?: artery)?)"
    r"|(?P<PCA>PCA|P[12]|posterior cerebral(?: artery)?)|(?P<cerebellar>cerebellar|PICA|AICA|SCA)"
    r"|(?P<vertebral>vertebral(?: artery)?)|(?P<carotid>ICA|carotid(?: artery)?))\b",
    re.IGNORECASE,
)
_INFARCT = phrases("strokes", "infarction")
# An infarct that a scan shows beside what this stay is for; no age: "a 61 year old man with a stroke".
_OLD = re.compile(
    r"(?:(?<![a-z])(?<!year )(?<!year-)(?<!years )(?<!yr )(?<!yo )old|\b(?:chronic|remote|prior|previous))\s"
    r"(?!(?:man|woman|male|female|patient|with|in)\b)(?:[\w-]+\s){0,3}$",
    re.IGNORECASE,
)
_BEFORE = 40
"""Characters before an infarct in which is looked for its age."""
NEXT = 12
"""Characters behind an artery, within which the infarct is named."""
_EMBOLIC = phrases("strokes", "embolic")
_EMBOLIC_ANYWHERE = phrases("strokes", "embolic, wherever it is told")
_THROMBOTIC = phrases("strokes", "thrombotic")


def old_infarctions(note: StayNote) -> list[str]:
    """Return the codes of infarctions that the note names only as old ones."""
    return [
        code
        for code in note.says(INFARCTION)
        if note.is_only(code, lambda span: _is_old(span.start, note))
    ]


def _is_old(at: int, note: StayNote) -> bool:
    return _OLD.search(note.text, max(note.sentence(at)[0], at - _BEFORE), at) is not None


def strokes(note: StayNote) -> Iterator[StayCode]:
    """Yield the infarction of the one artery that the note names with its side."""
    infarctions = note.says(INFARCTION)
    arteries = (
        {_artery_and_side(match): match for match in _sided_arteries(note)} if infarctions else {}
    )
    if len(arteries) != 1:
        return
    (((artery, side), match),) = arteries.items()
    code = f"{ARTERIES[artery][_cause(infarctions, note)]}{side}"
    chance = max(LIKELY, *(note.chances[other] for other in infarctions))
    yield StayCode(code, chance, (span_of(match),), tuple(infarctions))


def _sided_arteries(note: StayNote) -> Iterator[re.Match[str]]:
    had = note.spans(HAD_STROKE)
    for match in note.affirmed(_SIDED):
        is_of_stroke = _INFARCT.search(note.text, *note.sentence(match.start()))
        was = any(s.start < match.end() + NEXT and match.start() < s.end for s in had)
        if is_of_stroke and not was and not _is_old(match.start(), note):
            yield match


def _artery_and_side(match: re.Match[str]) -> tuple[str, str]:
    return match.lastgroup or "", SIDES[match["side"][0].lower()]


def _cause(infarctions: list[str], note: StayNote) -> int:
    """Return 0 for a thrombosis, 1 for an embolism and 2 for any other occlusion."""
    sentences = [
        note.text[slice(*note.sentence(mention.span.start))]
        for code in infarctions
        for mention in note.mentions(code)
    ]
    if any(map(_EMBOLIC.search, sentences)) or next(note.affirmed(_EMBOLIC_ANYWHERE), None):
        return 1
    return 0 if any(map(_THROMBOTIC.search, sentences)) else 2


# ---------------------------------------------------------------------- what a stroke has left

LIKELY_LEFT = 0.75
UNSPECIFIED_SIDE = "9"
STROKES, HAD_STROKE = ("I60", "I61", "I62", "I63"), "Z86.73"
LEFT, HEMIPARESIS = "I69.", "I69.35"
LEFT_BY_INFARCTION = "I69.3"
LEFT_BY = [
    (whole_words(words), codes) for words, codes in lists("strokes", "left by a stroke").items()
]
_GOES_ON = re.compile(r"\W{0,3}since then\b", re.IGNORECASE)
_REMAINS = phrases("strokes", "remains")
_NOTHING = phrases("strokes", "nothing remains")
_OF_DEFICIT = re.compile(
    rf"\b(?:(?P<right>right|R{NO_BREATHS}|Rt)|(?P<left>left|{NO_LITRES}L|Lt))(?:[- ]sided)?\b(?!-handed)",
    re.IGNORECASE,
)


def sequelae(note: StayNote) -> Iterator[StayCode]:
    """Yield what is left where a sentence names an earlier stroke and says that it remains."""
    for mention in note.mentions(HAD_STROKE):
        start, end = note.sentence(mention.span.start)
        if _GOES_ON.match(note.text, end):  # "Infarct 2022; since then hemiparesis"
            end = note.sentence(end)[1]
        if not _REMAINS.search(note.text, start, end) or _NOTHING.search(note.text, start, end):
            continue
        for pattern, (code, *instead) in LEFT_BY:
            match = pattern.search(note.text, start, end)
            if match and not note.denies(*match.span()):
                exact = code + _side_left(match, note) if code == HEMIPARESIS else code
                replaced = (HAD_STROKE, *note.says(*instead)) if instead else (HAD_STROKE,)
                yield StayCode(exact, LIKELY_LEFT, (span_of(match),), replaced)


# By the stroke, the beginning of the codes of what it has left.
OF_STROKES = {"I60": "I69.0", "I61": "I69.1", "I62": "I69.2", "I63": "I69.3"}
_FOR_REHABILITATION = phrases("strokes", "stay for rehabilitation")


def rehabilitation(note: StayNote) -> Iterator[StayCode]:
    """Yield the deficits in place of the stroke, where the stay is one for rehabilitation after it."""
    of_stroke = note.says(*STROKES)
    if not of_stroke or next(note.affirmed(_FOR_REHABILITATION), None) is None:
        return
    begin = OF_STROKES[max(of_stroke, key=lambda code: note.chances[code])[:3]]
    for pattern, (code, *instead) in LEFT_BY:
        matches = list(note.affirmed(pattern))
        if matches:
            exact = code + _side_of_any(matches, note) if code == HEMIPARESIS else code
            replaced = (*of_stroke, *(note.says(*instead) if instead else ()))
            spans = tuple(map(span_of, matches))
            yield StayCode(exact.replace(LEFT_BY_INFARCTION, begin), LIKELY, spans, replaced)


def left_by_this_stroke(note: StayNote) -> list[str]:
    """Return what an earlier stroke would have left, where the note has the stroke of this stay alone.

    "Discharged with residual left hemiparesis" is a deficit of the stroke that was treated.
    """
    is_of_this_stay = note.says(*STROKES) and not note.mentions(HAD_STROKE)
    return note.says(LEFT) if is_of_this_stay else []


def _side_of_any(matches: list[re.Match[str]], note: StayNote) -> str:
    sides = (_side_left(match, note) for match in matches)
    return next((side for side in sides if side != UNSPECIFIED_SIDE), UNSPECIFIED_SIDE)


def _side_left(match: re.Match[str], note: StayNote) -> str:
    """Return the digit for the side of a hemiparesis, and whether it is the dominant one."""
    side = _OF_DEFICIT.search(match.group()) or _OF_DEFICIT.search(
        note.text, max(match.start() - 10, 0), match.end()
    )
    if side is None:
        return UNSPECIFIED_SIDE
    is_right = side["right"] is not None
    is_dominant = is_right != is_left_handed(note.text)
    return ("1" if is_right else "2") if is_dominant else ("3" if is_right else "4")

"""Adverse effects, underdosing and poisoning by the drugs that a note names.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.19.e.5: what was taken as
prescribed and harms is an adverse effect, coded behind the nature of the harm; what was taken less
is underdosing, with the reason (Z91.12-, Z91.13-); what was taken wrongly or on purpose is a
poisoning. The codes are those of the Table of Drugs and Chemicals, in `assets/clinical/drugs-icd10cm.tsv`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from core.clinical.asserting.cues import HISTORICAL
from core.clinical.names.mentions import Mention
from core.clinical.names.tables import alternatives, expression, meanings, phrases
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.suggest.evidence.spans import Span

LIKELY = 0.7
CATEGORIES = meanings("drugs-icd10cm", "drug")
"""By the name of a drug in small letters, the beginning of its code."""
ACCIDENTAL, ON_PURPOSE, EFFECT, LESS = "1", "2", "5", "6"
POISONING = (ACCIDENTAL, ON_PURPOSE)
CLASSES = {"T39.39": "T39.3", "T43.50": "T43.5", "T43.20": "T43.2", "T42.7": "T42", "T36.9": "T36"}
"""Of drugs as notes call them without naming one, and of what they name."""
# Names of several words, which the table has without what parts them, and of one.
_WORD = re.compile(
    r"\b(?:5-?FU|ACE-?I\b|co-[a-z]+|(?:amp|ampicillin|pip|piperacillin|amox|amoxicillin)[-/ ](?:sulbactam|tazo?\w*|clav\w*)|(?:ACE|beta|loop|potassium)[ -]?(?:inhibitors?|blockers?|diuretics?|chloride))\b|[A-Za-z]+",
    re.IGNORECASE,
)
_PARTS_OF_NAME = str.maketrans("", "", " -/")
_CAUSE_BEFORE = expression("drugs", "cause before a drug")
_CAUSE_BEHIND = expression("drugs", "cause behind a drug")
# What is called so did no harm in this stay (Z88), or was a reason to give something else.
_NO_EFFECT = expression("drugs", "no effect of a drug")
_TREATED = phrases("drugs", "treated with")
# What a condition is where a drug caused it: by drugs against a neoplasm, and by any other.
PUMP_FAILED = "T85.6"
"""Who misses the insulin of a pump that failed has no reason not to take it (I.C.4.a.5)."""
CHEMOTHERAPY = "T45.1X"
INDUCED = meanings("drugs", "induced")
_CALLED_BY = expression("drugs", "called by its cause")
# "An eruption, without fever, which we attributed to" the drug.
_WITHOUT_WHICH = re.compile(r",(?: (?:without|with no)\b[^;:.]{0,80},)? which\b", re.IGNORECASE)
_AS_EFFECT = re.compile(r",(?= (?:an? |as an? )?(?:adverse|side)[- ]effect)", re.IGNORECASE)
_PARTED = re.compile(r"[,;:]|\band\b", re.IGNORECASE)
NONE = "-"
SYMPTOMS = ("R", "M79.1", "M25.5", "L29", "T78.3")
OTHERWISE = ("R21", "R50.9", "R65.20", "R65.21")
"""Of these what a drug has caused has a code elsewhere."""
NO_HARM = ("T", "V", "W", "X", "Y", "Z")
HYPERSENSITIVE = ("T78.2", "T78.3")
_LESS = expression("drugs", "taken less")
_LESS_BEHIND = expression("drugs", "taken less, behind")
_STOPS = phrases("drugs", "stops")
_ON_ADVICE = phrases("drugs", "not taken on advice")
_AND = re.compile(r"(?: (?:and|or|plus|with|&) |/|, )(?:(?:his|her|the) )?", re.IGNORECASE)
_COST = phrases("drugs", "reason of cost")
_FORGOT = phrases("drugs", "forgotten")
# In capitals, and not that of the right eye or of a daily dose.
_OD = (
    r"(?-i:(?:(?:[Ii]ntentional|[Aa]ccidental|[Uu]nintentional|[Dd]rug|[Oo]pioid|[Hh]eroin|[Ff]entanyl|[Ss]uicidal"
    r"|[Pp]olysubstance|APAP|TCA|[Aa]cetaminophen) OD\b|OD (?=(?:on|of|by) )))"
)
# Two tablets for a headache are no overdose, nor are ten days of an antibiotic.
_MANY = (
    r"(?:took|taken|taking|swallow\w+|ingested) (?:about |around |some |~ ?)?"
    r"(?:\d{2,3}\b(?! ?(?:days?|weeks?|months?|years?|m?c?g|ml|units?|%)\b)"
    r"|an?(?: whole| entire| full)? (?:bottle|handful|box|packet|strip)\b)"
)
_TOO_MUCH = alternatives("drugs", "too much of a drug")
_OVERDOSE = re.compile(
    rf"\b(?:{_OD}|{_MANY}|{_TOO_MUCH}|overdos\w+|ingest\w+|poisoning|tablets?|tabs|pills?|capsules?)\b",
    re.IGNORECASE,
)
_PURPOSE = phrases("drugs", "on purpose")
_ACCIDENT = phrases("drugs", "accident")
_IS_OVERDOSE = re.compile(
    rf"\b(?:{_OD}|{_MANY}|{_TOO_MUCH}|overdos\w+|poisoning|toxic ingestion|intent to (?:die|kill)"
    r"|suicide attempt|to (?:kill|end) (?:him|her)self|to end (?:his|her) life)",
    re.IGNORECASE,
)
_REACH, _BEHIND = 60, 100
"""Characters before and behind a drug in which is looked for what was done with it."""


def drugs(note: StayNote) -> Iterator[StayCode]:
    """Yield what a drug did to the patient, or the patient with it."""
    taken = _taken_wrongly(note)
    named = [(word, begin) for word in _WORD.finditer(note.text)
             if (begin := CATEGORIES.get(word.group().lower().translate(_PARTS_OF_NAME)))]  # fmt: skip
    begins = {begin for _, begin in named}
    harms = _harms(note)
    where: dict[tuple[str, str], list[re.Match[str]]] = {}
    before: tuple[int, str] = (0, "")
    for word, begin in named:
        is_next = _AND.fullmatch(note.text, before[0], word.start())
        intent = before[1] if is_next and before[1] else _intent(word, note, taken, harms)
        before = word.end(), intent
        if intent:
            where.setdefault((_specific(begin, begins), intent), []).append(word)
    poisoned = {begin for begin, intent in where if intent in POISONING}
    for (begin, intent), words in where.items():
        if intent in POISONING or begin not in poisoned:
            yield StayCode(code_of(begin, intent), LIKELY, (span_of(words[0]),))
            for word in words if intent == EFFECT else ():
                yield from _induced(begin, word, note)
                yield from _symptoms_of(word, note)
            if intent == LESS and not note.says(PUMP_FAILED):
                yield StayCode(_reason_of_underdosing(note), LIKELY, (span_of(words[0]),))


def code_of(begin: str, intent: str) -> str:
    """Return the code of what a drug did, at the first visit."""
    return f"{begin}{intent}".ljust(7, "X") + "A"


def _specific(begin: str, begins: set[str]) -> str:
    """Return the beginning of the drug that a note names for a class, such as ibuprofen for NSAID."""
    if begin not in CLASSES:
        return begin
    others = (o for o in sorted(begins) if o != begin and o.startswith(CLASSES[begin]))
    return next(others, begin)


def _taken_wrongly(note: StayNote) -> str:
    """Return with which intent too much was taken; "" where the note says nothing of it."""
    if next(note.affirmed(_IS_OVERDOSE), None) is None:
        return ""
    is_on_purpose = _PURPOSE.search(note.text) and not _ACCIDENT.search(note.text)
    return ON_PURPOSE if is_on_purpose else ACCIDENTAL


def _intent(word: re.Match[str], note: StayNote, taken: str, harms: Sequence[Span]) -> str:
    start, end = note.sentence(word.start())
    before = note.text[max(start, word.start() - _REACH) : word.start()]
    behind = note.text[word.end() : min(end, word.end() + _BEHIND)]
    further = note.text[word.end() : word.end() + _BEHIND]  # "On lithium. He stopped it"
    is_less = _is_taken_less(before, further) and not _ON_ADVICE.search(note.text, start, end)
    if taken and not is_less and _OVERDOSE.search(note.text, start, end):
        return taken
    if is_less:
        return LESS
    if note.denies(*word.span()) or _NO_EFFECT.match(behind):
        return ""
    is_cause = _CAUSE_BEFORE.search(before) or _CAUSE_BEHIND.match(behind)
    return EFFECT if is_cause and _has_harmed(word, note, harms) else ""


def _is_taken_less(before: str, behind: str) -> bool:
    is_said_behind = _LESS_BEHIND.match(behind) and _STOPS.search(before + behind)
    return _LESS.search(before) is not None or bool(is_said_behind)


def _harms(note: StayNote) -> list[Span]:
    """Return where the note names present conditions that a drug may have caused, in order."""
    spans = (
        mention.span
        for code in note.named
        if not code.concept_id.startswith(NO_HARM) or code.concept_id.startswith(HYPERSENSITIVE)
        for mention in note.mentions(code.concept_id)
        if not _is_past(mention)
    )
    return sorted(spans, key=lambda span: span.start)


def _has_harmed(word: re.Match[str], note: StayNote, harms: Sequence[Span]) -> bool:
    """Return whether the sentence of a drug names a harm.

    "Pneumonia treated with levofloxacin because of penicillin" names what was treated.
    """
    first, last = (
        bisect_left(harms, at, key=lambda span: span.start) for at in note.sentence(word.start())
    )
    return any(
        not _TREATED.search(note.text, min(span.end, word.end()), max(span.start, word.start()))
        for span in harms[first:last]
    )


def _induced(begin: str, word: re.Match[str], note: StayNote) -> Iterator[StayCode]:
    """Yield what the conditions beside a drug are where it has caused them."""
    for code in note.says(*INDUCED):
        by_chemotherapy, by_others = INDUCED.get(code, f"{NONE} {NONE}").split()
        instead = by_chemotherapy if begin == CHEMOTHERAPY else by_others
        for span in note.spans(code) if instead != NONE else ():
            if _is_beside(span, word, note):
                yield StayCode(instead, note.chances[code], (span,), (code,))


def _symptoms_of(word: re.Match[str], note: StayNote) -> Iterator[StayCode]:
    """Yield the symptoms right beside a drug that has caused them: they are its effect."""
    for code in note.named:
        is_symptom = code.concept_id.startswith(SYMPTOMS) and code.concept_id not in OTHERWISE
        spans = note.spans(code.concept_id) if is_symptom else ()
        beside = next((span for span in spans if _is_beside(span, word, note)), None)
        if beside:
            yield StayCode(code.concept_id, LIKELY, (beside,))


def _is_beside(span: Span, word: re.Match[str], note: StayNote) -> bool:
    """Return whether nothing parts a place from a drug in its sentence.

    In "mucositis grade 3, chemotherapy related" the comma does not.
    """
    first, last = note.sentence(word.start())
    between = note.text[min(span.end, word.end()) : max(span.start, word.start())]
    is_called_so = span.end <= word.start() and _CALLED_BY.match(note.text, word.end())
    between = between.replace(",", "", 1) if is_called_so else _WITHOUT_WHICH.sub(" which", between)
    between = _AS_EFFECT.sub("", between)
    return first <= span.start < last and not _PARTED.search(between)


def _is_past(mention: Mention) -> bool:
    is_historical = mention.assertion is not None and mention.assertion.status == HISTORICAL
    return mention.is_over or is_historical


def _reason_of_underdosing(note: StayNote) -> str:
    if _COST.search(note.text):
        return "Z91.120"
    return "Z91.138" if _FORGOT.search(note.text) else "Z91.128"

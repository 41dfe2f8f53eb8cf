"""The codes whose names stand in a document, and how often such a name means the code.

Names are looked for in title and text. What a name is worth depends on how literal it is, and on
what the note asserts of it: as often as such names were right in the cases that were counted.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_left
from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeGuard
from weakref import WeakKeyDictionary

from core.clinical.asserting.cues import FAMILY, HISTORICAL, HYPOTHETICAL, NEGATED
from core.clinical.asserting.opinions import Verdict, second_opinions
from core.clinical.assertions import Assertion, Assertions
from core.clinical.kinds import PAST_HISTORY
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.tables import expression
from core.clinical.names.wordings import Kind, LexicalMatch
from core.clinical.sections import Section, sections
from core.documents.document import Document
from core.suggest.evidence.spans import Span

MANY_WORDS = 3  # of a name; with more it is no more certain
# How often a code was right whose name, of one, two and more words, stood affirmed in a case: by
# `python -m training lexical`, on CodiEsp train. Fewer than 30 names lean on those beside them.
PRECISION: dict[Kind, tuple[float, float, float]] = {
    Kind.PREFERRED: (0.78, 0.79, 0.80),
    Kind.ALTERNATIVE: (0.68, 0.67, 0.60),
    Kind.SHORTENED: (0.70, 0.56, 0.58),
    Kind.HALF: (0.55, 0.25, 0.50),
}
LOWERED = (0.23, 0.23, 0.23)  # names of categories
APART = 0.55  # times that, where other words stand between those of the name
ONCE, AGAIN = 0.95, 1.25  # times that, where it stands there once, or more often
MOST = 0.95
# Times that, where no mention is affirmed. The first two are a decision and no measurement: the
# annotators of CodiEsp gave codes to what is denied about as often (62 of 100) as to what is not,
# which no coder may do.
ASSERTED = {NEGATED: 0.5, FAMILY: 0.5, HYPOTHETICAL: 0.8, HISTORICAL: 1.0}
# Times that, where a condition is named as history that is over, and for the code of having had
# it. Of 26 such conditions in CodiEsp train 12 had their code, and of 16 codes of having had one, 9
# were given; other historical names were right in 269 of 345. The first is lower by decision, too.
OVER, HAD = 0.5, 0.85
# "DVT ppx", "pneumonia vaccine": what is prevented is not there.
_PREVENTED = re.compile(
    r"[ \t](?P<what>ppx|prophy(?:laxis|lactic)?|vaccin(?:e|es|ation|ated)|shots?|boosters?|precautions|prevention|immuni[sz]ations?)\b",
    re.IGNORECASE,
)
STATUSES = ("Z",)
"""Beginnings of codes of statuses and vaccinations, which such words do not deny, nor operations end."""
# Between the words of a name, and none of them: "COPD without exacerbation", "gallbladder has no
# stones".
_DENIED_WITHIN = re.compile(
    r"\b(?:no|non|not|negative for|neg for|without|w/o|rather than|instead of|opposed to|in place of|ruled out|r/o|excluded)\b",
    re.IGNORECASE,
)
_HISTORY_OF_FAMILY = "Family history of"
DECIDED = ("Z66", "Z51.5", "Z71", "Z53.2")
"""Beginnings of codes of what is decided with relatives, who stand beside it and do not have it."""
_FAMILY_BEFORE = re.compile(r"\b(?P<what>family|familial)\s{1,3}\Z", re.IGNORECASE)
_HISTORY = re.compile(r"(?:history|hx)\b", re.IGNORECASE)
_OPERATIONS = expression("taken", "heading of earlier operations")
_OPERATION = re.compile(
    r"\s(?:repair|release|removal|excision|surgery|operation|resection|extraction|fixation|drainage)s?\b",
    re.IGNORECASE,
)
CANCERS = "C"
_REASON = re.compile(r"\b(?:for|due to|because of|2/2|here for) (?:\w+ )?\Z", re.IGNORECASE)
_PRIOR = re.compile(
    r"\b(?:prior|previous|past|remote|h/o|hx of|history of)\s"
    r"(?:(?:R|L|right|left|b/l|bilat(?:eral)?|open|endoscopic|lap(?:aroscopic)?)\s){0,2}\Z",
    re.IGNORECASE,
)
_LIST_BEFORE = re.compile(r"\b(?:PSHx?|surgical history)\b[^.;\n]*\Z", re.IGNORECASE)
LOOK_FAR = 60
"""Characters before a name in which is looked for the head of a list of operations."""
_NUMBER_OF_LIST = re.compile(r"(?:\n|\A)[ \t]?\d{1,2} ")
_ITEM_ENDS = re.compile(r"\s?(?:[,;.(\n]|(?:19|20)\d\d\b|$)")
LOOK_BACK = 12
"""Characters before a name in which "family" is looked for, or that it is why something was done."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A name at one place of a document.

    Attributes:
        span: where, in the title or the text.
        written: the words as they stand there.
        assertion: why it may not support the code; None where it is affirmed.
        is_over: whether the patient had it and has it no more, as an infarction.
        is_had: whether the code is that of having had what is written.
        affirmed: how likely it is that the note affirms it, where the network was asked.
    """

    match: LexicalMatch
    span: Span
    written: str
    assertion: Assertion | None
    is_over: bool = False
    is_had: bool = False
    affirmed: float = 1.0

    @property
    def is_denied(self) -> bool:
        """Whether it is negated, or of the family."""
        return self.assertion is not None and self.assertion.status in (NEGATED, FAMILY)


@dataclass(frozen=True, slots=True)
class Named:
    """A concept whose name stands in a document.

    Attributes:
        probability: that it is assigned, judged by its names alone.
        mentions: the strongest first.
    """

    concept_id: str
    probability: float
    mentions: tuple[Mention, ...]

    @property
    def affirmed(self) -> float:
        """How likely it is that the note affirms it somewhere, or says that it was."""
        return max(mention.affirmed for mention in self.mentions)

    @property
    def is_denied(self) -> bool:
        """Whether every mention is negated, or of the family."""
        return all(mention.is_denied for mention in self.mentions)


N_RECENT = 8
"""Documents of a vocabulary whose names are kept."""
_RECENT: WeakKeyDictionary[LexicalMatcher, OrderedDict[tuple[str, ...], tuple[Named, ...]]] = (
    WeakKeyDictionary()
)
_LOCK = threading.Lock()


def named_in(document: Document, matcher: LexicalMatcher, *, by_rules: bool = False) -> list[Named]:
    """Return all concepts whose names stand in a document, the most probable first.

    What was found in the last documents is kept: suggesting, ranking and explaining ask in turn.

    Args:
        by_rules: whether rules alone say what is asserted of a name. The network has learned notes
            of stays; of reports of radiology it is wrong more often.
    """
    key = str(by_rules), document.title, *(part.text for part in document.parts)
    with _LOCK:
        recent = _RECENT.setdefault(matcher, OrderedDict())
        names = recent.get(key)
    if names is None:
        names = tuple(_names(document, matcher, by_rules))
        with _LOCK:
            recent[key] = names
            while len(recent) > N_RECENT:
                recent.popitem(last=False)
    return list(names)


def _names(document: Document, matcher: LexicalMatcher, by_rules: bool) -> list[Named]:
    mentions: dict[str, list[Mention]] = defaultdict(list)
    for mention in _mentions(document, matcher, by_rules):
        mentions[mention.match.concept_id].append(mention)
    names = [_named(concept_id, some) for concept_id, some in mentions.items()]
    return sorted(names, key=lambda named: (-named.probability, named.concept_id))


def worth(mention: Mention) -> float:
    """Return how often a code is right that has such a mention."""
    match = mention.match
    row = LOWERED if match.lowered else PRECISION[match.kind]
    precision = row[min(match.n_words, MANY_WORDS) - 1]
    if match.gap:
        precision *= APART
    if mention.is_over or mention.is_had:
        return precision * (OVER if mention.is_over else HAD)
    return precision * (ASSERTED[mention.assertion.status] if mention.assertion else 1)


def _named(concept_id: str, mentions: Sequence[Mention]) -> Named:
    ordered = sorted(mentions, key=lambda mention: -worth(mention))
    affirmed = sum(mention.assertion is None for mention in mentions)
    probability = worth(ordered[0]) * (AGAIN if affirmed > 1 else ONCE)
    return Named(concept_id, min(probability, MOST), tuple(ordered))


def _mentions(document: Document, matcher: LexicalMatcher, by_rules: bool) -> Iterator[Mention]:
    assertions = {"title": Assertions(document.title), "text": Assertions.of_document(document)}
    operated = [section for section in sections(document.text) if _is_of_operations(section)]
    for field, text in (("title", document.title), ("text", document.text)):
        matches = [match for match in matcher.matches(text) if not _is_torn(match, text)]
        of_rules = _unnamed(
            matches, [assertions[field].at(match.start, match.end) for match in matches]
        )
        judged = list(map(Verdict, of_rules))
        if not by_rules:
            judged = second_opinions(text, matches, of_rules)
        for match, (of_words, affirmed) in zip(matches, judged, strict=True):
            span = Span(field, match.start, match.end)
            assertion = _of_family(match, text, of_words) or _beside(match, text)
            if _is_history(assertion):  # "PMH: COPD (no flare)"
                assertion = _within(match, text) or assertion
            written = text[match.start : match.end]
            mention = Mention(match, span, written, assertion, affirmed=affirmed)
            is_over = (field == "text" and _is_operated(match, text, operated)) or (
                _is_history(assertion) and matcher.past.is_over(match.concept_id, assertion.cue)
            )
            yield from _of_the_past(mention, matcher) if is_over else (mention,)


def _unnamed(
    matches: Sequence[LexicalMatch], by_rules: Sequence[Assertion | None]
) -> list[Assertion | None]:
    """Return what is asserted of names, but for what a word in the name of another condition says:
    "migraine without aura, depression".
    """
    names = sorted(
        (match.start, match.end)
        for match, assertion in zip(matches, by_rules, strict=True)
        if not match.gap and (assertion is None or assertion.status != NEGATED)
    )
    starts = [start for start, _ in names]
    farthest = list(accumulate((end for _, end in names), max))

    def is_in_name(assertion: Assertion) -> bool:
        before = bisect_left(starts, assertion.start)
        return before > 0 and farthest[before - 1] > assertion.end

    return [
        None if one is not None and one.status == NEGATED and is_in_name(one) else one
        for one in by_rules
    ]


def _is_torn(match: LexicalMatch, text: str) -> bool:
    """Return whether a name begins with a digit of something else: the 2 of "DM2 with CKD", or a
    number of a list, "1 T2DM".
    """
    if not text[match.start].isdigit():
        return False
    is_of_word = text[match.start - 1 : match.start].isalpha()
    return (
        is_of_word
        or _NUMBER_OF_LIST.search(text, max(match.start - 2, 0), match.start + 3) is not None
    )


def _is_of_operations(section: Section) -> bool:
    title = section.title.strip()
    return section.kind == PAST_HISTORY or _OPERATIONS.fullmatch(title) is not None


def _is_operated(match: LexicalMatch, text: str, operated: Sequence[Section]) -> bool:
    """Return whether a list of earlier operations says what was operated on: "PSH: L cataract"; or the
    words beside it, as "prior carpal tunnel release" does.
    """
    if match.concept_id.startswith((*STATUSES, CANCERS)):  # whose history has codes of its own
        return False
    section = next((one for one in operated if one.body <= match.start < one.end), None)
    if _REASON.search(text, max(match.start - LOOK_BACK, 0), match.start):
        return False
    is_list = section is not None and _OPERATIONS.fullmatch(section.title.strip()) is not None
    if is_list and _ITEM_ENDS.match(text, match.end):
        return True
    is_told = section is not None or any(
        before.search(text, max(match.start - LOOK_FAR, 0), match.start)
        for before in (_LIST_BEFORE, _PRIOR)
    )
    return is_told and _OPERATION.match(text, match.end) is not None


def _of_family(match: LexicalMatch, text: str, assertion: Assertion | None) -> Assertion | None:
    """Return what is asserted of a name, but that a history of the family is of the family.

    "History of a stroke" is no name of what the patient had where "family" stands before it.
    """
    is_of_family = assertion is not None and assertion.status == FAMILY
    is_own = match.label.startswith(_HISTORY_OF_FAMILY) or match.concept_id.startswith(DECIDED)
    if is_of_family and is_own:
        return None
    before = _FAMILY_BEFORE.search(text, max(match.start - LOOK_BACK, 0), match.start)
    if assertion is None and before and _HISTORY.match(text, match.start):
        return Assertion(FAMILY, before["what"], *before.span("what"))
    return assertion


def _beside(match: LexicalMatch, text: str) -> Assertion | None:
    """Return how words within a name or right behind it say that it is not there."""
    prevented = _PREVENTED.match(text, match.end)
    if prevented is not None and not match.concept_id.startswith(STATUSES):
        return Assertion(HYPOTHETICAL, prevented["what"], *prevented.span("what"))
    return _within(match, text)


def _within(match: LexicalMatch, text: str) -> Assertion | None:
    """Return how words between those of a name deny it; None where nothing does."""
    denied = _DENIED_WITHIN.search(text, match.start, match.end) if match.gap else None
    if denied is None or denied.group().lower() in match.label.lower().split():
        return None
    return Assertion(NEGATED, denied.group(), *denied.span())


def _is_history(assertion: Assertion | None) -> TypeGuard[Assertion]:
    return assertion is not None and assertion.status == HISTORICAL


def _of_the_past(mention: Mention, matcher: LexicalMatcher) -> Iterator[Mention]:
    """Yield a mention of what is over, and of the code of having had it."""
    match = mention.match
    yield replace(mention, is_over=True)
    code = matcher.past.code_of(match.concept_id)
    if code is not None:
        label = matcher.hierarchy[code].label()
        yield replace(mention, match=replace(match, concept_id=code, label=label), is_had=True)

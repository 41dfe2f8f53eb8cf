"""Whether a note says that the patient has what it mentions, or that it is not so.

An honest small set of rules: a cue ("no evidence of", "mother had", "rule out") holds for the words
behind or before it in its sentence, up to a word that ends it, such as "but". A mention in a
section of a note that is about the family, or about the past, is of that kind without a cue.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from core.clinical.asserting.check_boxes import denied_items, marks
from core.clinical.asserting.cues import (
    ENDS,
    FAMILY,
    HISTORICAL,
    HYPOTHETICAL,
    NEGATED,
    STATUSES,
    Cue,
    cues,
    is_uncertain,
    says_over,
)
from core.clinical.asserting.retractions import something_else, taken_back
from core.clinical.kinds import FAMILY_HISTORY, PAST_HISTORY, kind_named
from core.clinical.sections import Section, sections_of_parts
from core.documents.document import PART_BREAK, Document

# How far a cue reaches, in words; lists behind "denies" are long.
MAX_WORDS_BEHIND = 14
MAX_WORDS_BEFORE = 6
MAX_REACH_CHARACTERS = 2_000  # these words have a hundred or two; and so a long text is soon read
# The point of "incl." and "e.g." ends no sentence, nor does that of "Father d. lung ca".
_STOP = re.compile(
    r"(?<!\bincl)(?<!\be\.g)(?<!\bi\.e)(?<!ther d)(?<!ister d)(?<!\b[Dd]ad d)(?<!\b[Mm]om d)[.;!](?=[\x22”’]?(?:\s|$))|(?<=\S)\?(?=\s|$)"
    r"|\n\s*\n|\n\s*[-*•#\d]|:\s*\n|\n[ \t]{0,40}(?=[A-Z])"
)
# Behind it the note goes on with something else, whether or not that has a header.
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# Where the sentence of a header in the middle of a line is over, and its line with it.
_LINE_OF_SENTENCES = re.compile(r"[.;!?)][ \t]*\n")
_BETWEEN = " \t\n:=-–—"  # what and the answer to it
_WORD = re.compile(r"\S+")
# "Thrombosis was suspected on the fifth day and ruled out": the verb behind "and" has the subject
# of the whole sentence, which ends before its first verb.
# "No diabetes (A1c 5.4): steroid hyperglycemia" explains, and "thrombocytopenia, no bleeding, antibody
# negative" is a list: a bare "no" ends at a colon, and what is said behind at another item's "no".
_BARE = re.compile(r"no|not|without|never|neither|nor|(?:is|has|does|did)n['’]t", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?<=[\w)])(?::|\s[–—=→]|\s->?)(?=\s)")
_OTHER_ITEM = re.compile(
    # "DKA, pH 7.1, cerebral edema ruled out": nor does it reach over a result.
    r":\s|,\s(?:no|without)\b|,\s[a-z]{1,20}(?:\s[a-z]{1,20})?\s\d[\d.,]{0,8},\s",
    re.IGNORECASE,
)
_COMMA = re.compile(r"[,;](?!\d)")
_BRACKET = re.compile(r"[()]")
# "FH: noncontributory. Never smoked": the family is done with.
_NOTHING_OF_FAMILY = re.compile(
    r"[ \t]{0,3}(?:non-?contributory|neg(?:ative)?|none|nil|unremarkable|unknown|not (?:relevant|known|pertinent))\b(?! for)[^.;\n]{0,30}[.\n]",
    re.IGNORECASE,
)
# "FH: mother DM. PMH HTN": what begins so is told of the patient, and has no colon.
_OF_PATIENT = re.compile(
    r"(?<=[.;])[ \t]{1,3}(?=(?:(?:PMH|PSH|SH|Soc ?H|PMSH)x?|Past|Social|Meds|Medications?|NKDA|Allerg\w+|ROS|Vitals|Pt|Patient"
    r"|Denies|Smokes|Drinks|Vapes|Quit|Never smok\w+|(?:Ex|Former|Current|Non|Never)[- ]?smok\w+)\b)"
)
_SHARES_SUBJECT = re.compile(r"(?:\band|\bbut|\bthen|\blater)\s+$", re.IGNORECASE)
_VERB = re.compile(r"\s(?:was|were|is|are|has|have|had)\s", re.IGNORECASE)
_DENYING = frozenset({NEGATED, FAMILY, HYPOTHETICAL})
_SECTIONS = {FAMILY_HISTORY: FAMILY, PAST_HISTORY: HISTORICAL}
# "PMH: asthma. He now presents with pneumonia": behind these words the past is over as well.
_PRESENT = re.compile(
    r"\b(?:(?<!none )(?<!not )now|today|presents|presenting|presented (?:today|with|to)|(?:is|was) admitted (?:today|now|for|with))\b",
    re.IGNORECASE,
)
_HISTORY_CUE = re.compile(r"\b(?:history|hx|h/o|pmh)\b", re.IGNORECASE)
RESOLVED = "resolved"
"""Of a list of what was, this says that it is over; elsewhere it may be what the stay was for."""
MAX_OF_FAMILY = 400
"""Characters that a section on the family has: where no header ends it, the note goes on in it."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """Why a mention need not mean that the patient has it now.

    Attributes:
        status: "negated", "family", "hypothetical" or "historical".
        cue: the words that say so, as they are written; the header of a section, where it is that.
        start, end: code-point offsets of the cue.
    """

    status: str
    cue: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Scope:
    assertion: Assertion
    start: int
    end: int


def is_denying(assertion: Assertion | None) -> bool:
    """Return whether a mention of this kind speaks against a code: not where it is likely."""
    if assertion is None or assertion.status not in _DENYING:
        return False
    return assertion.status != HYPOTHETICAL or not is_uncertain(assertion.cue)


def is_of_history(assertion: Assertion) -> bool:
    """Return whether words name a condition as history, without saying that it is over."""
    return assertion.status == HISTORICAL and _HISTORY_CUE.search(assertion.cue) is not None


class AssertedPlace(NamedTuple):
    """Some characters of a document of which is asked what is asserted of them.

    Attributes:
        field: "title" or "text".
        own_words: as `Assertions.at` has it.
    """

    field: str
    start: int
    end: int
    own_words: bool = False


class Assertions:
    """What is asserted of each place of a text.

    Args:
        found: sections of the text, with offsets into it.
    """

    def __init__(self, text: str, note_sections: Iterable[Section] = ()) -> None:
        self._stops = [0, *sorted(_stops(text)), len(text)]
        boxes = [(mark.start, mark.end) for mark in marks(text)]
        ends = sorted([*(match.span() for match in ENDS.finditer(text)), *boxes])
        self._end_starts = [start for start, _ in ends]
        self._end_ends = sorted(end for _, end in ends)
        found_cues = cues(text)
        self._scopes = [self._scope(text, cue) for cue in found_cues]
        self._scopes += [scope for cue in found_cues for scope in self._subject(text, cue)]
        self._scopes += self._taken_back(text, found_cues)
        self._scopes += _of_boxes(text)
        self._scopes += _of_something_else(text)
        self._by_start = sorted((scope.start, n) for n, scope in enumerate(self._scopes))
        self._sections = [
            _of_section(section, text) for section in note_sections if section.kind in _SECTIONS
        ]
        self._section_starts = [scope.start for scope in self._sections]

    @classmethod
    def of_document(cls, document: Document) -> Assertions:
        """Of a document's text, with the sections of each of its parts; the last ones are kept."""
        return _of_parts(tuple(part.text for part in document.parts))

    def at(self, start: int, end: int, *, own_words: bool = False) -> Assertion | None:
        """Return what is asserted of the mention from here to there; None where it is affirmed.

        Args:
            own_words: whether cues within the mention count as well: they do in a passage, most of
                which may stand in their scope, and not in a name like "family history of asthma".
        """
        holds = _holds_for_most if own_words else _holds
        around = [scope.assertion for scope in self._near(start, end) if holds(scope, start, end)]
        nearest = min(around, key=_strength, default=None)
        if nearest is not None and nearest.cue.casefold() == RESOLVED:
            section = next((a for a in around if kind_named(a.cue) == PAST_HISTORY), nearest)
            nearest = replace(
                nearest, cue=f"{section.cue}: {nearest.cue}" if section != nearest else nearest.cue
            )
        return nearest

    def _near(self, start: int, end: int) -> Iterator[_Scope]:
        """Yield the scopes that may reach this place; those of sections last."""
        first = bisect_left(self._by_start, (start - MAX_REACH_CHARACTERS, 0))
        behind = bisect_left(self._by_start, (end, 0), first)
        for n in sorted(n for _, n in self._by_start[first:behind]):
            yield self._scopes[n]
        # Sections follow one another, so that those which reach this place are neighbours.
        behind = first = bisect_left(self._section_starts, end)
        while first and self._sections[first - 1].end > start:
            first -= 1
        yield from self._sections[first:behind]

    def _scope(self, text: str, cue: Cue) -> _Scope:
        written = " ".join(text[cue.start : cue.end].strip(_BETWEEN).split())
        assertion = Assertion(cue.status, written, cue.start, cue.end)
        at = bisect_right(self._stops, cue.start)
        if cue.is_before:
            stop = self._end_behind(text, cue, self._stops[min(at, len(self._stops) - 1)])
            words = list(islice(_WORD.finditer(text, cue.end, stop), MAX_WORDS_BEHIND))
            return _Scope(assertion, cue.end, words[-1].end() if words else cue.end)
        begin = self._begin_before(text, cue, self._stops[at - 1])
        words = list(_WORD.finditer(text, begin, cue.start))[-MAX_WORDS_BEFORE:]
        return _Scope(assertion, words[0].start() if words else cue.start, cue.start)

    def _end_behind(self, text: str, cue: Cue, stop: int) -> int:
        nearest = bisect_left(self._end_starts, cue.end)
        stop = min([stop, cue.end + MAX_REACH_CHARACTERS, *self._end_starts[nearest : nearest + 1]])
        if _BARE.fullmatch(text, cue.start, cue.end):
            explained = _EXPLAINS.search(text, cue.end + 1, stop)
            stop = explained.start() if explained else stop
        begin = self._stops[bisect_right(self._stops, cue.start) - 1]
        stop = _end_of_brackets(text, max(begin, cue.start - MAX_REACH_CHARACTERS), cue, stop)
        comma = _COMMA.search(text, cue.end, stop) if cue.in_clause else None
        return comma.start() if comma else stop

    def _begin_before(self, text: str, cue: Cue, begin: int) -> int:
        nearest = bisect_right(self._end_ends, cue.start)
        ended = self._end_ends[nearest - 1] if nearest else 0
        begin = max(begin, cue.start - MAX_REACH_CHARACTERS, ended)
        if cue.in_clause:
            item = text[begin : cue.start].rstrip(" \t\n,;–—-")
            return max((m.end() + begin for m in _COMMA.finditer(item)), default=begin)
        others = (m.end() for m in _OTHER_ITEM.finditer(text, begin, cue.start))
        return max(others, default=begin)

    def _subject(self, text: str, cue: Cue) -> Iterator[_Scope]:
        """Yield the subject of the sentence, where a cue behind "and" speaks of it."""
        at = bisect_right(self._stops, cue.start)
        begin = max(self._stops[at - 1], cue.start - MAX_REACH_CHARACTERS)
        verb = _VERB.search(text, begin, cue.start)
        if cue.is_before or verb is None or not _SHARES_SUBJECT.search(text, begin, cue.start):
            return
        words = list(islice(_WORD.finditer(text, begin, verb.start()), MAX_WORDS_BEHIND + 1))
        if 0 < len(words) <= MAX_WORDS_BEHIND:
            assertion = self._scope(text, cue).assertion
            yield _Scope(assertion, words[0].start(), words[-1].end())

    def _taken_back(self, text: str, cues_found: Iterable[Cue]) -> Iterator[_Scope]:
        for words, doubt in taken_back(text, cues_found, self._stops):
            written = " ".join(text[words.cue_start : words.cue_end].split())
            assertion = Assertion(NEGATED, written, words.cue_start, words.cue_end)
            start, end = words.start, words.end
            if doubt.status:
                scope = self._scope(text, doubt)
                start, end = max(scope.start, start), min(scope.end, end)
            yield _Scope(assertion, start, end)


def assertions_at(document: Document, places: Iterable[AssertedPlace]) -> list[Assertion | None]:
    """Return what is asserted of places of a document; None where they are affirmed."""
    said_of = {"title": Assertions(document.title), "text": Assertions.of_document(document)}
    return [said_of[p.field].at(p.start, p.end, own_words=p.own_words) for p in places]


def _strength(assertion: Assertion) -> tuple[int, bool]:
    """Return what sorts the strongest first: of what was, what is said to be over."""
    return STATUSES.index(assertion.status), not says_over(assertion.cue)


def _holds(scope: _Scope, start: int, end: int) -> bool:
    """Return whether a mention stands in a scope, and not around its cue.

    The "no" of "no family history of cancer" stands before the name "family history of cancer".
    """
    assertion = scope.assertion
    is_around_cue = assertion.start < min(end, assertion.end) and start < assertion.end
    if assertion.status == NEGATED and assertion.start < start < assertion.end < end:
        is_around_cue = False
    return scope.start < end and start < scope.end and not is_around_cue


def _holds_for_most(scope: _Scope, start: int, end: int) -> bool:
    """Whether half of a passage stands in a scope, its cue included, and not the cue alone."""
    shared = min(end, scope.end) - max(start, scope.start)
    assertion = scope.assertion
    length = max(0, min(end, assertion.end) - max(start, assertion.start))
    return shared > 0 and 2 * (shared + length) >= end - start


def _end_of_brackets(text: str, begin: int, cue: Cue, stop: int) -> int:
    """Return where a scope ends whose cue stands in brackets: "COPD (no flare), gout"."""
    if text.count("(", begin, cue.start) <= text.count(")", begin, cue.start):
        return stop
    depth = 1
    for bracket in _BRACKET.finditer(text, cue.end, stop):
        depth += 1 if bracket.group() == "(" else -1
        if depth == 0:
            return bracket.start()
    return stop


def _stops(text: str) -> Iterable[int]:
    return (match.start() + 1 for match in _STOP.finditer(text))


def _of_boxes(text: str) -> Iterator[_Scope]:
    for (start, end, *_), first, behind in denied_items(text):
        yield _Scope(Assertion(NEGATED, text[start:end], start, end), first, behind)


def _of_something_else(text: str) -> Iterator[_Scope]:
    for cue_start, cue_end, start, end in something_else(text):
        written = text[cue_start:cue_end] or text[start:end]
        assertion = Assertion(HYPOTHETICAL, written.strip(_BETWEEN + "(→>"), cue_start, cue_end)
        yield _Scope(assertion, start, end)


def _of_section(section: Section, text: str) -> _Scope:
    end = section.start + len(section.title)
    assertion = Assertion(_SECTIONS[section.kind], section.title, section.start, end)
    first = _WORD.search(text, section.body, section.end)
    line = text[text.rfind("\n", 0, section.start) + 1 : section.start]
    is_inline = any(map(str.isalpha, line))
    over = _LINE_OF_SENTENCES if is_inline else _BLANK_LINE
    blank = over.search(text, first.start(), section.end) if first else None
    if assertion.status == FAMILY:
        nothing = _NOTHING_OF_FAMILY.match(text, section.body)
        stop = nothing.end() if nothing else section.body + MAX_OF_FAMILY
        patient = _OF_PATIENT.search(text, section.body, stop)
        stop = patient.start() if patient else stop
    else:
        present = _PRESENT.search(text, section.body, section.end)
        stop = present.start() if present else section.end
    return _Scope(assertion, section.body, min(section.end, stop, blank.start() if blank else stop))


@lru_cache(maxsize=8)
def _of_parts(texts: tuple[str, ...]) -> Assertions:
    """The page asks again with every concept whose evidence is shown."""
    return Assertions(PART_BREAK.join(texts), sections_of_parts(texts))

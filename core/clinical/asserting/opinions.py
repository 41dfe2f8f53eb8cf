"""What a note asserts of a condition: by the rules, and by the network where that is sure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from core.clinical.asserting.cues import HISTORICAL, HYPOTHETICAL, NEGATED
from core.clinical.asserting.denied_lists import is_of_denied_list
from core.clinical.asserting.network import ASSERTED, AskedPlace, Opinion, shipped
from core.clinical.assertions import Assertion, is_denying
from core.clinical.kinds import kind_named
from core.clinical.names.wordings import LexicalMatch

DENIES, AFFIRMS, PAST = 0.7, 0.95, 0.8
"""How sure the network has to be that a condition is denied or another's, that it is affirmed though a
rule denies it, and that it is over."""
SURE = 0.85
"""Chance of not being denied from which on a code is as probable as it would be without it."""
MOST_ASKED = 1_000
"""Names of a text of which the network is asked; of those behind, the rules decide."""
_NEXT_ITEM = re.compile(r"\n\s*(?:[-*•#]|\d{1,2}[.)])\s|\n\s*\n")
"""Where another item of a list begins, or another part of the note."""
_NEXT_LABEL = re.compile(r"\n[ \t]*[A-Z][^\n:]{1,60}:(?=\s)")
"""A line with a label: "ALLERGIES: None" denies nothing of the line before it."""
_NUMBERED = re.compile(r"[ \t]{0,12}#?\d{1,2}[.)]\s+")
_SENTENCE = re.compile(r"[.!?]\s|\n")
_DASH = re.compile(r"\s[-–—]+\s")
NO_CONDITIONS = ("Z", "V", "W", "X", "Y")
"""Beginnings of codes of statuses, encounters and causes: given vaccines, a home, a ladder."""

NO_PAST = frozenset({"pregnancy", "history", "hx"})
"""Words that the network takes for the past: "cystitis in pregnancy" is one of now. What history
means, as in "clinical history: fell", the rules know."""


class Verdict(NamedTuple):
    """What is asserted of a condition, and how likely it is that it is affirmed or was so; 1 where
    that is sure.
    """

    assertion: Assertion | None
    affirmed: float = 1.0


def second_opinions(
    text: str, names: Sequence[LexicalMatch], by_rules: Sequence[Assertion | None]
) -> list[Verdict]:
    """Return what is asserted of each name in a text.

    Args:
        by_rules: what the rules say of it.
    """
    pairs = list(zip(names, by_rules, strict=True))
    places = {
        (name.start, name.end): AskedPlace(
            name.start, name.end, assertion.status if assertion else ""
        )
        for name, assertion in pairs
        if _is_asked(name, assertion, text)
    }
    asked = dict(islice(places.items(), MOST_ASKED))
    opinions = dict(zip(asked, shipped()(text, list(asked.values())), strict=True))
    return [
        judged(assertion, opinions[name.start, name.end], text, name.end)
        if (name.start, name.end) in opinions and _is_asked(name, assertion, text)
        else Verdict(assertion)
        for name, assertion in pairs
    ]


def _is_asked(name: LexicalMatch, assertion: Assertion | None, text: str) -> bool:
    """Return whether the network is asked: of conditions, but not of what a section says, of history,
    of doubt and of a list that is denied as a whole.
    """
    if name.concept_id.startswith(NO_CONDITIONS):
        return False
    if assertion is None:
        return True
    is_listed = is_of_denied_list(name.start, name.end, assertion.end, text)
    return is_denying(assertion) and kind_named(assertion.cue) is None and not is_listed


def judged(
    assertion: Assertion | None, opinion: Opinion, text: str, end: int | None = None
) -> Verdict:
    """Return what is asserted by the rules, or by the network where that is sure enough.

    Args:
        end: of the name; a word in an item behind that of the name denies nothing of it.
    """
    chances = dict(zip(ASSERTED, opinion.chances.tolist(), strict=True))
    if assertion is not None:
        if chances["affirmed"] < AFFIRMS:
            return Verdict(assertion)
        return Verdict(None)
    is_apart = end is not None and (
        _NEXT_ITEM.search(text, end, opinion.start) is not None
        or _stands_behind_label(text, end, opinion)
        or _numbers_item(text, opinion)
    )
    status = _status(chances)
    is_planned = (
        end is not None and status == HYPOTHETICAL and _is_of_plan(end, opinion.start, text)
    )
    if is_apart or is_planned:
        return Verdict(None)
    cue = text[opinion.start : opinion.end]
    is_far = (
        cue.isdigit() and end is not None and _SENTENCE.search(text, *sorted((opinion.end, end)))
    )
    if status == HISTORICAL and (cue.lower() in NO_PAST or is_far):
        status = ""
    of_words = Assertion(status, cue, opinion.start, opinion.end) if status else None
    not_denied = 1.0 - chances["denied"] - chances["other"]
    return Verdict(of_words, not_denied if not_denied < SURE else 1.0)


def _stands_behind_label(text: str, end: int, opinion: Opinion) -> bool:
    label = _NEXT_LABEL.search(text, end, opinion.end + 64)
    return label is not None and label.start() < opinion.start


def _numbers_item(text: str, opinion: Opinion) -> bool:
    """Return whether a cue is the number of an item of a list, which asserts nothing."""
    before = text[max(0, opinion.start - 14) : opinion.start].rpartition("\n")[2]
    return not before.strip(" #\t") and bool(_NUMBERED.match(text, opinion.start - len(before)))


def _is_of_plan(end: int, cue: int, text: str) -> bool:
    """Return whether a cue stands in what is planned for a numbered diagnosis, which ends here:
    "6. Class 2 obesity - diet sheet".
    """
    line = text.rfind("\n", 0, end) + 1
    return bool(_NUMBERED.match(text, line, end) and _DASH.search(text, end, max(cue, end)))


def _status(chances: Mapping[str, float]) -> str:
    if chances["denied"] + chances["other"] >= DENIES:
        return NEGATED if chances["denied"] >= chances["other"] else HYPOTHETICAL
    return HISTORICAL if chances["past"] >= PAST else ""

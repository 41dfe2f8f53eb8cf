"""Check boxes of forms and templates: an empty one denies its item, a filled one affirms it.

A box stands before its item ("[x] COPD  [ ] Asthma"), unless its line begins with an item and ends
with a box ("COPD [x]  Asthma [ ]"). Boxes of "yes" and "no" answer what stands before them. An empty
box before a task ("[ ] repeat CXR for pneumonia") says that it is to be done, and denies nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from core.clinical.names.tables import alternatives

_SQUARE_EMPTY = r"[☐□▢❏❑⬜]|\[[ _]{0,3}\](?!\()"
_ROUND_EMPTY = r"(?<!\w)\([ _]{1,3}\)"
_EMPTY = rf"{_SQUARE_EMPTY}|{_ROUND_EMPTY}"
_FILLED = r"[☒☑✓✔✅⊠]|[\[(][xX✓✔][\])]"
BOX = re.compile(rf"(?P<empty>{_EMPTY})|(?P<filled>{_FILLED})")
# "Dr. ( ) will call" is a blank: round ones are boxes in a line that begins with one or has a
# filled one.
_HAS_ROUND = re.compile(rf"^[ \t*•-]*{_ROUND_EMPTY}|\([xX✓✔]\)")
_LINE = re.compile(r"[^\n]+")
# "[x] No" is an answer, and "[x] No fever" an item: another box follows, a gap, or the end.
_ANSWER = (
    rf"(?:{_EMPTY}|{_FILLED})[ \t]?(?:yes|no|y|n)\b"
    rf"(?=[ \t]*+(?:$|\n|[,;.)]|[/|]?[ \t]*+(?:{_EMPTY}|{_FILLED}))|[ \t]{{2}}|\t|[ \t](?-i:[A-Z]))"
)
_ANSWERS = re.compile(rf"{_ANSWER}(?:[ \t,;/|]*+{_ANSWER})*+", re.IGNORECASE)
_SAYS_NO = re.compile(rf"(?:{_FILLED})[ \t]?no?\b", re.IGNORECASE)
_SIGNS = " \t-*•:#.,;"
# What is to be done: a task begins with its verb, or with what is to be made or waited for.
_TASK = re.compile(
    r"[ \t]{0,8}(?:(?:please|will|needs? to|should|also) )?"
    rf"(?:{alternatives('cues', 'begins a task')})\b(?!:)",
    re.IGNORECASE,
)
# A header behind which boxes are tasks, whatever they begin with.
_TASKS = re.compile(
    r"^[ \t#*]*(?:(?:to[- ]?do|tasks?|action items?|check ?list|outstanding|pending|follow[- ]?up)(?: [a-z]+){0,2}"
    r"[ \t]*+:?)[ \t]*+$",
    re.IGNORECASE,
)


class Mark(NamedTuple):
    """A box, or the boxes of an answer with their words.

    Attributes:
        denies: whether the box is empty, or the answer is "no".
        is_answer: whether it speaks of what stands before it.
    """

    start: int
    end: int
    denies: bool
    is_answer: bool = False


class Denied(NamedTuple):
    """What a mark denies, from one place of the text to another."""

    mark: Mark
    start: int
    end: int


def marks(text: str) -> Iterator[Mark]:
    """Yield the boxes of a text, and its answers, in their order."""
    for line in _LINE.finditer(text):
        yield from _of_line(text, *line.span())


def denied_items(text: str) -> Iterator[Denied]:
    """Yield what empty boxes and the answer "no" deny."""
    is_of_tasks = False
    for line in _LINE.finditer(text):
        marks_of_line = _of_line(text, *line.span())
        # A list of tasks goes on as long as its lines have boxes.
        is_of_tasks = is_of_tasks if marks_of_line else _TASKS.match(line.group()) is not None
        if not is_of_tasks:
            yield from _denied_in_line(text, *line.span(), marks_of_line)


def _denied_in_line(text: str, start: int, end: int, marks_of_line: list[Mark]) -> Iterator[Denied]:
    stands_behind = _stand_behind(text, start, end, marks_of_line)
    for mark, following in pairwise([*marks_of_line, Mark(end, end, denies=False)]):
        if mark.denies and (mark.is_answer or stands_behind):
            yield Denied(mark, start, mark.start)
        elif mark.denies and not _TASK.match(text, mark.end, following.start):
            yield Denied(mark, mark.end, following.start)
        start = mark.end


def _of_line(text: str, start: int, end: int) -> list[Mark]:
    """Return the marks of a line, in order; boxes within an answer are no marks of their own."""
    if BOX.search(text, start, end) is None:
        return []
    marks_found = [
        Mark(*match.span(), _SAYS_NO.search(match.group()) is not None, is_answer=True)
        for match in _ANSWERS.finditer(text, start, end)
        if text[start : match.start()].strip(_SIGNS)
    ]
    has_round = _HAS_ROUND.search(text[start:end]) is not None
    boxes, answers, n = [], marks_found, 0  # both in order, so that each is looked at once
    for box in BOX.finditer(text, start, end):
        while n < len(answers) and answers[n].end <= box.start():
            n += 1
        is_within = n < len(answers) and answers[n].start <= box.start()
        if not is_within and (has_round or not box.group().startswith("(")):
            boxes.append(Mark(*box.span(), box["empty"] is not None))
    return sorted([*answers, *boxes])


def _stand_behind(text: str, start: int, end: int, marks_of_line: list[Mark]) -> bool:
    """Return whether the boxes of a line stand behind their items."""
    if not marks_of_line or not text[start : marks_of_line[0].start].strip(_SIGNS):
        return False
    return not text[marks_of_line[-1].end : end].strip(_SIGNS)

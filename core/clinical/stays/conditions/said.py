"""What a note says in words that are no name of a code: "the potassium fell to 2.7 and was replaced".

Source: ICD-10-CM Official Guidelines for Coding and Reporting, III.B: an abnormal value is coded
where the physician says what it means, or treats it; a value alone is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

from core.clinical.names.tables import TableRow, meanings, phrases, rows, with_shorthand
from core.clinical.stays.note import StayCode, StayNote, span_of
from core.clinical.stays.numbers import is_child

IN_A_MAN = meanings("said", "in a man")
"""What a condition of women's organs is in a man, by its code."""
_MAN, _WOMAN = phrases("said", "man"), phrases("said", "woman")
IN_A_CHILD = meanings("said", "in a child")
"""What a condition that is called by the words of an adult's one is in a child, by its code."""
LIKELY = 0.75
MOST = 20
"""Places of a saying that are told."""
INSTEAD_OF, BESIDE, NOT_BESIDE = "!", "+", "-"
"""Before beginnings of codes: those that it takes the place of, of which one must be said, and of
which none may be."""
AT_SITES = "@"
"""Before a kind of `sites.tsv`: the saying holds for each of its sites and sides, which stand for
{site} and {side} in the pattern."""
DIGIT = "#"
"""In codes of a site, what the saying gives behind its kind: the degree of a burn."""
SIDES = ("(?:right|R|Rt|OD)", "(?:left|L|Lt|OS)", "(?:bilateral(?:ly)?|bilat|both(?: eyes)?|OU)")
"""Expressions for a side, in the order of the codes of a site."""


class _Saying(NamedTuple):
    pattern: re.Pattern[str]
    codes: tuple[str, ...]
    instead_of: tuple[str, ...]
    beside: tuple[str, ...]
    not_beside: tuple[str, ...]


def said(note: StayNote) -> Iterator[StayCode]:
    """Yield the codes whose meaning stands in the note in other words than their names."""
    return _codes_of("says", note)


def said_last(note: StayNote) -> Iterator[StayCode]:
    """Yield those that depend on what the other rules have found."""
    return _codes_of("says last", note)


def _codes_of(kind: str, note: StayNote) -> Iterator[StayCode]:
    for saying in _sayings(kind):
        if saying.beside and not note.says(*saying.beside):
            continue
        if saying.not_beside and note.says(*saying.not_beside):
            continue
        spans = tuple(map(span_of, islice(_affirmed(saying.pattern, note), MOST)))
        if spans:
            replaced = tuple(note.says(*saying.instead_of)) if saying.instead_of else ()
            for code in saying.codes:
                yield StayCode(code, max(LIKELY, note.chances.get(code, 0.0)), spans, replaced)


def in_a_man(note: StayNote) -> Iterator[StayCode]:
    """Yield what a condition is in a man whose words alone are those of a woman's one."""
    codes = note.says(*IN_A_MAN)
    if codes and _MAN.search(note.text) and not _WOMAN.search(note.text):
        for code in codes:
            chance = max(LIKELY, note.chances[code])
            yield StayCode(IN_A_MAN[code], chance, note.spans(code), (code,))


def in_a_child(note: StayNote) -> Iterator[StayCode]:
    """Yield what a condition is in a child that has another code in an adult."""
    if is_child(note):
        for code in note.says(*IN_A_CHILD):
            chance = max(LIKELY, note.chances[code])
            yield StayCode(IN_A_CHILD[code], chance, note.spans(code), (code,))


def _affirmed(pattern: re.Pattern[str], note: StayNote) -> Iterator[re.Match[str]]:
    """Yield where the note does not deny what is said: the group of a pattern, where it has one."""
    for match in pattern.finditer(note.text):
        if not note.denies(*match.span(match.lastgroup or 0)):
            yield match


@cache
def _sayings(kind: str) -> tuple[_Saying, ...]:
    return tuple(
        _Saying(re.compile(rf"(?<!\w)(?i:{with_shorthand(pattern)})"), *_meaning(meaning))
        for row in rows("said", kind)
        for pattern, meaning in _at_sites(row)
    )


def _at_sites(row: TableRow) -> Iterator[tuple[str, str]]:
    """Yield the pattern and meaning of a saying, at each site and side if it is of several."""
    if not row.meaning.startswith(AT_SITES):
        yield row.pattern, row.meaning
        return
    named, *marks = row.meaning.removeprefix(AT_SITES).split()
    kind, _, digit = named.partition(DIGIT)
    for site in rows("sites", kind):
        codes = [word for word in site.meaning.split() if not word.startswith(INSTEAD_OF)]
        for side, code in zip(SIDES, codes, strict=False):  # not each has a code for both sides
            pattern = row.pattern.replace("{site}", site.pattern).replace("{side}", side)
            told = code.replace(DIGIT, digit)
            yield pattern, " ".join((told, *site.meaning.split()[len(codes) :], *marks))


def _meaning(words: str) -> Iterator[tuple[str, ...]]:
    """Yield the codes of a saying, and the beginnings behind each mark."""
    marks = (INSTEAD_OF, BESIDE, NOT_BESIDE)
    yield tuple(word for word in words.split() if word[0] not in marks)
    for mark in marks:
        yield tuple(word[1:] for word in words.split() if word[0] == mark)

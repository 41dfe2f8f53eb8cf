"""Codes that never stand beside each other, are one code together, or need another one: a table.

Lines of `assets/clinical/pairs.tsv` name codes by their beginnings; `!` takes some of them out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding, Remedy
from core.clinical.coding.rules.births import PERINATAL, is_newborn
from core.clinical.names.tables import TableRow, rows


class _Pair(NamedTuple):
    """A line of the table: the codes of its pattern, the others, and why."""

    codes: tuple[str, ...]
    others: tuple[str, ...]
    but: tuple[str, ...]
    why: str
    source: str


def _pair(row: TableRow) -> _Pair:
    named, _, why = row.meaning.partition(": ")
    others = tuple(code for code in named.split() if not code.startswith("!"))
    but = tuple(code[1:] for code in named.split() if code.startswith("!"))
    return _Pair(tuple(row.pattern.split()), others, but, why, row.source)


APART, NEEDED = (tuple(map(_pair, rows("pairs", kind))) for kind in ("never beside", "needs"))
ONE_OF, BOTH, CALLED = (rows("pairs", kind) for kind in ("one of", "both are", "calls for"))


def pairs(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what the table says of the diagnoses that there are."""
    yield from _apart(checked)
    yield from _one_of(checked)
    yield from _both(checked)
    yield from _called(checked)
    yield from _needed(checked)


def _apart(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield a code and the first of those that it never stands beside."""
    for pair in APART:
        others = [code for code in checked.beginning(*pair.others) if not _is(code, pair.but)]
        for code in checked.beginning(*pair.codes)[:1] if others else ():
            sentence = f"{code} does not stand beside {others[0]}: {pair.why}."
            # Of a newborn it is the mother's code that goes.
            is_others = code.startswith(PERINATAL) and is_newborn(checked)
            gone, kept = (others[0], code) if is_others else (code, others[0])
            yield Finding(
                "apart", WARNING, sentence, (code, *others), source=pair.source,
                remedy=checked.without(gone, keeping=kept),
            )  # fmt: skip


def _one_of(checked: CheckedCodes) -> Iterator[Finding]:
    for row in ONE_OF:
        codes_of_row = checked.beginning(*row.pattern.split())
        if len(codes_of_row) > 1:
            sentence = f"{' and '.join(codes_of_row)} are {row.meaning}; one is coded."
            yield Finding("apart", WARNING, sentence, tuple(codes_of_row), source=row.source)


def _both(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield two codes in place of which one says both."""
    present = set(checked.diagnoses)
    for row in BOTH:
        codes = tuple(row.pattern.split())
        if present.issuperset(codes) and row.meaning in checked.hierarchy:
            sentence = f"{row.meaning} says both, so it stands instead of {' and '.join(codes)}."
            remedy = checked.replaced(codes, row.meaning)
            yield Finding("combined", WARNING, sentence, codes, source=row.source, remedy=remedy)


def _called(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield two codes that ask for a third one beside them."""
    asked: set[str] = set()
    for row in CALLED:
        code, _, why = row.meaning.partition(": ")
        first, second = (checked.beginning(begin) for begin in row.pattern.split())
        if not (first and second) or code in (*checked.diagnoses, *asked):
            continue
        asked.add(code)
        sentence = f"{first[0]} beside {second[0]} asks for {code}: {why}."
        about = (first[0], second[0])
        yield Finding(
            "combined", WARNING, sentence, about, source=row.source,
            remedy=Remedy(f"Add {code}", add=(code,), order=_before(code, about, checked.ids)),
        )  # fmt: skip


def _before(code: str, others: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
    """Return an order with a code before the first of others."""
    place = min(ids.index(other) for other in others)
    return (*ids[:place], code, *ids[place:])


def _needed(checked: CheckedCodes) -> Iterator[Finding]:
    for pair in NEEDED:
        lacking = checked.beginning(*pair.codes)
        if lacking and not checked.beginning(*pair.others):
            sentence = f"{lacking[0]} lacks a code: {pair.why}."
            yield Finding("needs", WARNING, sentence, (lacking[0],), source=pair.source)


def _is(code: str, beginnings: tuple[str, ...]) -> bool:
    return bool(beginnings) and code.startswith(beginnings)

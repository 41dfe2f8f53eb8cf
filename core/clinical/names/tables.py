"""Words, cues and codes that a coder may correct: the tables in `assets/clinical`.

A line has a kind, a pattern, a code or what the pattern means, and a source. A pattern is a name, or
a regular expression where the kind is looked for in notes; of one kind the first that fits counts.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from core.paths import PROJECT_ROOT

FOLDER = PROJECT_ROOT / "assets" / "clinical"
COLUMNS = ("kind", "pattern", "meaning", "source")

# "With" and "due to" in a pattern stand for their shorthand as well, but for what is looked for
# behind, whose length is fixed.
_LONG_FORM = re.compile(
    r"\(\?<[=!][^()]*\)|(?:(?<!\w)|(?<=\\b))(?P<words>with|due to)(?P<end> |\\b|)(?![A-Za-z])"
)
_SHORT_FORMS = {"with": "w/", "due to": "d/t|2/2"}


class TableRow(NamedTuple):
    """A line of a table; the meaning is "" where the kind says it."""

    kind: str
    pattern: str
    meaning: str
    source: str


@cache
def rows(table: str, kind: str) -> tuple[TableRow, ...]:
    """Return the lines of a kind, in their order."""
    return tuple(row for row in all_rows(table) if row.kind == kind)


@cache
def all_rows(table: str) -> tuple[TableRow, ...]:
    """Return the lines of a table behind the names of its columns."""
    with (FOLDER / f"{table}.tsv").open(encoding="utf-8", newline="") as file:
        lines = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        next(lines)
        return tuple(TableRow(*line) for line in lines)


def meanings(table: str, kind: str) -> dict[str, str]:
    """Return the meaning of each pattern of a kind."""
    return {row.pattern: row.meaning for row in rows(table, kind)}


def lists(table: str, kind: str) -> dict[str, tuple[str, ...]]:
    """Return the codes that each pattern of a kind means, which have spaces between them.

    A pattern may stand in several rows, each with a source of its own.
    """
    found: dict[str, tuple[str, ...]] = {}
    for row in rows(table, kind):
        found[row.pattern] = (*found.get(row.pattern, ()), *row.meaning.split())
    return found


def patterns(table: str, kind: str) -> tuple[str, ...]:
    """Return the patterns of a kind."""
    return tuple(row.pattern for row in rows(table, kind))


def by_meaning(table: str, kind: str) -> dict[str, tuple[str, ...]]:
    """Return the patterns of each meaning of a kind."""
    grouped: dict[str, list[str]] = {}
    for row in rows(table, kind):
        grouped.setdefault(row.meaning, []).append(row.pattern)
    return {meaning: tuple(some) for meaning, some in grouped.items()}


@cache
def names_in_notes(vocabulary_id: str) -> Mapping[str, tuple[str, ...]]:
    """Return by code the names by which notes call it; none of a vocabulary without a table."""
    table = f"names-{vocabulary_id}"
    return by_meaning(table, "name") if (FOLDER / f"{table}.tsv").is_file() else {}


def alternatives(table: str, kind: str) -> str:
    """Return a regular expression for any pattern of a kind."""
    return "|".join(patterns(table, kind))


def expression(table: str, kind: str) -> re.Pattern[str]:
    """Return what finds any pattern of a kind, in capitals and small letters alike."""
    return re.compile(with_shorthand(alternatives(table, kind)), re.IGNORECASE)


def phrases(table: str, kind: str) -> re.Pattern[str]:
    """Return what finds whole words, in capitals and small letters alike."""
    return whole_words(alternatives(table, kind))


def phrases_by_meaning(table: str, kind: str) -> dict[str, re.Pattern[str]]:
    """Return what finds the whole words of each meaning."""
    return {
        meaning: whole_words("|".join(some)) for meaning, some in by_meaning(table, kind).items()
    }


def whole_words(expression: str) -> re.Pattern[str]:
    """Return what finds an expression as whole words, in capitals and small letters alike."""
    return re.compile(rf"\b(?:{with_shorthand(expression)})\b", re.IGNORECASE)


def with_shorthand(pattern: str) -> str:
    """Return a pattern that finds "w/" where it has "with", and "d/t" and "2/2" where "due to"."""

    def either(match: re.Match[str]) -> str:
        words, end = match["words"], match["end"]
        if not words:
            return match.group()
        space = " ?" if end == " " else ""
        return f"(?:{words}{end}|(?:{_SHORT_FORMS[words]}){space})"

    return _LONG_FORM.sub(either, pattern)

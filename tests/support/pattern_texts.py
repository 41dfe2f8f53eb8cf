"""Texts that a regular expression reads for longest: made of what it looks for."""

from __future__ import annotations

import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Sequence
from typing import Any

from tests.support.growth import Hostile

Pattern = re.Pattern[str] | re.Pattern[bytes]
LEAST_REPEATED = 20  # what may stand there more often is repeated in a text
MOST_SAMPLES, MOST_OF_BRANCH, MOST_PREFIXES = 12, 4, 4
MOST_TEXTS = 40
OF_CATEGORY = {
    codes.CATEGORY_SPACE: " \n", codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a", codes.CATEGORY_NOT_WORD: " -",
    codes.CATEGORY_DIGIT: "1", codes.CATEGORY_NOT_DIGIT: "a",
}  # fmt: skip
REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}


class Samples:
    """What parts of a pattern match, and what may be repeated behind what."""

    def __init__(self, pattern: Pattern) -> None:
        written = pattern.pattern
        source = written if isinstance(written, str) else written.decode("latin-1")
        flags = pattern.flags & ~re.UNICODE if isinstance(written, bytes) else pattern.flags
        self.repeats: dict[tuple[str, str], None] = {}
        self.whole = [x for x in self._sequence(parser.parse(source, flags), [""]) if x]

    def texts(self) -> list[Hostile]:
        """At most `MOST_TEXTS`: repeats behind what stands before them first."""
        repeats = _spread(list(self.repeats), MOST_TEXTS // 3)
        units = _spread(self.whole, MOST_TEXTS // 6)
        found = [Hostile(prefix, unit) for prefix, unit in repeats]
        found += [Hostile("", prefix + unit) for prefix, unit in repeats]
        found += [Hostile("", unit + behind) for unit in units for behind in ("", " ", ", ")]
        found += [Hostile(unit, blank) for unit in units[:4] for blank in (" ", "\n")]
        return list(dict.fromkeys(found))

    def _sequence(self, items: Iterable[tuple[Any, Any]], before: Sequence[str]) -> list[str]:
        found = [""]
        for kind, content in items:
            prefixes = [p + sample for p in before for sample in found][:MOST_PREFIXES]
            samples = self._item(kind, content, prefixes) or [""]
            longer = [sample + samples[0] for sample in found[:MOST_PREFIXES]]
            others = [found[0] + sample for sample in samples[1:]]
            found = list(dict.fromkeys(longer + others))[:MOST_SAMPLES]
        return found

    def _item(self, kind: Any, content: Any, before: Sequence[str]) -> list[str]:
        if kind is codes.LITERAL:
            return [chr(content)]
        if kind is codes.NOT_LITERAL:
            return ["b" if content == ord("a") else "a"]
        if kind is codes.ANY:
            return ["a"]
        if kind is codes.IN:
            return _of_set(content)
        if kind is codes.BRANCH:
            branches = (self._sequence(branch, before)[:MOST_OF_BRANCH] for branch in content[1])
            return [sample for samples in branches for sample in samples]
        if kind is codes.SUBPATTERN:
            return self._sequence(content[3], before)
        if kind is codes.ATOMIC_GROUP:
            return self._sequence(content, before)
        if kind in REPEATS:
            return self._repeated(*content, before)
        if kind in (codes.ASSERT, codes.ASSERT_NOT):
            direction, looked_for = content
            samples = self._sequence(looked_for, before)
            return samples if kind is codes.ASSERT and direction < 0 else [""]
        return [""]

    def _repeated(self, least: int, most: int, body: Any, before: Sequence[str]) -> list[str]:
        samples = self._sequence(body, before)
        if most >= LEAST_REPEATED:
            pairs = ((prefix, unit) for prefix in before for unit in samples if unit)
            self.repeats.update(dict.fromkeys(pairs))
        return [sample * max(least, 1) for sample in samples] + ([] if least else [""])


def _of_set(items: Sequence[tuple[Any, Any]]) -> list[str]:
    """Some characters of a set: its first one, and those that are no letters."""
    if items[0][0] is codes.NEGATE:
        found = [c for c in "a 1\n,-(" if not any(_has(item, c) for item in items[1:])]
        return found[:3] or ["é"]
    found = [c for kind, content in items for c in _of_item(kind, content)]
    return list(dict.fromkeys([*found[:1], *(c for c in found if not c.isalnum())]))[:4]


def _of_item(kind: Any, content: Any) -> str:
    if kind is codes.LITERAL:
        return chr(content)
    return chr(content[0]) if kind is codes.RANGE else OF_CATEGORY[content]


def _has(item: tuple[Any, Any], character: str) -> bool:
    kind, content = item
    if kind is codes.RANGE:
        return content[0] <= ord(character) <= content[1]
    return character in _of_item(kind, content)


def _spread(items: list[Any], most: int) -> list[Any]:
    """Return some of many, from all over them."""
    step = max(1, -(-len(items) // most))
    return items[::step]

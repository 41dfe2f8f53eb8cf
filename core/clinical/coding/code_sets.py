"""Which codes of ICD-10-CM are valid on a day, by its editions since fiscal year 2017.

Codes and days alone ship. Lists of the fiscal years 2017 and 2018 could not be had: of a code that came or
went between the lists of 2016 and 2019, it is not known on which of three days, so nothing is said
of it in these years. `python -m training.shipping.code_sets` makes the file and says of what.
"""

from __future__ import annotations

import gzip
import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from core.clinical.coding.packed_codes import unpacked, with_point
from core.paths import PROJECT_ROOT

PATH = PROJECT_ROOT / "assets" / "code_edits" / "code_sets.json.gz"
FIRST_DAY = date(2016, 10, 1)


@dataclass(frozen=True, slots=True)
class Validity:
    """From when and until when a code is valid.

    Attributes:
        since, since_at_latest: the first day; two where it is one of several.
        until_at_earliest, until: the last day likewise; None where the code is still there.
    """

    since: date
    since_at_latest: date
    until_at_earliest: date | None = None
    until: date | None = None

    def holds_on(self, day: date) -> bool | None:
        """Return whether the code is valid on a day; None where that is not known."""
        if day < self.since or (self.until is not None and day > self.until):
            return False
        is_sure = day >= self.since_at_latest
        if self.until_at_earliest is not None:
            is_sure = is_sure and day <= self.until_at_earliest
        return True if is_sure else None


@dataclass(frozen=True, slots=True)
class CodeSets:
    """All codes with their days.

    Attributes:
        editions: the first day of each edition, the oldest first.
        end: the last day of the newest one.
    """

    editions: tuple[date, ...]
    end: date
    by_code: dict[str, Validity]

    def valid_on(self, code: str, day: date) -> bool | None:
        """Return whether a code is valid on a day; None where neither code nor day is known.

        Days before the first edition are not judged, nor, of codes that are still there, those
        behind the last one: dates of text without names are often shifted.
        """
        validity = self.by_code.get(code)
        if validity is None or day < FIRST_DAY:
            return None
        holds = validity.holds_on(day)
        return None if holds and day > self.end else holds

    def edition_on(self, day: date) -> date | None:
        """Return the first day of the edition in force on a day; None where it is not known."""
        if not FIRST_DAY <= day <= self.end:
            return None
        return self.editions[bisect_right(self.editions, day) - 1]


@lru_cache(maxsize=1)
def code_sets() -> CodeSets:
    """Return the sets that ship."""
    with gzip.open(PATH, "rt", encoding="utf-8") as file:
        stored = json.load(file)
    by_code = {}
    for days, codes in stored["codes"].items():
        validity = _validity(days)
        by_code.update({with_point(code): validity for code in unpacked(codes)})
    editions = tuple(map(date.fromisoformat, stored["editions"]))
    return CodeSets(editions, date.fromisoformat(stored["end"]), by_code)


def _validity(written: str) -> Validity:
    """Read "2016-10-01..2018-10-01/2021-09-30": first day or days, last day or days."""
    (since, since_at_latest), (earliest, until) = (
        [date.fromisoformat(day) if day else None for day in (first, last or first)]
        for first, _, last in (side.partition("..") for side in written.split("/"))
    )
    assert since is not None and since_at_latest is not None
    return Validity(since, since_at_latest, earliest, until)


def valid_above(codes: Iterable[str], day: date) -> str:
    """Return the first of some codes that was valid on a day; "" where none was."""
    return next((code for code in codes if code_sets().valid_on(code, day)), "")

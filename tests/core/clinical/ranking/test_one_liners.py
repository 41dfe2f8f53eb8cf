"""Lines of notes that mention a condition without stating it, of the whole of ICD-10-CM.

`one_liners.tsv` has a line for each: what kind of line it is, whether rules were written with it in
view, its text with `\\n` for a line break, beginnings of codes that stay below even (`*` for all),
and of those of which one is found.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.core.clinical.ranking.conftest import one_liners

MOST_FALSE, MOST_MISSED = 0.02, 0.1
LINES = one_liners()


def test_what_is_denied_over_or_something_else_is_not_likely(likely: dict[str, list[str]]) -> None:
    stated = [row for row in LINES if row["not"]]
    false = [row["text"] for row in stated if _begin(likely[row["text"]], row["not"])]
    assert len(false) <= MOST_FALSE * len(stated), false


def test_what_is_stated_beside_such_words_is_found(likely: dict[str, list[str]]) -> None:
    stated = [row for row in LINES if row["found"]]
    missed = [row["text"] for row in stated if not _begin(likely[row["text"]], row["found"])]
    assert len(missed) <= MOST_MISSED * len(stated), missed


def _begin(codes: Iterable[str], beginnings: str) -> bool:
    begins = tuple(beginnings.replace("*", "").split(" "))
    return any(code.startswith(begins) for code in codes)

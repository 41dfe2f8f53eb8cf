"""Lines of notes that mention a condition without stating it, of the whole of ICD-10-CM.

`one_liners.tsv` and `ward_lines.tsv` have a line for each: what kind of line it is, whether rules
were written with it in view, its text with `\\n` for a line break, beginnings of codes that stay
below even (`*` for all), and of those of which one is found. Nothing was mended by those held out; their
bounds are what was measured when the network had learned from other lines.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from tests.core.clinical.ranking.conftest import EVEN, one_liners

IN_VIEW, HELD_OUT = "development", "held out"


@pytest.mark.parametrize(
    ("table", "half", "most_false", "most_missed"),
    [
        ("one_liners", IN_VIEW, 0.02, 0.1),
        ("ward_lines", IN_VIEW, 0.02, 0.1),
        ("ward_lines", HELD_OUT, 6 / 150, 6 / 40),
    ],
)
def test_what_is_denied_over_or_something_else_is_not_likely_and_what_is_stated_is(
    names_alone: CodesSuggester, table: str, half: str, most_false: float, most_missed: float
) -> None:
    lines = one_liners(table, half)
    likely = _likely([row["text"] for row in lines], names_alone)
    false = [
        text for text, row in zip(likely, lines, strict=True) if _begin(likely[text], row["not"])
    ]
    missed = [
        text
        for text, row in zip(likely, lines, strict=True)
        if row["found"] and not _begin(likely[text], row["found"])
    ]
    assert len(false) <= most_false * sum(bool(row["not"]) for row in lines), false
    assert len(missed) <= most_missed * sum(bool(row["found"]) for row in lines), missed


def _likely(texts: list[str], suggester: CodesSuggester) -> dict[str, list[str]]:
    """Return by text the codes that are likely."""
    documents = [Document.from_text("d", "", text.replace("\\n", "\n")) for text in texts]
    predictions = suggester.suggest_batch(documents, threshold=EVEN)
    found = [[code.concept_id for code in one.suggestions] for one in predictions]
    return dict(zip(texts, found, strict=True))


def _begin(codes: Iterable[str], beginnings: str) -> bool:
    begins = tuple(beginnings.replace("*", "").split(" "))
    return bool(beginnings) and any(code.startswith(begins) for code in codes)

"""Lines of notes that mention a condition without stating it, of the whole of ICD-10-CM.

`one_liners.tsv` has a line for each: what kind of line it is, whether rules were written with it in
view, its text with `\\n` for a line break, beginnings of codes that stay below even (`*` for all),
and of those of which one is found.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.vocabulary.concepts import Hierarchy

EVEN = 0.5
MOST_FALSE, MOST_MISSED = 0.02, 0.1

with (Path(__file__).parent / "one_liners.tsv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
LINES = [row for row in ROWS if row["half"] == "development"]


@pytest.fixture(scope="module")
def likely(tree: Hierarchy) -> dict[str, list[str]]:
    """By text the codes that are likely."""
    suggester = CodesSuggester(LexicalMatcher(tree), shipped("alone"))
    documents = [Document.from_text("d", "", row["text"].replace("\\n", "\n")) for row in LINES]
    predictions = suggester.suggest_batch(documents, threshold=EVEN)
    found = [[code.concept_id for code in one.suggestions] for one in predictions]
    return {row["text"]: codes for row, codes in zip(LINES, found, strict=True)}


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

"""Suggesters of a few codes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.clinical.familiar import KnownDocuments
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.vocabulary.concepts import Hierarchy
from tests.support.named_codes import named_codes
from tests.support.unsure_codes import WORDS, UnsureSuggester, of_words


@pytest.fixture(scope="module")
def matcher() -> LexicalMatcher:
    return LexicalMatcher(named_codes())


@pytest.fixture(scope="module")
def names(matcher: LexicalMatcher) -> CodesSuggester:
    return CodesSuggester(matcher, shipped("alone"))


@pytest.fixture(scope="module")
def both(matcher: LexicalMatcher) -> CodesSuggester:
    return CodesSuggester(matcher, shipped("beside"), UnsureSuggester(matcher.hierarchy))


@pytest.fixture(scope="module")
def known() -> KnownDocuments:
    return KnownDocuments.of([of_words(*WORDS[n:], *WORDS[:n]) for n in range(len(WORDS))])


EVEN = 0.5


def one_liners() -> list[dict[str, str]]:
    """Return the lines that rules were written with in view."""
    path = Path(__file__).parent / "one_liners.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
    return [row for row in rows if row["half"] == "development"]


@pytest.fixture(scope="module")
def likely(tree: Hierarchy) -> dict[str, list[str]]:
    """By text the codes that are likely."""
    lines = one_liners()
    suggester = CodesSuggester(LexicalMatcher(tree), shipped("alone"))
    documents = [Document.from_text("d", "", row["text"].replace("\\n", "\n")) for row in lines]
    predictions = suggester.suggest_batch(documents, threshold=EVEN)
    found = [[code.concept_id for code in one.suggestions] for one in predictions]
    return {row["text"]: codes for row, codes in zip(lines, found, strict=True)}

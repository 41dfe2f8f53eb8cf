"""Suggesters of a few codes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.clinical.familiar import KnownDocuments
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.notation import ICD9CM
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.vocabulary.concepts import Concept, Hierarchy
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
LABELS = {
    "486": "Pneumonia, organism unspecified",
    "583.81": "Nephritis in diseases classified elsewhere",
    "710.0": "Systemic lupus erythematosus",
    "719.46": "Pain in joint, lower leg",
    "780.96": "Generalized pain",
    "786.2": "Cough",
}


def one_liners(table: str, half: str) -> list[dict[str, str]]:
    """Return the lines of a table that rules were written with in view, or those held out."""
    path = Path(__file__).parent / f"{table}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True))
    return [row for row in rows if row["half"] == half]


@pytest.fixture(scope="module")
def names_alone(tree: Hierarchy) -> CodesSuggester:
    """Of the whole of ICD-10-CM."""
    return CodesSuggester(LexicalMatcher(tree), shipped("alone"))


@pytest.fixture(scope="module")
def icd9() -> Hierarchy:
    concepts = [Concept(code, f"urn:{code}", code, {"en": label}) for code, label in LABELS.items()]
    return Hierarchy(concepts, vocabulary_id=ICD9CM, version="32")


@pytest.fixture(scope="module")
def older(icd9: Hierarchy, names: CodesSuggester) -> CodesSuggester:
    return CodesSuggester(LexicalMatcher(icd9), shipped("alone"), newer=lambda: names)

"""Suggesters of a few codes."""

from __future__ import annotations

import pytest

from core.clinical.familiar import KnownDocuments
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
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

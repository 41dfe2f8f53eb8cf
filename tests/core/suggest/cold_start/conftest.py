"""A suggester of a small thesaurus that no model has learned."""

from __future__ import annotations

import pytest

from core.suggest.cold_start.suggester import ColdStartSuggester
from tests.support.garden import garden


@pytest.fixture
def suggester() -> ColdStartSuggester:
    return ColdStartSuggester.of_vocabulary(garden())

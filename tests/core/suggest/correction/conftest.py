"""A model of a small thesaurus that counts words, and what corrects it."""

from __future__ import annotations

from functools import partial

import pytest

from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.suggester import CorrectedSuggester
from tests.support.fakes import FakePredictor
from tests.support.garden import garden


@pytest.fixture
def corrected() -> CorrectedSuggester:
    hierarchy = garden()
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy)
    return CorrectedSuggester(FakePredictor(hierarchy), hierarchy, labels)

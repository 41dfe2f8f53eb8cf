"""A model of a small thesaurus that counts words, and what corrects it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.opening import with_names
from tests.support.fakes import FakePredictor
from tests.support.garden import garden
from tests.support.named_codes import named_codes


@pytest.fixture
def corrected() -> CorrectedSuggester:
    hierarchy = garden()
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy)
    return CorrectedSuggester(FakePredictor(hierarchy), hierarchy, labels)


@pytest.fixture
def named(tmp_path: Path) -> CorrectedSuggester:
    """What suggests codes by their names, and has learned nothing."""
    found = with_names(None, named_codes(), tmp_path, learns=True)
    assert isinstance(found, CorrectedSuggester)
    return found

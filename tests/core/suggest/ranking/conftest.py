"""The tiny bundle with a ranker, and what it serves."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.suggest.opening import load_suggester
from core.suggest.ranking.suggester import RankedSuggester
from tests.support.models.tiny_ranker import write_ranked_bundle


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranked")
    write_ranked_bundle(folder)
    return folder


@pytest.fixture(scope="module")
def suggester(bundle: Path) -> RankedSuggester:
    found = load_suggester(bundle)
    assert isinstance(found, RankedSuggester)
    return found

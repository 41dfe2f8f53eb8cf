"""A tiny bundle that explains itself, fused and guided alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.documents.document import Document
from core.suggest.evidence.explanation import DocumentExplanation
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from tests.support.models.tiny_bundle import write_tiny_bundle

FISH = Document.from_text(
    "1",
    "Regulation on the fish quota No 12/2016",
    "The 𐍈 😀 fish quota of the bay. İ fish, fish quota!\n\nBay No 7/1999 honey " * 9,
)


BOILERPLATE = r"No \d+/\d+"


@pytest.fixture(scope="module", params=[True, False], ids=["fused", "guided alone"])
def predictor(request, tmp_path_factory) -> LabelSuggester:
    directory: Path = tmp_path_factory.mktemp("bundle")
    write_tiny_bundle(directory, linear=request.param, boilerplate=BOILERPLATE)
    return load_suggester(directory)


@pytest.fixture(scope="module")
def explanation(predictor: LabelSuggester) -> DocumentExplanation:
    return predictor.explain(FISH)

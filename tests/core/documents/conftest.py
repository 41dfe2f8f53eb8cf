"""The process that parses files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.documents.batches import batch
from core.documents.uploads import ParserProcess
from tests.support.counting_parser import CountingParser


@pytest.fixture
def parser() -> Iterator[ParserProcess]:
    made = ParserProcess()
    yield made
    made.close()


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingParser]:
    made = CountingParser()
    monkeypatch.setattr(batch, "PARSER", made)
    yield made
    made.close()

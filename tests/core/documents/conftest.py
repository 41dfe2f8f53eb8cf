"""The process that parses files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.documents.uploads import ParserProcess


@pytest.fixture
def parser() -> Iterator[ParserProcess]:
    made = ParserProcess()
    yield made
    made.close()

"""A store with documents to decide on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.store.store import Store
from tests.support.decision_events import NAMES
from tests.support.stores import (
    open_with_documents,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def store_of_three(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path, *NAMES)
    yield opened
    opened.close()

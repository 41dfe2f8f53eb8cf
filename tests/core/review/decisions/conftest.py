"""A store with documents to decide on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account
from core.review.store.store import Store
from tests.support.stores import (
    open_with_documents,
    send,
)

NAMES = ("act", "other", "third")


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


@pytest.fixture
def jo(store: Store) -> int:
    """An indexer, who has accepted a concept and finished."""
    number = add_account(store, "jo").person_id
    send(store, Operation(1, "add", "c1"), Operation(2, "finish"), client_id="jo", person_id=number)
    return number

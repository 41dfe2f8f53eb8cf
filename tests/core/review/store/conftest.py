"""Stores that were worked in, or may not be written."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.event import listen

from core.review.decisions.recording import Operation
from core.review.store.predictions import save_prediction
from core.review.store.store import Store
from tests.support.erasure import tell
from tests.support.stores import add, open_with_documents, prediction, send


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def worked_store(home: Path) -> Iterator[Store]:
    opened = open_with_documents(home)
    save_prediction(opened, "act", prediction(3), settings={})
    send(opened, Operation(1, "accept", "c1"), Operation(2, "mark", "c1"))
    send(opened, Operation(3, "accept", "c2"), document_id="other")
    vocabularies = home / "vocabularies" / "stw"
    vocabularies.mkdir(parents=True)
    (vocabularies / "stw.jsonl").write_text('{"concept_id": "1"}\n', encoding="utf-8")
    yield opened
    opened.close()


@pytest.fixture
def store_of_two(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def told(store_of_two: Store) -> Store:
    """With a document of which every place that holds words holds some that are nowhere else."""
    return tell(store_of_two)


NOBODY = 65534


@pytest.fixture
def without_rights() -> Iterator[Path]:
    """A folder in which this process may not write; root gives its rights up for the test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Store.open(f"sqlite:///{folder}/strata.sqlite").close()
        (folder / "strata.sqlite").chmod(0o444)
        folder.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(NOBODY)
        yield folder
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@contextmanager
def rights_given_back(folder: Path) -> Iterator[None]:
    """Let this process write in a folder `without_rights` meanwhile."""
    root = os.getuid() == 0
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
    yield
    for path in folder.iterdir():
        path.chmod(0o444)
    folder.chmod(0o555)
    if root:
        os.seteuid(NOBODY)


@pytest.fixture
def sqlite_store(store: Store) -> Store:
    add(store)
    return store


@pytest.fixture
def commits(sqlite_store: Store) -> list[str]:
    found: list[str] = []
    listen(sqlite_store.engine, "commit", lambda _: found.append("commit"))
    return found

"""Restores into the store of a test, on whichever database it is."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from core.review.store.restore import Restored, read_backup
from core.review.store.store import Store


@pytest.fixture
def restored(store: Store, tmp_path: Path) -> Callable[..., Restored]:
    """Restores into `store`, on whichever database it is."""
    url = store.engine.url.render_as_string(hide_password=False)

    def restore(content: bytes, person_id: int | None = None) -> Restored:
        source = io.BytesIO(content)
        return read_backup(source, database_url=url, home=tmp_path, person_id=person_id)

    return restore

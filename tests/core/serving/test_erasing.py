"""A server that has read and learned from a document, and erases it as its project says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.erasure import keep_retention
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.review.store.tables import document
from core.serving import server
from core.serving.session import Session
from tests.support.erasure import is_erased
from tests.support.models.served_models import opened
from tests.support.stores import send
from tests.support.waiting import wait_until

WORD = "quillwort"


def test_nothing_in_the_home_folder_has_a_word_of_what_is_kept_no_longer(
    shared: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LOOK_SECONDS", 0.01)
    store, project_id = shared.server.store(), shared.project_id()
    act = Document.from_text(f"{WORD}.txt", f"On herring and {WORD}", f"Herring, {WORD}.")
    add_document(store, act, project_id=project_id)
    shared.server.queue.submit(act, project_id)
    wait_until(lambda: latest_prediction(store, act.document_id) is not None)
    send(store, Operation(1, "accept", "102"), document_id=act.document_id)
    send(store, Operation(2, "finish", "", shown=1), document_id=act.document_id)
    with store.write() as connection:
        ago = datetime.now(UTC) - timedelta(days=8)
        connection.execute(update(document).values(finished_at=ago))
    keep_retention(store, project_id, 7)
    shared.server.close()
    assert files_with_the_word(tmp_path)
    again = opened(shared.settings)
    wait_until(lambda: is_erased(again.store(), "erased-1") and not files_with_the_word(tmp_path))
    again.server.close()
    assert files_with_the_word(tmp_path) == []


def files_with_the_word(home: Path) -> list[str]:
    """Paths in whose names or bytes it is."""
    return [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if WORD in path.name or (path.is_file() and WORD.encode() in path.read_bytes().lower())
    ]

"""`/api/backup`: a file that is sent in pieces, and leaves nothing behind."""

from __future__ import annotations

import io
import zipfile

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.home import leftovers
from core.review.decisions.recording import Operation
from core.review.store.backup_file import unpack
from core.serving.session import Session
from tests.support.stores import send


@pytest.mark.usefixtures("document_id")
def test_a_backup_is_sent_as_a_file_and_removed_here(client: TestClient, shared: Session) -> None:
    home = shared.settings.home
    answer = client.get("/api/backup")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].startswith('attachment; filename="strata-')
    (home / "looked-at").mkdir()
    assert unpack(io.BytesIO(answer.content), home / "looked-at").n_documents == 1
    assert leftovers(home) == []


def test_a_browser_that_goes_away_leaves_nothing_either(shared: Session) -> None:
    class GoneError(Exception):
        pass

    async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        async def gone(_: object) -> None:
            raise GoneError

        await Starlette(routes=api.routes(shared.server))(scope, receive, gone)

    with pytest.raises(GoneError):
        TestClient(app).get("/api/backup")
    assert leftovers(shared.settings.home) == []


@pytest.mark.usefixtures("document_id")
def test_what_a_restore_keeps_is_not_compressed_while_everybody_waits(
    client: TestClient, shared: Session
) -> None:
    restored = shared.server.restore(io.BytesIO(client.get("/api/backup").content))
    with zipfile.ZipFile(restored.kept) as archive:
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}


def test_decisions_are_stored_while_a_backup_is_unpacked_and_checked(
    shared: Session, client: TestClient, document_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, settled = client.get("/api/backup").content, []

    def look(*_: object) -> None:
        receipt = send(
            shared.server.store(), Operation(1, "accept", "102"), document_id=document_id
        )
        settled.append(receipt.settled)

    monkeypatch.setattr("core.review.store.restore.check_database", look)
    kept = shared.server.restore(io.BytesIO(content)).kept
    assert settled == [(1,)]
    (shared.settings.home / "looked-at").mkdir()
    assert unpack(kept, shared.settings.home / "looked-at").n_events == 1

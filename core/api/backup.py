"""`/api/backup`: everything in one file, which is never in memory as a whole."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from core.api.answers import route
from core.home import staging
from core.review.store.backup import write_backup
from core.serving.server import Server
from core.serving.session import Session

FILE = "backup.zip"


def routes(server: Server) -> list[Route]:
    """Return `/api/backup`, a backup of the present state to be kept as a file."""
    return [route(server, "/api/backup", _backup)]


class _TemporaryFile(FileResponse):
    """A file that is sent, and then removed with its folder, also where the browser goes away."""

    folder: ExitStack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await run_in_threadpool(self.folder.close)


def _backup(session: Session, _: Request) -> Response:
    home = session.settings.home
    with ExitStack() as opened:
        path = opened.enter_context(staging(home)) / FILE
        write_backup(session.store(), home, path)
        name = f"strata-{datetime.now(UTC):%Y-%m-%d}.zip"
        answer = _TemporaryFile(path, media_type="application/zip", filename=name)
        answer.folder = opened.pop_all()
        return answer

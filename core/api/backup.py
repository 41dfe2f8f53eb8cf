"""`/api/backup`: everything in one file, which is never in memory as a whole."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import route
from core.api.sent_file import SentFile
from core.review.store.backup import write_backup
from core.serving.server import Server
from core.serving.session import Session


def routes(server: Server) -> list[Route]:
    """Return `/api/backup`, a backup of the present state to be kept as a file."""
    return [route(server, "/api/backup", _backup, pool=server.workers.writing_files)]


def _backup(session: Session, _: Request) -> Response:
    home = session.settings.home
    name = f"strata-{datetime.now(UTC):%Y-%m-%d}.zip"
    return SentFile(home, name, "application/zip", partial(write_backup, session.store(), home))

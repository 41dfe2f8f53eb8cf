"""`/api/backup`, `/api/bundle` and tables: files that are made for one answer, never whole in memory.

A backup is everything here; a bundle is one model, to be opened by another installation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from core.api.answers import problem, route
from core.export.tables import Columns, Row, write_table
from core.home import staging
from core.model.bundle.cards import BundleCard
from core.model.bundle.contents import check_contents
from core.model.bundle.manifest import MANIFEST, read_manifest
from core.model.bundle.shared_parts import FOLDER, find_part, part_name, shared_with
from core.review.audit.log import AuditKind, record_alone
from core.review.store.backup import write_backup
from core.roles import Right
from core.serving.server import Server
from core.serving.session import Session

ZIP = "application/zip"
HASH = "bundle"  # of the query: what identifies it
PACKED = frozenset({".safetensors", ".gz"})  # what would not become smaller


def routes(server: Server) -> list[Route]:
    """Return `/api/backup`, the present state to be kept as a file, and `/api/bundle?bundle=…`, a
    bundle to be unpacked among other models.
    """
    pool = server.workers.writing_files
    return [
        route(server, "/api/backup", _backup, pool=pool, needs=Right.BACKUP),
        route(server, "/api/bundle", _bundle, pool=pool, needs=Right.MODELS),
    ]


class SentFile(FileResponse):
    """A file that is sent, and then removed with its folder, also where the browser goes away.

    Args:
        home: the settings' folder, in which the file lies meanwhile.
        name: that the browser gives the file.
        write: makes the file, at a path where there is none yet.
    """

    def __init__(
        self, home: Path, name: str, media_type: str, write: Callable[[Path], object]
    ) -> None:
        with ExitStack() as opened:
            path = opened.enter_context(staging(home)) / "sent"
            write(path)
            super().__init__(path, media_type=media_type, filename=name)
            self._folder = opened.pop_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, and remove it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await run_in_threadpool(self._folder.close)


def sent_pieces(session: Session, name: str, media_type: str, pieces: Iterable[bytes]) -> SentFile:
    """Return the answer that sends what is made piece by piece."""

    def write(path: Path) -> None:
        with path.open("wb") as file:
            file.writelines(pieces)

    return SentFile(session.settings.home, name, media_type, write)


def sent_table(session: Session, name: str, columns: Columns[Row], rows: Iterable[Row]) -> SentFile:
    """Return the answer that sends rows as CSV."""
    return sent_pieces(session, name, "text/csv", write_table(columns, rows))


def _backup(session: Session, _: Request) -> Response:
    home = session.settings.home
    name = f"strata-{datetime.now(UTC):%Y-%m-%d}.zip"
    record_alone(session.writing(Right.BACKUP), AuditKind.BACKUP)
    return SentFile(home, name, ZIP, partial(write_backup, session.store(), home))


def _bundle(session: Session, request: Request) -> Response:
    wanted = request.query_params.get(HASH, "")
    usable = (card for card in session.server.setups.cards() if card.problem is None)
    card = next((card for card in usable if card.bundle_hash == wanted), None)
    if card is None:
        return problem("There is no such model that could be downloaded.", 404)
    home = session.settings.home
    return SentFile(home, f"{card.directory.name}.zip", ZIP, partial(pack_bundle, card))


def pack_bundle(card: BundleCard, path: Path) -> None:
    """Write a bundle into an archive, with the parts that it shares with others.

    Raises:
        BundleError: it is damaged.
    """
    directory = card.directory
    manifest = read_manifest(directory)
    check_contents(directory, manifest)  # a link in it might lead to any file here
    with ZipFile(path, "w", strict_timestamps=False) as archive:
        for file in (MANIFEST, *sorted(manifest["files"])):
            _add(archive, directory / file, f"{directory.name}/{file}")
        for part, facts in shared_with(manifest).items():
            _add(archive, find_part(directory, part, facts), f"{FOLDER}/{part_name(part, facts)}")


def _add(archive: ZipFile, file: Path, name: str) -> None:
    kind = ZIP_STORED if file.suffix in PACKED else ZIP_DEFLATED
    archive.write(file, name, compress_type=kind)

"""`/api/bundle`: a model bundle in one file, to be opened by another installation."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.api.answers import problem, route
from core.api.sent_file import SentFile
from core.model.bundle.cards import BundleCard
from core.model.bundle.manifest import MANIFEST, read_manifest
from core.model.bundle.shared_parts import FOLDER, find_part, part_name, shared_with
from core.serving.server import Server
from core.serving.session import Session

HASH = "bundle"  # of the query: what identifies it
PACKED = frozenset({".safetensors", ".gz"})  # what would not become smaller


def routes(server: Server) -> list[Route]:
    """Return `/api/bundle?bundle=…`, a bundle as a file to be unpacked among other models."""
    return [route(server, "/api/bundle", _bundle, pool=server.workers.writing_files)]


def _bundle(session: Session, request: Request) -> Response:
    wanted = request.query_params.get(HASH, "")
    usable = (card for card in session.cards() if card.problem is None)
    card = next((card for card in usable if card.bundle_hash == wanted), None)
    if card is None:
        return problem("There is no such model that could be downloaded.", 404)
    home = session.settings.home
    return SentFile(
        home, f"{card.directory.name}.zip", "application/zip", partial(pack_bundle, card)
    )


def pack_bundle(card: BundleCard, path: Path) -> None:
    """Write a bundle into an archive, with the parts that it shares with others.

    Raises:
        BundleError: it is damaged.
    """
    directory = card.directory
    manifest = read_manifest(directory)
    with ZipFile(path, "w", strict_timestamps=False) as archive:
        for file in (MANIFEST, *sorted(manifest["files"])):
            _add(archive, directory / file, f"{directory.name}/{file}")
        for part, facts in shared_with(manifest).items():
            _add(archive, find_part(directory, part, facts), f"{FOLDER}/{part_name(part, facts)}")


def _add(archive: ZipFile, file: Path, name: str) -> None:
    kind = ZIP_STORED if file.suffix in PACKED else ZIP_DEFLATED
    archive.write(file, name, compress_type=kind)

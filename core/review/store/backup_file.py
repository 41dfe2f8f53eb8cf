"""The form of a backup: one .zip with the database, the imported vocabularies, and a manifest.

A backup comes from outside when it is read, so it is read with suspicion: nothing is unpacked
that the manifest does not name, under another name or of another size than it says.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from core.boundaries import DAMAGED_ARCHIVE, Boundary, message
from core.errors import StoreError
from core.home import checksum_of

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = "strata-backup"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
DATABASE = "strata.sqlite"
VOCABULARIES = "vocabularies"
MAX_MANIFEST_BYTES = 10_000_000
CHUNK_BYTES = 1 << 20
COMPRESSED, STORED = zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED

NO_BACKUP = "This file is no backup of Strata; choose a .zip that the settings page made."
DAMAGED = "The backup is damaged ({reason}); nothing was changed. Choose another one."

BACKUP_ARCHIVE = Boundary(StoreError, dict.fromkeys((*DAMAGED_ARCHIVE, RuntimeError), message))

File = Path | IO[bytes]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself.

    Attributes:
        schema: version of the database's tables.
        created_at: in UTC, as ISO 8601 writes it.
        sha256: checksum of every other file in it, by its name.
    """

    schema: str
    created_at: str
    n_documents: int
    n_events: int
    sha256: Mapping[str, str]


def pack(
    files: Mapping[str, Path], manifest: Manifest, target: File, compression: int = COMPRESSED
) -> None:
    """Write a backup, read and written in small pieces."""
    content = {"format": FORMAT, "format_version": FORMAT_VERSION} | asdict(manifest)
    with zipfile.ZipFile(target, "w", compression) as archive:
        archive.writestr(MANIFEST, json.dumps(content, indent=1))
        for name, path in files.items():
            archive.write(path, name)


def unpack(source: File, folder: Path) -> Manifest:
    """Unpack a backup that is whole into an empty folder.

    Raises:
        StoreError: it is none, is damaged, or is of a newer program.
        OSError: the folder cannot be written.
    """
    with _opened(source) as archive:
        manifest = _manifest(archive)
        for name, checksum in manifest.sha256.items():
            _unpack_one(archive, name, checksum, folder)
    return manifest


@contextmanager
def _opened(source: File) -> Iterator[zipfile.ZipFile]:
    if isinstance(source, Path):
        source.stat()  # where there is no such file, the system says so
    if not zipfile.is_zipfile(source):
        raise StoreError(NO_BACKUP)
    with BACKUP_ARCHIVE.translated(DAMAGED), zipfile.ZipFile(source) as archive:
        yield archive


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    entry = archive.NameToInfo.get(MANIFEST)
    if entry is None or entry.file_size > MAX_MANIFEST_BYTES:
        raise StoreError(NO_BACKUP)
    try:
        content = json.loads(archive.read(entry))
    except ValueError as error:
        raise StoreError(NO_BACKUP) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise StoreError(NO_BACKUP)
    if content.get("format_version") != FORMAT_VERSION:
        raise StoreError("The backup was written by a newer Strata; update Strata to read it.")
    return _read(content)


def _read(content: dict[str, Any]) -> Manifest:
    match content:
        case {
            "schema": str(schema),
            "created_at": str(created_at),
            "n_documents": int(n_documents),
            "n_events": int(n_events),
            "sha256": dict(sha256),
        } if DATABASE in sha256 and all(isinstance(checksum, str) for checksum in sha256.values()):
            return Manifest(schema, created_at, n_documents, n_events, sha256)
    raise StoreError(DAMAGED.format(reason="its manifest is incomplete"))


def _unpack_one(archive: zipfile.ZipFile, name: str, checksum: str, folder: Path) -> None:
    path = PurePosixPath(name)
    in_place = name == DATABASE or (path.parts[:1] == (VOCABULARIES,) and len(path.parts) > 1)
    if not in_place or ".." in path.parts or "\\" in name or name not in archive.NameToInfo:
        raise StoreError(DAMAGED.format(reason=f"{name[:60]!r} is missing or out of place"))
    if archive.NameToInfo[name].file_size > shutil.disk_usage(folder).free:
        raise StoreError("The backup does not fit on the disk; nothing was changed.")
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as packed, target.open("wb") as file:
        shutil.copyfileobj(packed, file, CHUNK_BYTES)
    if checksum_of(target) != checksum:
        raise StoreError(DAMAGED.format(reason=f"{name[:60]!r} does not have its checksum"))

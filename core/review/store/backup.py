"""Everything of an installation in one file: the database and the imported vocabularies.

The database is in it as a SQLite file, whatever database is in use, so that a backup goes from
one kind to the other. `restore.py` is the way back.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from core.errors import StoreError
from core.home import checksum_of, staging, written_whole
from core.review.store import database
from core.review.store.backup_file import (
    COMPRESSED,
    DATABASE,
    VOCABULARIES,
    File,
    Manifest,
    pack,
)
from core.review.store.copying import copy_rows, same_moment
from core.review.store.store import Store

ONLY_THESE = "Backups are of SQLite and PostgreSQL; the database here is {backend}. Use its own tool instead."


def write_backup(store: Store, home: Path, target: File, compression: int = COMPRESSED) -> Manifest:
    """Write a backup of the store, as it is at this moment, and of the imported vocabularies.

    However large the store is, little of it is in memory at a time.

    Args:
        home: the settings' folder.
        target: a path, which must not be there yet, or an open file.
        compression: STORED is quicker, and takes several times the space.
    Raises:
        StoreError: the file is there, or something cannot be read or written; then there is no
            file of this name.
    """
    refuse_other(store.engine.dialect.name)
    if isinstance(target, Path) and not target.parent.is_dir():
        raise StoreError(
            f"There is no folder {str(target.parent)!r}: make it, or name another one."
        )
    with (
        database.DATABASE_FILES.translated("The backup could not be written: {reason}."),
        staging(home) as folder,
    ):
        copy = folder / DATABASE
        _copy_database(store, copy)
        files = {DATABASE: copy} | _vocabularies(home)
        manifest = _manifest(copy, files)
        if not isinstance(target, Path):
            pack(files, manifest, target, compression)
            return manifest
        if target.exists():
            raise StoreError(f"There is a file {str(target)!r} already; name another one.")
        with written_whole(target, noted_in=folder) as part:
            pack(files, manifest, part, compression)
    return manifest


def refuse_other(backend: str) -> None:
    """Refuse a kind of database that this was never tried with.

    Raises:
        StoreError: it is neither SQLite nor PostgreSQL.
    """
    if backend not in ("sqlite", "postgresql"):
        raise StoreError(ONLY_THESE.format(backend=backend))


def _copy_database(store: Store, copy: Path) -> None:
    if store.engine.dialect.name == "sqlite":
        with closing(store.engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(copy),))
        return
    with (
        closing(Store.open(f"sqlite:///{copy}")) as target,
        same_moment(store) as source,
        target.write() as connection,
    ):
        copy_rows(source, connection)


def _manifest(copy: Path, files: dict[str, Path]) -> Manifest:
    with closing(sqlite3.connect(copy)) as connection:
        (n_documents,) = connection.execute("SELECT count(*) FROM document").fetchone()
        (n_events,) = connection.execute("SELECT count(*) FROM decision_event").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    checksums = {name: checksum_of(path) for name, path in files.items()}
    return Manifest(database.HEAD, moment, n_documents, n_events, checksums)


def _vocabularies(home: Path) -> dict[str, Path]:
    paths = sorted(path for path in (home / VOCABULARIES).rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): path for path in paths if not path.is_symlink()}

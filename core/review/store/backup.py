"""Everything of an installation in one file, and back: the database and the imported vocabularies.

Reading a backup needs no closing and no restart: the restored pages are written into the open
database as one transaction, and every connection to it sees them from then on. What was there is
written to a backup of its own before.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.engine import make_url

from core.errors import StoreError
from core.review.store import database
from core.review.store.backup_file import (
    DAMAGED,
    DATABASE,
    VOCABULARIES,
    File,
    Manifest,
    checksum_of,
    pack,
    unpack,
)
from core.review.store.store import Store
from core.review.store.tables import decision_event, document

KEPT = "backups"  # folder of the home where what was there before a restore is kept
PATIENCE_SECONDS = 15.0  # for another program that keeps the database locked
LOCK_RETRY_SECONDS = 0.01
ONLY_SQLITE = (
    "This backup is for SQLite; the database here is {backend}. Use its own tool instead: "
    "pg_dump and pg_restore for PostgreSQL."
)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore brought.

    Attributes:
        created_at: when the backup was written, in UTC.
        kept: a backup of everything that was there before.
    """

    n_documents: int
    n_events: int
    created_at: str
    kept: Path


def write_backup(store: Store, home: Path, target: File) -> Manifest:
    """Write a backup of the store, as it is at this moment, and of the imported vocabularies.

    Args:
        home: the settings' folder.
        target: a path, which must not be there yet, or an open file.
    Raises:
        StoreError: the database is not SQLite, or something cannot be read or written.
    """
    backend = store.engine.dialect.name
    if backend != "sqlite":
        raise StoreError(ONLY_SQLITE.format(backend=backend))
    with (
        database.DATABASE_FILES.translated("The backup could not be written: {reason}."),
        tempfile.TemporaryDirectory() as name,
    ):
        copy = Path(name) / DATABASE
        with closing(store.engine.raw_connection()) as connection:
            connection.cursor().execute("VACUUM INTO ?", (str(copy),))
        files = {DATABASE: copy} | _vocabularies(home)
        n_documents, n_events = _counts(store)
        checksums = {name: checksum_of(path) for name, path in files.items()}
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = Manifest(database.HEAD, moment, n_documents, n_events, checksums)
        pack(files, manifest, target)
    return manifest


def read_backup(source: File, *, database_url: str, home: Path) -> Restored:
    """Put a backup in the place of what is there, after a backup of that was written.

    Stores that are open stay so, and see the restored rows at their next query. Where the
    database was so damaged that its file had to be moved away, call their `close` afterwards:
    their next query opens the new one.

    Args:
        source: a backup of this or an earlier schema.
        database_url, home: as in the settings.
    Raises:
        StoreError: the file is no whole backup, or is newer than this program, or the database
            cannot be written; nothing was changed then.
    """
    home.mkdir(parents=True, exist_ok=True)
    backend = make_url(database_url).get_backend_name()
    if backend != "sqlite":
        raise StoreError(ONLY_SQLITE.format(backend=backend))
    with (
        database.DATABASE_FILES.translated("The backup could not be read: {reason}."),
        tempfile.TemporaryDirectory(dir=home, prefix=".restore-") as name,
    ):
        folder = Path(name)
        manifest = unpack(source, folder)
        _bring_up_to_date(folder / DATABASE)
        kept = _keep(database_url, home)
        _replace_database(folder / DATABASE, database_url)
        _replace_vocabularies(folder, home)
    return Restored(manifest.n_documents, manifest.n_events, manifest.created_at, kept)


def _counts(store: Store) -> tuple[int, int]:
    """How many documents and events there are."""
    with store.read() as connection:
        n_documents = connection.scalar(select(func.count()).select_from(document))
        n_events = connection.scalar(select(func.count()).select_from(decision_event))
    return n_documents or 0, n_events or 0


def _vocabularies(home: Path) -> dict[str, Path]:
    """The files of the imported vocabularies, by their names in a backup."""
    found = sorted(path for path in (home / VOCABULARIES).rglob("*") if path.is_file())
    return {path.relative_to(home).as_posix(): path for path in found if not path.is_symlink()}


def _bring_up_to_date(copy: Path) -> None:
    """Migrate the unpacked database, and look whether it is whole.

    Raises:
        StoreError: it is damaged, or of a newer program.
    """
    with closing(sqlite3.connect(copy)) as connection:
        ours = "SELECT count(*) FROM sqlite_master WHERE name IN ('alembic_version', 'decision')"
        if connection.execute(ours).fetchone() != (2,):
            raise StoreError(DAMAGED.format(reason="its database is of another program"))
    Store.open(f"sqlite:///{copy}").close()
    with closing(sqlite3.connect(copy)) as connection:
        (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    if answer != "ok":
        raise StoreError(DAMAGED.format(reason=answer))


def _keep(database_url: str, home: Path) -> Path:
    """Keep what is there: as a backup, or file by file where the database is damaged."""
    folder = home / KEPT
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")
    try:
        with closing(Store.open(database_url)) as store:
            target = folder / f"before-restore-{moment}.zip"
            write_backup(store, home, target)
            return target
    except StoreError as error:
        if not database.is_damaged(error):
            raise
    return _keep_files(database_url, home, folder / f"damaged-{moment}")


def _keep_files(database_url: str, home: Path, folder: Path) -> Path:
    """Move a database that cannot be read out of the way, with what belongs to it."""
    live = Path(make_url(database_url).database or "")
    folder.mkdir()
    for path in (live, Path(f"{live}-wal"), Path(f"{live}-shm")):
        if path.exists():
            shutil.move(path, folder / path.name)
    if (home / VOCABULARIES).is_dir():
        shutil.copytree(home / VOCABULARIES, folder / VOCABULARIES)
    return folder


def _replace_database(copy: Path, database_url: str) -> None:
    """Write the restored pages into the live database, in one transaction."""
    deadline = time.monotonic() + PATIENCE_SECONDS

    def give_up(status: int, *_: int) -> None:
        if status != sqlite3.SQLITE_DONE and time.monotonic() > deadline:
            raise StoreError(
                "Another program keeps the database locked; nothing was changed. Close it and "
                "try again."
            )

    with (
        closing(sqlite3.connect(copy)) as restored,
        closing(Store.open(database_url, busy_timeout_seconds=1.0)) as store,
        closing(store.engine.raw_connection()) as live,
    ):
        # Tried often, for others who write without a pause leave the lock for moments only.
        connection = cast("sqlite3.Connection", live.driver_connection)
        restored.backup(connection, progress=give_up, sleep=LOCK_RETRY_SECONDS)


def _replace_vocabularies(folder: Path, home: Path) -> None:
    """Put the restored vocabularies in place of those that are there, which were kept before."""
    live, restored = home / VOCABULARIES, folder / VOCABULARIES
    if live.is_dir():
        live.rename(folder / "replaced")
    if restored.is_dir():
        restored.rename(live)

"""The way back from a backup, while others work: nothing acknowledged is lost, nothing is mixed.

1. The backup is unpacked beside what is there, checked, and brought up to date.
2. From here on nobody else writes. What is there is kept in a backup of its own.
3. One transaction replaces all rows but those of the audit log, and notes a number. Its commit decides.
4. The vocabularies change places.

A journal, written before the third step, names the number. Where the program is killed, the next
start finds the journal and the number in the database, or another one: then it goes on with the
fourth step, or leaves everything as it was.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, delete
from sqlalchemy.engine import make_url

from core.errors import StoreBusyError, StoreError
from core.home import STAGING, clear_abandoned, flush, lock_file, open_private, staging
from core.review.audit.log import carry_on
from core.review.store import database, schema
from core.review.store.backup import refuse_other, write_backup
from core.review.store.backup_file import (
    DAMAGED,
    DATABASE,
    STORED,
    VOCABULARIES,
    File,
    unpack,
)
from core.review.store.copying import copy_rows
from core.review.store.store import Store
from core.review.store.tables import audit_event, invitation, metadata, sign_in

KEPT = "backups"  # folder of the home where what was there before a restore is kept
JOURNAL = "journal.json"
PREPARED = ".restored"  # ends the name of a database that is to take the place of a damaged one
PATIENCE_SECONDS = 15.0  # for another program that keeps the database locked
LOCK_RETRY_SECONDS = 0.01
MOST_RENAMES = 5
LOCKED = "Another program keeps the database locked; nothing was changed. Close it and try again."


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


def read_backup(
    source: File,
    *,
    database_url: str,
    home: Path,
    before_exchange: Callable[[], None] = lambda: None,
    person_id: int | None = None,
) -> Restored:
    """Put a backup in the place of what is there, after a backup of that was written.

    Stores that are open stay so, and see the restored rows at their next query. What they write
    meanwhile is either in the backup of what was there, or refused.

    Args:
        source: a backup of this or an earlier schema.
        database_url, home: as in the settings.
        before_exchange: is called when the backup is unpacked and checked, before anything changes.
        person_id: who restores, for the audit log, which goes on; None for a command.
    Raises:
        StoreError: the file is no whole backup, or is newer than this program, or the database
            cannot be written; nothing was changed then.
    """
    refuse_other(make_url(database_url).get_backend_name())
    with (
        database.DATABASE_FILES.translated("The backup could not be read: {reason}."),
        staging(home) as folder,
    ):
        manifest = unpack(source, folder)
        check_database(folder / DATABASE)
        (folder / VOCABULARIES).mkdir(exist_ok=True)
        before_exchange()
        note = partial(carry_on, person_id=person_id, made=manifest.created_at)
        moved_to = _exchange(folder, database_url, home, note)
    return Restored(manifest.n_documents, manifest.n_events, manifest.created_at, moved_to)


def finish_restores(database_url: str, home: Path) -> None:
    """Finish restores of programs that were killed after the commit, and undo earlier ones.

    Copies of killed backups and restores are removed, also while others work here.

    Raises:
        StoreError: the database or the home cannot be read or written.
    """
    with database.DATABASE_FILES.translated("A restore could not be finished: {reason}."):
        for journal in sorted(home.glob(f"{STAGING}*/{JOURNAL}")):
            with suppress(FileNotFoundError), open_private(journal) as file:
                try:
                    lock_file(file)
                except OSError:
                    continue  # somebody restores just now
                if journal.exists():
                    _settle(journal.parent, file.read(), database_url, home)
        clear_abandoned(home, but_with=JOURNAL)


def check_database(copy: Path) -> None:
    """Look whether an unpacked database is one of ours and whole, and bring it up to date.

    Raises:
        StoreError: it is damaged, of a newer program, or holds what Strata does not make.
    """
    with database.DATABASE_FILES.translated(DAMAGED):
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(schema.DISTRUST)
            ours = (
                "SELECT count(*) FROM sqlite_master WHERE name IN ('alembic_version', 'decision')"
            )
            if connection.execute(ours).fetchone() != (2,):
                raise StoreError(DAMAGED.format(reason="its database is of another program"))
            _refuse("its database ", schema.differences(connection))
            _refuse("its database is damaged: ", schema.broken_rows(connection))
        Store.open(f"sqlite:///{copy}").close()
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(schema.DISTRUST)
            _refuse("in its database, ", schema.wrong_values(connection))
            for ended in (sign_in, invitation):  # what was signed out since opens nothing again
                connection.execute(str(delete(ended)))
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _refuse(what: str, problems: list[str]) -> None:
    if problems:
        raise StoreError(DAMAGED.format(reason=what + schema.in_short(problems)))


# ---------------------------------------------------------------------- exchanging


Note = Callable[[Connection | None, Connection], None]
"""What leaves of the log in the unpacked copy what comes behind the log of what is there."""


def _exchange(folder: Path, database_url: str, home: Path, note: Note) -> Path:
    """Put what was unpacked into a folder in its place, and return where the rest is kept."""
    try:
        with closing(Store.open(database_url, busy_timeout_seconds=PATIENCE_SECONDS)) as store:
            return _replace_rows(store, folder, home, note)
    except StoreError as error:
        if not database.is_damaged(error):
            raise
    with closing(_opened(folder)) as copy, copy.write() as there:
        note(None, there)
    return _replace_file(folder, Path(make_url(database_url).database or ""), home)


def _opened(folder: Path) -> Store:
    return Store.open(f"sqlite:///{folder / DATABASE}")


def _replace_rows(store: Store, folder: Path, home: Path, note: Note) -> Path:
    number = secrets.randbelow(2**31 - 1) + 1
    alone = _alone_in_file if store.engine.dialect.name == "sqlite" else _alone_on_server
    with _journal(folder, {"number": str(number)}):
        with alone(store, folder / DATABASE) as replace:
            backup = _kept_folder(home) / f"before-restore-{_moment()}.zip"
            write_backup(store, home, backup, STORED)  # everybody waits for it
            with store.read() as here, closing(_opened(folder)) as copy, copy.write() as there:
                note(here, there)
            replace(number)
        _finish(folder, home)
    return backup


def _replace_file(folder: Path, live: Path, home: Path) -> Path:
    """Put a whole database in the place of a damaged one, which is kept file by file."""
    kept_folder = _kept_folder(home) / f"damaged-{_moment()}"
    kept_folder.mkdir(mode=0o700)
    for path in (live, *_beside(live)):
        if path.exists():
            shutil.copy2(path, kept_folder)
    if (home / VOCABULARIES).is_dir():
        shutil.copytree(home / VOCABULARIES, kept_folder / VOCABULARIES)
    prepared = Path(f"{live}{PREPARED}")
    shutil.copyfile(folder / DATABASE, prepared)
    prepared.chmod(0o600)
    flush(prepared)
    with _journal(folder, {"file": str(live)}):
        _put_in_place(live)
        _finish(folder, home)
    return kept_folder


def _put_in_place(live: Path) -> None:
    """Rename the prepared database; the log of the damaged one must not be read with it."""
    prepared = Path(f"{live}{PREPARED}")
    if prepared.exists():
        for path in _beside(live):
            path.unlink(missing_ok=True)
        prepared.replace(live)
        flush(live.parent)


def _beside(live: Path) -> tuple[Path, Path]:
    return Path(f"{live}-wal"), Path(f"{live}-shm")


def _kept_folder(home: Path) -> Path:
    folder = home / KEPT
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _moment() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")


@contextmanager
def _alone_in_file(store: Store, copy: Path) -> Iterator[Callable[[int], None]]:
    """Keep all others from writing to a SQLite file, and commit at the end.

    Yields:
        What puts the rows of a copy in place of those here, and notes a number.
    """
    with closing(store.engine.raw_connection()) as pooled:
        live = cast("sqlite3.Connection", pooled.driver_connection)
        live.execute("PRAGMA foreign_keys = OFF")  # the copy's were looked at; tables come whole
        live.execute("PRAGMA busy_timeout = 0")
        _begin(live)
        try:
            yield lambda number: _take_rows(live, copy, number)
            live.execute("COMMIT")
        finally:
            if live.in_transaction:
                live.execute("ROLLBACK")
            pooled.invalidate()  # it has settings of its own


def _begin(live: sqlite3.Connection) -> None:
    """Begin to write, tried often, for others who write leave the lock for moments only."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            live.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
                raise
            if time.monotonic() > deadline:
                raise StoreBusyError(LOCKED) from error
            time.sleep(LOCK_RETRY_SECONDS)
        else:
            return


def _take_rows(live: sqlite3.Connection, copy: Path, number: int) -> None:
    live.execute("ATTACH DATABASE ? AS restored", (str(copy),))
    for table in metadata.sorted_tables:
        name = table.name
        columns = [_columns(live, f'{place}."{name}"') for place in ("main", "restored")]
        if table is not audit_event:  # what the copy has of the log comes behind what is here
            live.execute(f'DELETE FROM main."{name}"')  # noqa: S608 - our own names
        # Tables that are alike are copied page by page, indexes too, which is many times faster.
        into, what = ("", "*") if columns[0] == columns[1] else (f"({columns[1]})", columns[1])
        live.execute(
            f'INSERT INTO main."{name}" {into} SELECT {what} FROM restored."{name}"'  # noqa: S608
        )
    live.execute(f"PRAGMA user_version = {number}")


def _columns(live: sqlite3.Connection, table: str) -> str:
    described = live.execute(f"SELECT * FROM {table} LIMIT 0").description  # noqa: S608
    return ", ".join(f'"{column}"' for column, *_ in described)


@contextmanager
def _alone_on_server(store: Store, copy: Path) -> Iterator[Callable[[int], None]]:
    with store.write(alone=True) as live:

        def replace(number: int) -> None:
            with closing(_opened(copy.parent)) as restored, restored.read() as source:
                copy_rows(source, live)
            live.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{number}'")

        yield replace


# ---------------------------------------------------------------------- the journal


@contextmanager
def _journal(folder: Path, content: dict[str, str]) -> Iterator[None]:
    """Note on the disk what is being done, locked as long as this program does it."""
    with open_private(folder / JOURNAL) as file:
        lock_file(file)
        for path in folder.rglob("*"):
            flush(path)
        file.write(json.dumps(content).encode())
        file.flush()
        os.fsync(file.fileno())
        flush(folder)
        flush(folder.parent)
        yield


def _settle(folder: Path, content: bytes, database_url: str, home: Path) -> None:
    """Finish what a killed program began, if it came to the commit, and remove its folder."""
    try:
        noted: dict[str, Any] = json.loads(content)
    except ValueError:
        noted = {}  # it was killed while it wrote this, long before the commit
    if "file" in noted:
        _put_in_place(Path(noted["file"]))
        _finish(folder, home)
    elif "number" in noted and noted["number"] == _number_of(database_url):
        _finish(folder, home)
    shutil.rmtree(folder, ignore_errors=True)


def _number_of(database_url: str) -> str:
    """The number that the last restore noted.

    A server may still be committing for a program that was killed: its lock is waited for.
    """
    engine = database.connect(database_url, busy_timeout_seconds=PATIENCE_SECONDS)
    try:
        with engine.execution_options(writes=database.ALONE).begin() as connection:
            return database.generation(connection)
    finally:
        engine.dispose()


def _finish(folder: Path, home: Path) -> None:
    """Exchange the vocabularies, unless that was done, and forget the journal."""
    restored, live = folder / VOCABULARIES, home / VOCABULARIES
    for _ in range(MOST_RENAMES):
        if not restored.exists():
            break
        if live.exists():
            live.rename(folder / f"replaced-{secrets.token_hex(4)}")
        try:
            restored.rename(live)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise  # otherwise another program has made the folder again in the meantime
    flush(home)
    (folder / JOURNAL).unlink()
    flush(folder)


def watch_for_restores(store: Store) -> None:
    """Have a store refuse to write once a restore by another program has put other content here."""
    with store.read() as connection:
        store.gate.watch(connection)


def pause(store: Store) -> None:
    """Refuse to write from now on; what is being written is finished before."""
    with store.turn:
        store.gate.is_paused = True


def resume(store: Store) -> None:
    """Write again."""
    store.gate.is_paused = False

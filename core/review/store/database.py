"""How the store reaches its database: engine, migrations, and errors in plain words.

SQLite is used in WAL mode with `synchronous=FULL`: a commit waits until the disk has it, so that
what was acknowledged survives a killed program and a power cut alike (NORMAL would survive only
the first; the difference is one fsync, about a millisecond or two on an SSD). Every other
database that SQLAlchemy knows is reached by its URL, without any of this.
"""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry

from core.boundaries import Boundary, message, system_reason
from core.errors import StoreError
from core.review.decisions.derivation import derive_all

MIGRATIONS = Path(__file__).parent / "migrations"
HEAD = "0005"  # the newest migration; a test holds it to the files

DATABASE_FILES = Boundary(
    StoreError, {OSError: system_reason, sqlite3.Error: message, SQLAlchemyError: message}
)
# What the database says while it is used, by the beginning of SQLite's own error names.
SQLITE_SENTENCES = {
    "SQLITE_READONLY": "The database can only be read: {place}. Make the file and its folder "
    "writable.",
    "SQLITE_FULL": "The disk is full, so nothing more can be stored: {place}. Free some space.",
    "SQLITE_BUSY": "Another program keeps the database locked: {place}. Close it and try again.",
    "SQLITE_LOCKED": "Another program keeps the database locked: {place}. Close it and try again.",
    "SQLITE_NOTADB": "This file is no database, or is damaged: {place}. Restore a copy of it.",
    "SQLITE_CORRUPT": "The database is damaged: {place}. Restore a copy of it.",
    "SQLITE_CANTOPEN": "The database cannot be opened: {place}. Look at the folder and its rights.",
    "SQLITE_IOERR": "The disk does not read or write the database: {place}.",
    "SQLITE_TOOBIG": "This document is too large for the database: {place}.",
}


def connect(url: str, *, busy_timeout_seconds: float) -> Engine:
    """Return an engine for this URL; the folder of a SQLite file is created.

    Raises:
        StoreError: the URL cannot be used, or the folder cannot be created.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreError(f"This is no usable database URL: {url!r}.") from error
    try:
        if parsed.get_backend_name() != "sqlite":
            return create_engine(parsed, pool_pre_ping=True)
        _prepare_folder(parsed)
        engine = create_engine(parsed, pool_size=8, max_overflow=24)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        shown = parsed.render_as_string(hide_password=True)
        raise StoreError(f"This is no usable database URL: {shown} ({error}).") from error
    _listen(engine, busy_timeout_seconds)
    return engine


def _prepare_folder(url: URL) -> None:
    """Create the folder of a SQLite file."""
    if not url.database or url.database == ":memory:":
        raise StoreError("A database in memory would lose every decision; name a file.")
    if url.database.startswith("file:"):
        return
    with DATABASE_FILES.translated(
        "The database's folder cannot be created: {place} ({reason}).", place=url.database
    ):
        Path(url.database).expanduser().parent.mkdir(parents=True, exist_ok=True)


def _listen(engine: Engine, busy_timeout_seconds: float) -> None:
    """Set every new SQLite connection up, and begin transactions ourselves.

    The driver's own way of beginning late would let a transaction that reads first and then
    writes fail at once when another one wrote in between; BEGIN IMMEDIATE waits its turn.
    """

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(busy_timeout_seconds * 1000)}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# Alembic keeps the migration under way in a variable of its module.
_MIGRATING = threading.Lock()


def migrate(engine: Engine) -> None:
    """Bring the schema up to this program's; two programs that start at once do it once.

    What is derived from the events is derived again, as a new schema may say more of them.

    Raises:
        StoreError: the schema is newer than this program.
        SQLAlchemyError: from the database.
    """
    with engine.connect() as connection:
        if _version(connection) == HEAD:
            return
    with _MIGRATING, engine.execution_options(writes=True).begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        _refuse_newer(_version(connection), ScriptDirectory.from_config(config))
        command.upgrade(config, "head")
        derive_all(connection)


def _version(connection: Connection) -> str | None:
    """The schema's version; None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _refuse_newer(version: str | None, scripts: ScriptDirectory) -> None:
    """Refuse a schema that no migration of this program leads to."""
    if version is None:
        return
    try:
        scripts.get_revision(version)
    except CommandError as error:
        raise StoreError(
            f"The database was written by a newer Strata (schema {version}, this one knows "
            f"{HEAD}). Update Strata, or name another database."
        ) from error


def is_damaged(error: StoreError) -> bool:
    """Whether a SQLite file is no database any more, rather than locked or out of reach."""
    cause = error.__cause__
    original = cause.orig if isinstance(cause, DBAPIError) else cause
    name = getattr(original, "sqlite_errorname", "")
    return bool(name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")))


def in_plain_words(error: SQLAlchemyError, engine: Engine) -> StoreError:
    """Return the sentence that a person reads instead of the database's error."""
    place = engine.url.database or engine.url.render_as_string()
    if isinstance(error, PoolTimeoutError):
        return StoreError("The database has too much to do at the moment. Try again.")
    original = error.orig if isinstance(error, DBAPIError) else error
    name = getattr(original, "sqlite_errorname", "")
    for beginning, sentence in SQLITE_SENTENCES.items():
        if name.startswith(beginning):
            return StoreError(sentence.format(place=place))
    return StoreError(f"The database gave an error: {original} ({place}).")

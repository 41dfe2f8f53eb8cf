"""How the store reaches its database: engine, migrations, and errors in plain words.

SQLite is used in WAL mode with `synchronous=FULL`: a commit waits until the disk has it, so that
what was acknowledged survives a killed program and a power cut alike (NORMAL would survive only
the first; the difference is one fsync, about a millisecond or two on an SSD). Every other
database that SQLAlchemy knows is reached by its URL, without any of this.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InvalidatePoolError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from core.boundaries import Boundary, message, system_reason
from core.errors import StoreBusyError, StoreError
from core.home import PRIVATE_FOLDER, open_private
from core.review.connections import WaitlessPool
from core.review.plain_letters import FUNCTION, plain_letters
from core.review.store.tables import metadata

Answer = TypeVar("Answer")

MIGRATIONS = Path(__file__).parent / "migrations"
BASELINE = "0012"  # the first migration, of release 1.0
HEAD = "0020"  # the newest migration; a test holds it to the files
LAST_UPGRADER = "f9fb1945"  # the commit that still upgrades databases of before the release

DATABASE_FILES = Boundary(
    StoreError,
    {
        OSError: system_reason,
        **dict.fromkeys((sqlite3.Error, SQLAlchemyError), message),
        UnicodeDecodeError: message,  # SQLite names what it cannot read, and that is no text
    },
)
TOO_OLD = (
    "The database has {found}, which this Strata does not upgrade. Open it, or restore its backup, "
    f"once with Strata as of commit {LAST_UPGRADER}, or name another one in STRATA_DATABASE_URL."
)
BUSY = "Another program keeps the database locked: {place}. Close it and try again."
FULL = "The disk is full, so nothing more can be stored: {place}. Free some space."
# What the database says while it is used, by the beginning of SQLite's own error names.
SQLITE_SENTENCES = {
    "SQLITE_READONLY": "The database can only be read: {place}. Make the file and its folder "
    "writable.",
    "SQLITE_FULL": FULL,
    "SQLITE_BUSY": BUSY,
    "SQLITE_LOCKED": BUSY,
    "SQLITE_NOTADB": "This file is no database, or is damaged: {place}. Restore a copy of it.",
    "SQLITE_CORRUPT": "The database is damaged: {place}. Restore a copy of it.",
    "SQLITE_CANTOPEN": "The database cannot be opened: {place}. Look at the folder and its rights.",
    "SQLITE_IOERR": "The disk does not read or write the database: {place}.",
    "SQLITE_TOOBIG": "This document is too large for the database: {place}.",
}
# The same of PostgreSQL, by the beginning of the code that the SQL standard gives an error.
POSTGRESQL_SENTENCES = {
    "55P03": BUSY,  # a lock was not to be had in time
    "40": BUSY,  # a deadlock
    "53100": FULL,
    "53": "The database server has too much to do: {place}. Try again.",
    "25006": "The database can only be read: {place}. Make it writable.",
    "57P": "The database server is stopping: {place}. Try again when it is back.",
    "08": "The database server does not answer: {place}. Look whether it runs.",
}
# A number that a restore changes along with the rows, in the same transaction.
GENERATION = {
    "sqlite": "PRAGMA user_version",
    "postgresql": "SELECT obj_description('alembic_version'::regclass)",
}
# Held by every transaction that writes to PostgreSQL, and by a migration or a restore alone.
RESTORE_LOCK = 7_287_201
DECISION_LOCK = RESTORE_LOCK + 1
JOBS_LOCK = RESTORE_LOCK + 2  # with the project as its second number
LOG_LOCK = RESTORE_LOCK + 3
ALONE = "alone"  # value of the execution option `writes` of these two


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
            engine = create_engine(
                parsed, pool_pre_ping=True, hide_parameters=True, pool_size=8, max_overflow=24
            )
            _listen_to_server(engine, busy_timeout_seconds)
            return engine
        _prepare_folder(parsed)
        # Parameters are people's texts: an error must not carry them into the log.
        engine = create_engine(parsed, poolclass=WaitlessPool, hide_parameters=True)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        shown = parsed.render_as_string(hide_password=True)
        raise StoreError(f"This is no usable database URL: {shown} ({error}).") from error
    _listen(engine, busy_timeout_seconds)
    return engine


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite database; None where the database is on a server."""
    parsed = make_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    return Path(parsed.database or "") if is_sqlite else None


def without_password(url: str) -> str:
    """Return a database's URL as it may be shown."""
    return make_url(url).render_as_string(hide_password=True)


def look(url: str, question: Callable[[Connection], Answer]) -> Answer | None:
    """Ask a database that nothing has opened yet, as it is; None where it cannot be read."""
    engine = create_engine(url, hide_parameters=True)
    try:
        with engine.connect() as connection:
            return question(connection)
    except SQLAlchemyError:
        return None
    finally:
        engine.dispose()


def _prepare_folder(url: URL) -> None:
    """Create a SQLite file and its folder, where they are not there, for their owner alone."""
    if not url.database or url.database == ":memory:":
        raise StoreError("A database in memory would lose every decision; name a file.")
    if url.database.startswith("file:"):
        return
    path = Path(url.database).expanduser()
    with DATABASE_FILES.translated(
        "The database's folder cannot be created: {place} ({reason}).", place=url.database
    ):
        path.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    if not path.exists():
        with suppress(OSError):  # the database says what is wrong
            open_private(path).close()


def _listen(engine: Engine, busy_timeout_seconds: float) -> None:
    """Set every new SQLite connection up, and begin transactions ourselves.

    The driver's own way of beginning late would let a transaction that reads first and then
    writes fail at once when another one wrote in between; BEGIN IMMEDIATE waits its turn.
    """
    path = Path(engine.url.database or "").expanduser()

    @event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
        entry.info["file"] = _identity(path)
        connection.isolation_level = None
        connection.create_function(FUNCTION, 1, plain_letters, deterministic=True)
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {int(busy_timeout_seconds * 1000)}")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    @event.listens_for(engine, "checkout")
    def look(_: DBAPIConnection, entry: ConnectionPoolEntry, __: PoolProxiedConnection) -> None:
        # A restore puts another file in the place of a damaged one: writing to the old one goes on
        # without an error, and is lost.
        if entry.info["file"] != _identity(path):
            raise InvalidatePoolError

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _listen_to_server(engine: Engine, lock_timeout_seconds: float) -> None:
    """Set every new PostgreSQL connection up, and let no transaction write during a restore."""
    if engine.dialect.name != "postgresql":
        return

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        cursor.execute(f"SET lock_timeout = {int(lock_timeout_seconds * 1000)}")
        cursor.close()
        connection.commit()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        if writes:
            lock = "pg_advisory_xact_lock" if writes == ALONE else "pg_advisory_xact_lock_shared"
            connection.exec_driver_sql(f"SELECT {lock}({RESTORE_LOCK})")


def lock_decisions(connection: Connection) -> None:
    """Let one transaction at a time append decisions, until its commit.

    An event's position is behind all that are there, so nobody may append beside it. SQLite has
    one writer anyway.
    """
    _lock(connection, DECISION_LOCK)


def lock_log(connection: Connection) -> None:
    """Let one transaction at a time append to the audit log, until its commit."""
    _lock(connection, LOG_LOCK)


def _lock(connection: Connection, number: int) -> None:
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({number})")


def generation(connection: Connection) -> str:
    """Return what changes with every restore; "" for a database of another kind."""
    query = GENERATION.get(connection.dialect.name)
    return "" if query is None else str(connection.exec_driver_sql(query).scalar() or "")


# Alembic keeps the migration under way in a variable of its module.
_MIGRATING = threading.Lock()


def migrate(engine: Engine) -> None:
    """Bring the schema up to this program's; two programs that start at once do it once.

    Raises:
        StoreError: the schema is newer than this program, or of before release 1.0.
        SQLAlchemyError: from the database.
    """
    with engine.connect() as connection:
        if schema_version(connection) == HEAD:
            return
    with engine.execution_options(writes=ALONE).begin() as connection:
        if schema_version(connection) is None:
            _refuse_tables(connection)
        upgrade(connection, HEAD)


def upgrade(connection: Connection, version: str) -> None:
    """Bring the schema up to a version, in an open transaction.

    Raises:
        StoreError: the schema, or this version, is one that `refuse_other` refuses.
        SQLAlchemyError: from the database.
    """
    with _MIGRATING:
        config = _alembic()
        config.attributes["connection"] = connection
        refuse_other(schema_version(connection))
        refuse_other(version)
        command.upgrade(config, version)


def schema_version(connection: Connection) -> str | None:
    """Return the schema's version; None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return version


def _alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def refuse_other(version: str | None) -> None:
    """Refuse a schema that no migration of this program leads to.

    Raises:
        StoreError: it is of a newer program, or of before release 1.0.
    """
    if version is None:
        return
    if version < BASELINE:
        raise StoreError(TOO_OLD.format(found=f"schema {version}"))
    try:
        ScriptDirectory.from_config(_alembic()).get_revision(version)
    except CommandError as error:
        raise StoreError(
            f"The database was written by a newer Strata (schema {version}, this one knows "
            f"{HEAD}). Update Strata, or name another database."
        ) from error


def _refuse_tables(connection: Connection) -> None:
    """Refuse a database without a version that has tables with the names of ours."""
    taken = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
    if taken:
        raise StoreError(
            TOO_OLD.format(found=f"tables such as “{taken[0]}” without the version of a schema")
        )


def is_damaged(error: StoreError) -> bool:
    """Whether a SQLite file is no database any more, rather than locked or out of reach."""
    cause = error.__cause__
    original = cause.orig if isinstance(cause, DBAPIError) else cause
    name = getattr(original, "sqlite_errorname", "")
    return bool(name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")))


def is_read_only(error: SQLAlchemyError) -> bool:
    """Whether a SQLite file, or its log beside it, could only be read."""
    original = error.orig if isinstance(error, DBAPIError) else error
    name: str = getattr(original, "sqlite_errorname", "")
    return name.startswith("SQLITE_READONLY")


def in_plain_words(error: SQLAlchemyError, engine: Engine) -> StoreError:
    """Return the sentence that a person reads instead of the database's error."""
    place = engine.url.database or engine.url.render_as_string()
    if isinstance(error, PoolTimeoutError):
        return StoreBusyError("The database has too much to do at the moment. Try again.")
    original = error.orig if isinstance(error, DBAPIError) else error
    sentence = _sentence(original)
    if sentence is None and isinstance(error, OperationalError) and _is_server(engine):
        sentence = POSTGRESQL_SENTENCES["08"]  # it said nothing, as there was no connection
    if sentence is not None:
        kind = StoreBusyError if sentence == BUSY else StoreError
        return kind(sentence.format(place=place))
    # A server quotes rows in what it says, so its own words would bring texts to the log.
    words = type(original).__name__ if _is_server(engine) else " ".join(str(original).split())
    return StoreError(f"The database gave an error: {words} ({place}).")


def _is_server(engine: Engine) -> bool:
    return engine.dialect.name != "sqlite"


def _sentence(original: object) -> str | None:
    name = getattr(original, "sqlite_errorname", "")
    state = getattr(original, "sqlstate", "") or getattr(original, "pgcode", "") or ""
    for name_or_state, sentences in ((name, SQLITE_SENTENCES), (state, POSTGRESQL_SENTENCES)):
        for beginning, sentence in sentences.items():
            if name_or_state.startswith(beginning):
                return sentence
    return None

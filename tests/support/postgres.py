"""A PostgreSQL server of the test run's own, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from core.review.store.store import Store
from core.review.store.tables import metadata

REQUIRED = "STRATA_REQUIRE_POSTGRES"
NO_SERVER = "PostgreSQL is not installed: apt install postgresql"
NO_DRIVER = "psycopg is not installed: pip install 'psycopg[binary]'"
# Nobody needs the rows of tests after a power cut.
OPTIONS = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"

NewDatabase = Callable[[], str]


class PostgresServer:
    """The databases of a running server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.free: list[str] = []
        self.used: list[str] = []

    def database(self) -> str:
        """The address of an empty database."""
        name = self._emptied(self.free.pop()) if self.free else self._made()
        self.used.append(name)
        return self.url(name)

    def give_back(self) -> None:
        """Let the next test have the databases of this one."""
        self.free += self.used
        self.used.clear()

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://strata@/{name}?host={self.folder}"

    def _made(self) -> str:
        name = f"strata{len(self.used)}"
        self._run("postgres", f"CREATE DATABASE {name}")
        Store.open(self.url(name)).close()
        return name

    def _emptied(self, name: str) -> str:
        tables = ", ".join(table.name for table in metadata.sorted_tables)
        self._run(name, f"TRUNCATE {tables} RESTART IDENTITY CASCADE")
        return name

    def _run(self, database: str, statement: str) -> None:
        engine = create_engine(self.url(database), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()


def programs() -> Path | None:
    """The folder with PostgreSQL's programs; None where it is not installed."""
    on_path = shutil.which("initdb")
    places = [Path(on_path).parent] if on_path else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists()), None)


@pytest.fixture
def new_postgres(postgres_server: PostgresServer) -> Iterator[NewDatabase]:
    """Makes empty databases with Strata's tables, which later tests use again."""
    yield postgres_server.database
    postgres_server.give_back()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server for this run of tests, where one can be had."""
    if missing := missing_postgres():
        (pytest.fail if os.environ.get(REQUIRED) == "1" else pytest.skip)(missing)
    with running_postgres() as server:
        yield server


def missing_postgres() -> str:
    """Why no server can be had; "" where one can."""
    if find_spec("psycopg") is None:
        return NO_DRIVER
    return "" if programs() else NO_SERVER


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    """A server that answers in a folder of its own, and nowhere else."""
    found = programs()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    user = "postgres" if os.geteuid() == 0 else None  # it does not run as root
    if user:
        shutil.chown(folder, user)

    def call(*command: str) -> None:
        subprocess.run(
            [str(found / command[0]), *command[1:]],
            check=True,
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    data = str(folder / "data")
    call("initdb", "-D", data, "-U", "strata", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    options = f"{OPTIONS} -k {folder}"
    call("pg_ctl", "-D", data, "-w", "-t", "120", "-l", f"{data}/log", "-o", options, "start")
    try:
        yield PostgresServer(folder)
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)

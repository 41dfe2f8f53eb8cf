"""Disks, rights, locks and clocks that fail while people decide; nobody is killed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, create_engine

from core.home import PART
from tests.support.waiting import wait_until
from tests.torture.harness import SQLITE, Run
from tests.torture.installation import Installation
from tests.torture.programs import CORE, Program

DISK_BYTES = 24_000_000
LOCK_SECONDS, SHORT_LOCK_SECONDS = 60.0, 4.0
FAULT_SECONDS = 1.5
PATIENCE_SECONDS = 30.0
SET_BACK_SECONDS = (-1.0, -60.0, -7200.0, -90_000_000.0)  # the last one: almost three years


def n_refused(place: Installation) -> int:
    """How many messages were refused with a sentence."""
    return sum(client.refusals.total() for client in place.clients)


def wait_for_refusals(run: Run, place: Installation) -> None:
    """Wait until a fault is felt, and a little longer."""
    before = n_refused(place)
    wait_until(lambda: n_refused(place) > before + 4, PATIENCE_SECONDS, "nothing was refused")
    place.clients[0].given_up.wait(run.rng.uniform(0.0, FAULT_SECONDS))


def wait_for_saving(place: Installation) -> None:
    """Wait until the fault that is over is forgotten: everybody saves, without a new start."""
    before = {client.name: len(client.ledger.acknowledged) for client in place.clients}
    wait_until(
        lambda: all(len(c.ledger.acknowledged) > before[c.name] for c in place.clients),
        PATIENCE_SECONDS,
        "nothing was saved after the fault",
    )


# ---------------------------------------------------------------------- the disk


def disk_full(run: Run) -> None:
    """Fill the disk of the home, and free it: also backups and imports say so and leave nothing."""
    if os.geteuid() != 0:
        run.outcome.how = "left out: only root may mount a small disk"
        return
    run.outcome.how = "a disk of 24 MB"
    with small_disk(run.folder / "home-0"):
        place = run.serve()
        ballast = place.home / "ballast"
        for _ in run.faults():
            run.count_fault()
            fill_disk(ballast)
            wait_for_refusals(run, place)
            refused_command(run, place, "backup", str(place.home / "full.zip"))
            ballast.unlink()
            wait_for_saving(place)
            left = list(place.home.glob(f"*{PART}"))
            run.check(not left, f"a backup on a full disk left {left}")
        run.settle(place, is_answered=True)
        place.close()


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    options = f"size={DISK_BYTES},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "strata", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill_disk(ballast: Path) -> None:
    """Write until nothing more fits."""
    with ballast.open("wb", buffering=0) as file:
        size = shutil.disk_usage(ballast.parent).free
        for step in (1 << 20, 1 << 12):
            try:
                for _ in range(size // step + 2):
                    file.write(b"\0" * step)
            except OSError:
                continue


def refused_command(run: Run, place: Installation, *arguments: str) -> None:
    """Run a command that has to end with one sentence."""
    program = Program(CORE, *arguments, log=run.folder / "command.log", **place.environment)
    status = program.ended()
    said = program.said()
    run.check(status == 1 and said.count("\n") == 1, f"{arguments[0]} ended with {status}: {said}")


# ---------------------------------------------------------------------- rights, locks, clocks


def read_only(run: Run) -> None:
    """Take the right to write away, from running servers and from starting ones."""
    rights = {"STRATA_FAKE_RIGHTS": "none"} if run.outcome.store == SQLITE else {}
    place = run.serve(**rights)
    for number in run.faults():
        run.count_fault()
        with unwritable(run, place):
            if place.is_file and number % 2 == 0:
                place.kill()
                place.start()
            if not place.is_file or number % 2 == 0:
                wait_for_refusals(run, place)
            else:  # files that are open stay writable
                place.clients[0].given_up.wait(FAULT_SECONDS)
        wait_for_saving(place)
    run.settle(place)


@contextmanager
def unwritable(run: Run, place: Installation) -> Iterator[None]:
    """The home without the right to write, or the database of a server."""
    if run.outcome.store != SQLITE:
        with unwritable_server(place):
            yield
        return
    paths = [place.home, *place.home.glob("strata.sqlite*")]
    modes = [path.stat().st_mode for path in paths]
    for path, mode in zip(paths, modes, strict=True):
        path.chmod(mode & 0o555)
    try:
        yield
    finally:
        for path, mode in zip(paths, modes, strict=True):
            if path.exists():
                path.chmod(mode)


@contextmanager
def unwritable_server(place: Installation) -> Iterator[None]:
    engine = create_engine(place.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = engine.url.database
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        _end_others(connection)
        try:
            yield
        finally:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(f"ALTER DATABASE {name} RESET default_transaction_read_only")
            _end_others(connection)
    engine.dispose()


def _end_others(connection: Connection) -> None:
    """End the other connections to this database: new ones have its new settings."""
    connection.exec_driver_sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def locked(run: Run) -> None:
    """Another program keeps the database locked for a minute."""
    seconds = SHORT_LOCK_SECONDS if run.is_short else LOCK_SECONDS
    run.outcome.how = f"for {seconds:.0f} s"
    place = run.serve()
    for _ in run.faults():
        run.count_fault()
        with lock(place):
            wait_for_refusals(run, place)
            place.clients[0].given_up.wait(seconds)
        wait_for_saving(place)
    run.settle(place, is_answered=True)


@contextmanager
def lock(place: Installation) -> Iterator[None]:
    """Keep everybody else from writing decisions."""
    if place.is_file:
        with closing(sqlite3.connect(place.home / "strata.sqlite", timeout=30)) as connection:
            connection.isolation_level = None
            connection.execute("BEGIN IMMEDIATE")
            yield
        return
    engine = create_engine(place.url)
    with engine.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE decision_event IN ACCESS EXCLUSIVE MODE")
        yield
    engine.dispose()


def clock_set_back(run: Run) -> None:
    """Set the clock of the server back while it works, and start it with a clock that is late."""
    clock = run.folder / "clock"
    place = run.serve(STRATA_FAKE_CLOCK=str(clock))
    for number in run.faults():
        run.count_fault()
        new = clock.with_suffix(".new")
        new.write_text(str(SET_BACK_SECONDS[number % len(SET_BACK_SECONDS)]))
        new.replace(clock)
        wait_for_saving(place)
        if number % 3 == 2:
            place.restart()
            wait_for_saving(place)
    run.settle(place)

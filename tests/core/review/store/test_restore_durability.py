"""Restores that are killed at any moment while somebody decides; `make torture` kills more of them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from core.errors import StoreBusyError
from core.home import clear_leftovers, leftovers
from core.review.decisions.recording import Operation
from core.review.store.backup import write_backup
from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.restore import finish_restores, read_backup
from core.review.store.store import Store
from core.review.store.tables import decision_event
from tests.support.stores import fill_with_documents, open_store, send

# A tenth of the kills of `make torture`, as each waits for a whole restore or two.
N_KILLS = max(2, int(os.environ.get("STRATA_KILLS", "2")) // 10)
LONGEST_SECONDS = 2.0  # until a restore is killed
BETWEEN_DECISIONS_SECONDS = 0.002  # else deciding takes the processor that restores need
RESTORING = """
import sys
from itertools import cycle
from pathlib import Path
from core.review.store.restore import read_backup

url, home = sys.argv[1], Path(sys.argv[2])
print("ready", flush=True)
for name in cycle(("old", "new")):
    read_backup(home / f"{name}.zip", database_url=url, home=home)
"""

pytestmark = pytest.mark.usefixtures("on_both")


def vocabulary(home: Path) -> Path:
    return home / "vocabularies" / "stw" / "concepts.json"


def write_state(store: Store, home: Path, name: str) -> None:
    """A backup of a database and a vocabulary that name it."""
    set_preference(store, default_person(store).person_id, "state", name)
    vocabulary(home).parent.mkdir(parents=True, exist_ok=True)
    vocabulary(home).write_text(name, "utf-8")
    write_backup(store, home, home / f"{name}.zip")


def decide_until(stop: threading.Event, url: str, acknowledged: set[int]) -> None:
    with closing(Store.open(url, busy_timeout_seconds=0.05)) as store:
        sequence = 1
        while not stop.wait(BETWEEN_DECISIONS_SECONDS):
            try:
                send(store, Operation(sequence, "accept", "c1"))
            except StoreBusyError:
                continue
            acknowledged.add(sequence)
            sequence += 1


def sequences(url: str) -> set[int]:
    with closing(Store.open(url)) as store, store.read() as connection:
        return set(connection.scalars(select(decision_event.c.sequence)))


def kept_sequences(home: Path, folder: Path) -> set[int]:
    """What all backups hold that were made before a restore."""
    url, found = f"sqlite:///{folder}/kept.sqlite", set[int]()
    for backup in (home / "backups").glob("*.zip"):
        read_backup(backup, database_url=url, home=folder)
        found |= sequences(url)
    return found


def test_kills_of_restores_lose_nothing_and_mix_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    url, chance = store.engine.url.render_as_string(hide_password=False), random.Random(5)
    fill_with_documents(store)
    for name in ("old", "new"):
        write_state(store, tmp_path, name)
    stop, acknowledged = threading.Event(), set[int]()
    thread = threading.Thread(target=decide_until, args=(stop, url, acknowledged))
    thread.start()
    try:
        for _ in range(N_KILLS):
            command = [sys.executable, "-c", RESTORING, url, str(tmp_path)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None and process.stdout.readline() == b"ready\n"
                stop.wait(chance.uniform(0, LONGEST_SECONDS))
                process.kill()
            finish_restores(url, tmp_path)
            clear_leftovers(tmp_path)
            assert leftovers(tmp_path) == []
            state = read_preferences(store, default_person(store).person_id)["state"]
            assert state == vocabulary(tmp_path).read_text("utf-8")
    finally:
        stop.set()
        thread.join()
    store.close()
    (tmp_path / "elsewhere").mkdir()
    found = sequences(url) | kept_sequences(tmp_path, tmp_path / "elsewhere")
    assert acknowledged and acknowledged <= found

"""What differs on PostgreSQL: writers at once, migrations, backups, moving from and to it."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from core.errors import StoreBusyError, StoreError
from core.home import clear_leftovers
from core.paths import PROJECT_ROOT
from core.review.decisions.recording import Operation, current
from core.review.jobs import JobBacklog, claim_jobs, start_job
from core.review.store import restore
from core.review.store.backup import write_backup
from core.review.store.copying import copy_rows, copy_store
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.proposed_terms import propose_term
from core.review.store.restore import finish_restores, read_backup
from core.review.store.store import Store
from core.review.store.tables import decision_event
from tests.support.killed import kill, killed_at
from tests.support.postgres import NewDatabase
from tests.support.stores import fill_with_documents, n_events, prediction, send, states
from tests.support.waiting import wait_until


def work(store: Store) -> None:
    fill_with_documents(store)
    save_prediction(store, "act", prediction(3), settings={"é": 1})
    send(store, Operation(1, "accept", "c1"), Operation(2, "mark", "c1"), Operation(3, "undo"))
    send(store, Operation(4, "reject", "c2"), document_id="other")


def test_writers_at_once_place_their_events_behind_each_other(new_postgres: NewDatabase) -> None:
    with closing(Store.open(new_postgres(), busy_timeout_seconds=60)) as store:
        fill_with_documents(store)
        start = threading.Barrier(4)

        def decide(number: int) -> None:
            start.wait()
            for step in range(10):  # two writers have the same client, and each a document
                operation = Operation(step * 2 + number % 2 + 1, "accept", "c1")
                client, document_id = f"tab{number // 2}", ("act", "other")[number % 2]
                send(store, operation, client_id=client, document_id=document_id)

        threads = [threading.Thread(target=decide, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with store.read() as connection:
            events = connection.execute(
                select(decision_event).order_by(decision_event.c.event_id)
            ).all()
    assert len(events) == 40
    for n, event in enumerate(events):
        later = [
            earlier.position
            for earlier in events[:n]
            if earlier.client_id == event.client_id and earlier.sequence > event.sequence
        ]
        behind = event.position > max((earlier.position for earlier in events[:n]), default=0)
        assert event.position == min(later) if later else behind


def test_a_database_moves_to_the_server_and_back(
    new_postgres: NewDatabase, worked_store: Store, url: str, tmp_path: Path
) -> None:
    server, back = new_postgres(), f"sqlite:///{tmp_path}/back.sqlite"
    copied = copy_store(url, server)
    assert copied == copy_store(server, back)
    assert copied["decision_event"].n_rows == 3
    with closing(Store.open(server)) as moved, closing(Store.open(back)) as again:
        assert current(moved, "act") == current(again, "act") == current(worked_store, "act")
        assert send(moved, Operation(4, "undo")).stored == (4,)  # numbered behind the copied rows
    with pytest.raises(StoreError, match="is not empty"):
        copy_store(url, server)


def test_a_backup_goes_from_one_kind_to_the_other_and_back(
    new_postgres: NewDatabase, tmp_path: Path
) -> None:
    server, file = new_postgres(), tmp_path / "strata.zip"
    with closing(Store.open(server)) as store:
        work(store)
        write_backup(store, tmp_path, file)
        before = states(store)
        send(store, Operation(9, "accept", "c6"))
        restore.watch_for_restores(store)
        kept = read_backup(file, database_url=server, home=tmp_path).kept
        assert states(store) == before and n_events(store) == 4
        with pytest.raises(StoreBusyError, match="was restored meanwhile"):
            send(store, Operation(9, "accept", "c6"))
    read_backup(kept, database_url=f"sqlite:///{tmp_path}/strata.sqlite", home=tmp_path)
    with closing(Store.open(f"sqlite:///{tmp_path}/strata.sqlite")) as restored:
        assert states(restored) == before | {"c6": "accepted"}


def test_a_killed_restore_is_finished_or_undone_on_a_server(
    new_postgres: NewDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, file = new_postgres(), tmp_path / "strata.zip"
    with closing(Store.open(server)) as store:
        work(store)
        write_backup(store, tmp_path, file)
        send(store, Operation(9, "accept", "c6"))
    for name, is_restored in (("copy_rows", False), ("_finish", True)):
        with monkeypatch.context() as patched:
            killed_at(
                lambda: read_backup(file, database_url=server, home=tmp_path),
                lambda name=name, patched=patched: patched.setattr(restore, name, kill),
            )
        finish_restores(server, tmp_path)
        clear_leftovers(tmp_path)
        with closing(Store.open(server)) as store:
            assert ("c6" in states(store)) is not is_restored


def test_a_copy_that_is_given_up_leaves_the_numbers_of_rows_as_they_were(
    new_postgres: NewDatabase, tmp_path: Path
) -> None:
    with (
        closing(Store.open(new_postgres())) as store,
        closing(Store.open(f"sqlite:///{tmp_path}/empty.sqlite")) as empty,
    ):
        work(store)
        before = n_events(store)

        def give_up() -> None:
            with store.write() as here, empty.read() as there:
                copy_rows(there, here)
                raise RuntimeError("given up")

        with pytest.raises(RuntimeError, match="given up"):
            give_up()
        send(store, Operation(9, "accept", "c3"))
        assert n_events(store) == before + 1


def test_nobody_writes_to_the_server_during_a_restore(
    new_postgres: NewDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, file = new_postgres(), tmp_path / "strata.zip"
    with closing(Store.open(server, busy_timeout_seconds=0.05)) as store:
        work(store)
        write_backup(store, tmp_path, file)

        def decide_meanwhile(*arguments: object) -> None:
            with pytest.raises(StoreBusyError, match="keeps the database locked"):
                send(store, Operation(9, "accept", "c6"))
            write_backup(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(restore, "write_backup", decide_meanwhile)
        read_backup(file, database_url=server, home=tmp_path)
        assert send(store, Operation(9, "accept", "c6")).stored == (9,)


def test_an_error_of_the_server_quotes_no_row(new_postgres: NewDatabase) -> None:
    with closing(Store.open(new_postgres())) as store:
        fill_with_documents(store)
        with pytest.raises(StoreError) as failed:
            propose_term(store, "act", "a secret word", "", 99)
    assert "secret" not in str(failed.value) and "IntegrityError" not in str(failed.value)


def test_a_server_that_is_away_is_named_in_a_sentence() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="does not answer"):
        Store.open("postgresql+psycopg://strata@/strata?host=/nowhere")


def test_jobs_of_a_project_are_read_by_one_process_at_a_time(new_postgres: NewDatabase) -> None:
    url = new_postgres()
    with closing(Store.open(url)) as store, closing(Store.open(url)) as other:
        fill_with_documents(store)
        project_id = default_project(store).project_id
        start_job(store, ["act", "other"], project_id=project_id)
        one, two = JobBacklog(lambda: store), JobBacklog(lambda: other)
        taken = one.take(project_id, "hash")
        assert taken is not None
        assert len(taken) == 2
        assert two.take(project_id, "hash") is None
        one.keep([(taken[0], prediction(2))], {})
        again = two.take(project_id, "hash")
        assert again is not None
        assert [row.document.document_id for row in again] == [taken[1].document.document_id]
        assert one.take(project_id, "hash") is None
        two.fail(again[0], "It cannot be read.")
        assert one.take(project_id, "hash") == []
        assert _is_free(other, project_id)


CLAIMING = """from core.review.jobs import claim_jobs
from core.review.store.store import Store"""


def test_the_claim_of_a_process_that_ended_is_free(
    new_postgres: NewDatabase, tmp_path: Path
) -> None:
    url = new_postgres()
    with closing(Store.open(url)) as store:
        fill_with_documents(store)
        project_id = default_project(store).project_id
        claims = f"claim_jobs(Store.open({url!r}), {project_id})"
        code = f"import sys\n{CLAIMING}\nheld = {claims}\n"
        process = subprocess.Popen(
            [sys.executable, "-c", f"{code}print(held is not None, flush=True)\nsys.stdin.read()"],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert claim_jobs(store, project_id) is None
        process.kill()
        process.communicate()
        wait_until(lambda: _is_free(store, project_id))


def _is_free(store: Store, project_id: int) -> bool:
    claim = claim_jobs(store, project_id)
    if claim is not None:
        claim.release()
    return claim is not None

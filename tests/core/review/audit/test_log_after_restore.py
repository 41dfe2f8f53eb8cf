"""What a restore does to the audit log: it stays, and goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.review.audit.log import AuditKind, LogState, check_log, record_alone
from core.review.audit.search import AuditSearch, FoundEvent, search_log
from core.review.people.accounts import add_account
from core.review.store.copying import copy_store
from core.review.store.people import default_person
from core.review.store.projects import default_project, make_project
from core.review.store.restore import Restored
from core.review.store.store import Store
from tests.support.backups import backup
from tests.support.postgres import NewDatabase
from tests.support.stores import NEW_DATABASE, open_store


def found(store: Store) -> list[FoundEvent]:
    return list(search_log(store, AuditSearch()))


def kinds(store: Store) -> list[str]:
    return [event.row["kind"] for event in found(store)]


def state(store: Store) -> LogState:
    with store.read() as connection:
        return check_log(connection)


def export(store: Store, person_id: int) -> None:
    record_alone(store.acting(person_id), AuditKind.EXPORTED, form="csv", n_documents=1)


@pytest.mark.usefixtures("on_both")
def test_the_log_that_was_here_goes_on(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    jo = add_account(store, "jo").person_id
    content = backup(store, tmp_path)
    in_backup = state(store)
    export(store, jo)
    restored(content, person_id=jo)
    assert kinds(store) == ["account added", "exported", "backup restored"]
    last = found(store)[-1]
    assert (last.person, last.row["detail"]["is_damaged"]) == ("jo", False)
    assert last.row["detail"]["last_hash_in_backup"] == in_backup.last_hash
    assert (last.row["detail"]["person"], last.row["detail"]["project"]) == ([], [])
    assert state(store).n_events == 3 and state(store).misfit is None
    export(store, jo)
    assert state(store).n_events == 4 and state(store).misfit is None


def test_who_is_not_in_the_backup_keeps_a_number_that_no_name_takes(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    add_account(store, "jo")
    content = backup(store, tmp_path)
    kim = add_account(store, "kim").person_id
    own = make_project(store, "Wards", "eurovoc").project_id
    record_alone(store.acting(kim), AuditKind.EXPORTED, project_id=own, form="csv")
    restored(content, person_id=kim)
    lea = add_account(store, "lea").person_id  # SQLite gives the number again
    make_project(store, "Honey", "eurovoc")
    export(store, lea)
    shown = [(event.person, event.account, event.project) for event in found(store)]
    assert (kim, lea) == (3, 3)
    assert shown == [
        ("", "jo", ""),
        ("", "person 3", ""),
        ("person 3", "", f"project {own}"),
        ("person 3", "", ""),
        ("", "lea", ""),
        ("lea", "", ""),
    ]
    of_lea = search_log(store, AuditSearch(person_id=3))
    assert [event.row["event_id"] for event in of_lea] == [6]


@pytest.mark.usefixtures("on_both")
def test_on_a_new_machine_the_log_of_the_backup_goes_on(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    (tmp_path / "there").mkdir()
    with closing(open_store(tmp_path / "there")) as elsewhere:
        jo = add_account(elsewhere, "jo").person_id
        export(elsewhere, jo)
        content = backup(elsewhere, tmp_path / "there")
    restored(content)
    assert kinds(store) == ["account added", "exported", "backup restored"]
    assert [event.person for event in found(store)] == ["", "jo", ""]
    assert state(store).misfit is None


@pytest.mark.usefixtures("on_both")
def test_a_backup_of_one_person_does_not_end_the_log(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    default_project(store)
    default_person(store)
    content = backup(store, tmp_path)
    add_account(store, "jo")
    restored(content)
    assert kinds(store) == ["account added", "backup restored"]
    assert found(store)[0].account == "person 2"


@pytest.mark.usefixtures("on_both")
def test_a_person_alone_restores_without_a_log(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    default_person(store)
    restored(backup(store, tmp_path))
    assert kinds(store) == []


def test_in_the_place_of_a_damaged_database_the_log_of_the_backup_goes_on(
    store: Store, tmp_path: Path, restored: Callable[..., Restored]
) -> None:
    add_account(store, "jo")
    content = backup(store, tmp_path)
    store.close()
    for name in ("strata.sqlite-wal", "strata.sqlite-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / "strata.sqlite").write_bytes(b"This is a letter to my aunt.\n" * 100)
    restored(content, person_id=1)
    with closing(Store.open(f"sqlite:///{tmp_path}/strata.sqlite")) as again:
        assert kinds(again) == ["account added", "backup restored"]
        assert found(again)[-1].row["detail"]["is_damaged"] and state(again).misfit is None


def test_the_log_moves_with_the_database(store: Store, url: str, new_postgres: NewDatabase) -> None:
    assert not NEW_DATABASE
    export(store, add_account(store, "jo").person_id)
    server = new_postgres()
    assert copy_store(url, server)["audit_event"].n_rows == 2
    with closing(Store.open(server)) as moved:
        assert state(moved) == state(store)
        export(moved, 2)
        assert state(moved).n_events == 3 and state(moved).misfit is None

"""Erasure, looked for in the raw files of SQLite and of PostgreSQL, and what stays of decisions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Text, select, update

from core.errors import StoreError
from core.review.annotations.access import READY, annotation_states
from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, current
from core.review.erasure import (
    GOES,
    NOT_SCRUBBED,
    erasable,
    erase_document,
    erase_expired,
    erase_person,
    expired,
    keep_retention,
    retention_of,
    scrub,
)
from core.review.jobs import start_job
from core.review.listed import to_adjudicate
from core.review.people.accounts import LAST, add_account, find_account
from core.review.people.assignments import next_for, next_to_review
from core.review.people.comments import add_comment
from core.review.people.memberships import give_role
from core.review.people.sign_ins import choose_password, invite, sign_in_with
from core.review.reports.finished import finished_versions
from core.review.reports.summaries import list_documents, named_documents, titles_of_finished
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.backup import write_backup
from core.review.store.documents import fetch_document
from core.review.store.people import set_preference
from core.review.store.predictions import latest_prediction
from core.review.store.restore import read_backup
from core.review.store.store import Store
from core.review.store.tables import audit_event, document, document_part, metadata, person
from core.roles import Role
from tests.support.erasure import ID, WORDS, analyze, found, is_erased
from tests.support.people import PASSWORD
from tests.support.stores import send

FINISHED_ONES, ORIGINALS = document.c.finished_at.is_not(None), document.c.annotation_of
pytestmark = pytest.mark.usefixtures("on_both")


def test_no_word_of_a_document_is_left_in_the_files(told: Store, tmp_path: Path) -> None:
    words = [ID, *WORDS[:9], WORDS[10]]
    assert found(told, tmp_path, words) == words  # the test sees what there is
    assert erasable(told, ID).n_events == 3
    analyze(told)
    assert erase_document(told, ID) == "erased-1"
    assert found(told, tmp_path, [ID, *WORDS]) == []


def test_decisions_and_figures_stay_under_a_number(told: Store) -> None:
    before = current(told, ID)
    new_id = erase_document(told, ID)
    assert current(told, new_id) == before and set(before) == {"c1", "c2"}
    kept = latest_prediction(told, new_id)
    assert kept is not None and len(kept.prediction.suggestions) == 3
    (line,) = (one for one in list_documents(told, 1) if one.document_id == new_id)
    assert (line.title, line.comment, line.status) == ("Erased document 1", "", "finished")
    assert fetch_document(told, new_id).parts == ()
    assert is_erased(told, new_id) and not is_erased(told, "act")
    with pytest.raises(StoreError, match="no document"):
        erase_document(told, ID)
    with pytest.raises(StoreError, match="erased already"):
        erase_document(told, new_id)


def test_what_is_erased_teaches_nothing_and_is_not_read_again(told: Store) -> None:
    assert list(finished_versions(told, 1, at_most=9)) == [ID]
    assert list(titles_of_finished(told, 1, limit=9)) == [ID]
    new_id = erase_document(told, ID)
    assert finished_versions(told, 1, at_most=9) == {}
    assert titles_of_finished(told, 1, limit=9) == {}
    assert start_job(told, [new_id], project_id=1) is None


def test_an_unfinished_document_leaves_the_list_and_the_same_text_may_come_again(
    store_of_two: Store,
) -> None:
    act = fetch_document(store_of_two, "act")
    new_id = erase_document(store_of_two, "act")
    assert new_id not in [line.document_id for line in list_documents(store_of_two, 1)]
    add_documents(store_of_two, [Arrival(act)], project_id=1, batch="again")
    assert fetch_document(store_of_two, "act") == act
    assert erase_document(store_of_two, "other") == "erased-2"


def test_no_name_of_a_person_is_left_in_the_files(store_of_two: Store, tmp_path: Path) -> None:
    store = store_of_two
    name, shown, looks, *_ = WORDS
    number = add_account(store, name, display_name=f"Jo {shown}").person_id
    for one in ("me", name):
        choose_password(store, invite(store, one), PASSWORD)
    give_role(store, name, 1, Role.INDEXER)
    set_preference(store, number, "looks", looks)
    assert sign_in_with(store, name, PASSWORD)
    send(store.acting(number), Operation(1, "accept", "c1"))
    add_comment(store, "act", "Which year?", number)
    assert found(store, tmp_path, [name, shown, looks]) == [name, shown, looks]
    analyze(store)
    assert erase_person(store, name) == f"person {number}"
    assert found(store, tmp_path, WORDS) == []
    with store.read() as connection:
        row = connection.execute(select(person).where(person.c.person_id == number)).one()
        kinds = connection.scalars(select(audit_event.c.kind)).all()
    assert (row.password, row.display_name, row.closed_at is None) == (None, "", False)
    assert named_documents(store, 1, ["act"])["act"].comment == f"person {number}: Which year?"
    assert kinds[-1] == "erased" and "c1" in current(store, "act")
    with pytest.raises(StoreError, match="A name to sign in with"):
        add_account(store, f"person {number}")


def test_the_last_administrator_stays(store_of_two: Store) -> None:
    add_account(store_of_two, "jo")
    choose_password(store_of_two, invite(store_of_two, "me"), PASSWORD)
    with pytest.raises(StoreError, match=LAST.format(name="me")):
        erase_person(store_of_two, "me")
    assert find_account(store_of_two, "me").has_password


def test_a_project_keeps_texts_as_long_as_it_says(told: Store, tmp_path: Path) -> None:
    assert retention_of(told, 1) is None and erase_expired(told) == 0
    with told.write() as connection:
        ago = datetime.now(UTC) - timedelta(days=30, hours=1)
        connection.execute(
            update(document).where(document.c.document_id == ID).values(finished_at=ago)
        )
    assert (expired(told, 1, 30), expired(told, 1, 31)) == ([ID], [])
    keep_retention(told, 1, 31)
    assert erase_expired(told) == 0
    keep_retention(told, 1, 30)
    analyze(told)
    assert erase_expired(told) == 1 and erase_expired(told) == 0
    scrub(told)
    assert found(told, tmp_path, [ID, *WORDS]) == []
    assert fetch_document(told, "act").parts  # it was never finished
    keep_retention(told, 1, None)
    for days in (0, -1, 36_501):
        with pytest.raises(StoreError, match="Texts are kept"):
            keep_retention(told, 1, days)


def test_what_somebody_annotates_is_kept_until_so_long_after_the_last_of_them(told: Store) -> None:
    ids = [add_account(told, name).person_id for name in ("jo", "ann")]
    assert ask_twice(told, 1, [ID], [1, *ids], asked_by=1) == []
    move_finishes_back(told)
    keep_retention(told, 1, 30)
    assert expired(told, 1, 30) == [] and erase_expired(told) == 0
    finish = Operation(1, "finish", shown=0)
    send(told, finish, document_id=f"{ID}~2", person_id=ids[0], client_id="c:2")
    assert annotation_states(told, 1) == {ID: READY}
    assert expired(told, 1, 30) == [] and erase_expired(told) == 0  # somebody has to adjudicate it
    move_finishes_back(told)
    assert expired(told, 1, 30) == [ID]


def move_finishes_back(store: Store) -> None:
    """As if all that is finished had been so for forty days."""
    ago = datetime.now(UTC) - timedelta(days=40)
    with store.write() as connection:
        connection.execute(update(document).values(finished_at=ago).where(FINISHED_ONES))


def test_nobody_is_led_to_what_was_erased(told: Store) -> None:
    ids = [add_account(told, name).person_id for name in ("jo", "ann")]
    assert ask_twice(told, 1, [ID], [1, *ids], asked_by=1) == []
    finish = Operation(1, "finish", shown=0)
    send(told, finish, document_id=f"{ID}~2", person_id=ids[0], client_id="c:2")
    assert annotation_states(told, 1) == {ID: READY}
    new_id = erase_document(told, ID)
    assert annotation_states(told, 1) == {} and next_to_review(told, 1, "act") is None
    assert next_for(told, 1, "act", 1, adjudicates=to_adjudicate(None)) == "other"
    send(told, finish, document_id="other", client_id="c:3")
    other_id = erase_document(told, "other")
    assert ask_twice(told, 1, [new_id, other_id], ids, asked_by=1) == [new_id, other_id]


def test_of_an_annotation_the_whole_document_goes(told: Store, tmp_path: Path) -> None:
    ids = [add_account(told, name).person_id for name in ("jo", "ann")]
    ask_twice(told, 1, ["act", ID], ids, asked_by=1)
    add_comment(told, "act~2", f"on {WORDS[12]}", ids[1])
    assert erasable(told, "act~1").document_id == "act"
    new_id = erase_document(told, "act~1")
    with told.read() as connection:
        erased = document.c.erased_at.is_not(None)
        rows = connection.execute(select(document.c.document_id, ORIGINALS).where(erased)).all()
    assert {tuple(row) for row in rows} == {
        (new_id, None),
        ("erased-1", new_id),
        ("erased-2", new_id),
    }
    assert found(told, tmp_path, [WORDS[12]]) == []


def test_every_table_that_may_hold_words_of_a_document_is_dealt_with() -> None:
    """A new table of documents goes with them, or is listed here with the reason why it stays."""
    stays = {
        "document": "what it holds is replaced",
        "given_concept": "ids of concepts",
        "prediction_run": "figures",
        "decision_event": "decisions, which have no text of their own",
        "decision": "the same",
    }
    of_documents = {
        table.name
        for table in metadata.sorted_tables
        if any(key.column is document.c.document_id for key in table.foreign_keys)
    }
    assert of_documents == {table.name for table in GOES} | stays.keys() - {"document"}
    texts = {column.name for column in document.c if isinstance(column.type, Text)}
    assert texts == {"title", "batch", "comment"}


def test_a_backup_made_afterwards_has_no_word_and_is_whole(told: Store, tmp_path: Path) -> None:
    new_id = erase_document(told, ID)
    write_backup(told, tmp_path, tmp_path / "after.zip")
    (tmp_path / "elsewhere").mkdir()
    elsewhere = tmp_path / "elsewhere"
    url = f"sqlite:///{elsewhere}/strata.sqlite"
    Store.open(url).close()
    read_backup(tmp_path / "after.zip", database_url=url, home=elsewhere)
    with closing(Store.open(url)) as restored:
        assert is_erased(restored, new_id) and set(current(restored, new_id)) == {"c1", "c2"}
        assert found(restored, elsewhere, [ID, *WORDS]) == []


def test_traces_that_another_program_holds_are_told(told: Store, tmp_path: Path) -> None:
    if told.engine.dialect.name != "sqlite":
        pytest.skip("a server waits for others itself")
    with closing(sqlite3.connect(tmp_path / "strata.sqlite")) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM document_part").fetchall()
        with pytest.raises(StoreError, match=NOT_SCRUBBED[:30]):
            erase_document(told, ID)
    with told.read() as connection:
        here = select(document_part.c.text).where(document_part.c.document_id == "erased-1")
        assert connection.execute(here).all() == []
    scrub(told)
    assert found(told, tmp_path, [ID, *WORDS]) == []

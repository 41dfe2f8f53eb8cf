from __future__ import annotations

import threading
from datetime import date

import pytest
from sqlalchemy import func, select
from sqlalchemy.event import listen

from core.documents.document import Document, Part
from core.errors import StoreError
from core.review.reports.summaries import list_documents
from core.review.store import tables
from core.review.store.arrivals import insert_document
from core.review.store.documents import fetch_document, remove_document, restore_document
from core.review.store.predictions import insert_prediction, latest_prediction, save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import accept, add, denying, prediction
from tests.support.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.usefixtures("on_both")


def test_a_document_comes_back_as_it_was_added(store: Store) -> None:
    parts = (Part("Body.\r\n\tÉtat “x” 🫒"), Part("Annex", "annex", date(2017, 3, 1)))
    document = Document("1/ä", 'A "title", with\nbreaks', parts)
    assert add(store, document) == "1/ä"
    assert fetch_document(store, "1/ä") == document


def test_a_document_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(StoreError, match="'nowhere'"):
        fetch_document(store, "nowhere")


def test_the_same_document_is_kept_once(store: Store) -> None:
    assert [add(store), add(store)] == ["act", "act"]


def test_another_text_under_the_same_id_gets_a_suffix(store: Store) -> None:
    others = [Document.from_text("act", "Olives", f"Version {i}.") for i in range(3)]
    assert [add(store, other) for other in others] == ["act", "act-2", "act-3"]
    assert [add(store, other) for other in others] == ["act", "act-2", "act-3"]


def test_a_document_without_an_id_gets_one(store: Store) -> None:
    nameless = Document.from_text(" ", "Olives", "Text.")
    assert add(store, nameless) == add(store, nameless) != ""


def test_very_long_ids_stay_apart(store: Store) -> None:
    first = Document.from_text("x" * 5000, "One", "")
    second = Document.from_text("x" * 5000, "Two", "")
    assert len({add(store, first), add(store, second)}) == 2


def test_characters_that_no_database_holds_are_replaced_one_for_one(store: Store) -> None:
    document_id = add(store, Document("a", "T\0", (Part("x\ud800y"),)))
    kept = fetch_document(store, document_id)
    assert (len(kept.title), len(kept.text)) == (2, 3)
    assert "\0" not in kept.title


def test_the_list_shows_status_and_counts(store: Store) -> None:
    for name in ("new", "open", "decided"):
        add(store, Document.from_text(name, name, "Text."))
    save_prediction(store, "open", prediction(1), settings={})
    save_prediction(store, "open", denying(prediction(4), "c4"), settings={})
    save_prediction(store, "decided", prediction(), settings={})
    accept(store, "decided")
    listed = {one.document_id: one for one in list_documents(store, 1)}
    assert {key: one.status for key, one in listed.items()} == {
        "new": "new",
        "open": "new",
        "decided": "in progress",
    }
    assert (listed["new"].n_suggested, listed["open"].n_suggested) == (None, 3)
    assert (listed["decided"].n_accepted, listed["decided"].n_rejected) == (1, 0)
    assert listed["decided"].updated_at > listed["decided"].created_at


def test_removing_takes_a_document_off_the_list_and_loses_nothing(store: Store) -> None:
    add(store)
    save_prediction(store, "act", prediction(), settings={})
    accept(store, "act")
    remove_document(store, "act")
    assert list_documents(store, 1) == []
    assert [one.document_id for one in list_documents(store, 1, removed=True)] == ["act"]
    restore_document(store, "act")
    assert list_documents(store, 1)[0].n_accepted == 1


def test_adding_a_removed_document_again_restores_it(store: Store) -> None:
    add(store)
    remove_document(store, "act")
    assert add(store) == "act"
    assert len(list_documents(store, 1)) == 1


def test_each_vocabulary_has_its_own_project(store: Store) -> None:
    assert default_project(store, "stw") != default_project(store, "eurovoc")
    assert default_project(store, "stw") == default_project(store, "stw")


def test_a_list_takes_one_query_however_long_it_is(store: Store) -> None:
    project_id = default_project(store).project_id
    statements: list[str] = []
    listen(store.engine, "before_cursor_execute", lambda *of: statements.append(of[2]))
    n_listed, n_statements = [], []
    for numbers in (range(2), range(2, 30)):
        with store.write() as connection:
            for i in map(str, numbers):
                document = Document.from_text(i, "Title", "Text.")
                insert_document(connection, document, project_id=project_id)
                insert_prediction(connection, i, prediction(), {})
        accept(store, str(numbers[0]), sequence=numbers[0] + 1)
        statements.clear()
        n_listed.append(len(list_documents(store, project_id)))
        n_statements.append(len(statements))
    assert n_listed == [2, 30]
    assert n_statements[0] == n_statements[1] <= 2  # SQLite begins with one of its own


# Predictions


def test_a_prediction_comes_back_as_it_was_saved(store: Store) -> None:
    add(store)
    run_id = save_prediction(store, "act", prediction(300), settings={"limit": 300})
    stored = latest_prediction(store, "act")
    assert stored is not None
    assert (stored.run_id, stored.prediction) == (run_id, prediction(300))
    assert (stored.bundle_hash, stored.vocabulary_version) == ("abc123", "4.9")
    assert stored.created_at.tzinfo is not None


def test_the_newest_prediction_is_the_one_that_counts(store: Store) -> None:
    add(store)
    save_prediction(store, "act", prediction(3), settings={})
    newest = save_prediction(store, "act", prediction(0), settings={})
    stored = latest_prediction(store, "act")
    assert stored is not None
    assert (stored.run_id, stored.prediction.suggestions) == (newest, ())


def test_a_document_without_a_prediction_has_none(store: Store) -> None:
    add(store)
    assert latest_prediction(store, "act") is None


# Threads


def test_many_threads_write_through_one_store(url: str) -> None:
    store = Store.open(url, busy_timeout_seconds=PATIENCE_SECONDS)  # on a busy machine
    add(store)

    def work(client_id: str) -> None:
        for sequence in range(1, 11):
            accept(store, "act", sequence, client_id)

    threads = [threading.Thread(target=work, args=(f"tab{i}",)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as connection:
        stored = connection.scalar(select(func.count()).select_from(tables.decision_event))
    assert stored == 120
    assert store.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
    store.close()

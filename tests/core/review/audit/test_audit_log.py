"""What the audit log holds, on SQLite and PostgreSQL, and that a change in it shows."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, update

from core.documents.document import Document
from core.review.annotations.asking import ask_once, ask_twice, hand_over
from core.review.audit.log import BEGINNING, AuditKind, LogState, check_log, hash_of, record_alone
from core.review.audit.search import AuditSearch, count_events, has_log, search_log
from core.review.audit.seen import SeenDocuments
from core.review.people.accounts import (
    add_account,
    close_account,
    make_administrator,
    rename_account,
    reopen_account,
)
from core.review.people.memberships import give_role
from core.review.people.sign_ins import begin_sign_in, sign_in_with, sign_out, sign_out_everywhere
from core.review.store.arrivals import add_document
from core.review.store.documents import set_document_id
from core.review.store.people import default_person
from core.review.store.projects import default_project, keep_choices, keep_model
from core.review.store.store import Store
from core.review.store.tables import audit_event
from core.roles import Role
from tests.support.people import PASSWORD, two_people


def events(store: Store) -> list[dict[str, Any]]:
    with store.read() as connection:
        query = select(audit_event).order_by(audit_event.c.event_id)
        return [dict(row) for row in connection.execute(query).mappings()]


def contents(store: Store) -> list[tuple[Any, ...]]:
    return [(e["person_id"], e["kind"], e["project_id"], e["detail"]) for e in events(store)]


def state(store: Store) -> LogState:
    with store.read() as connection:
        return check_log(connection)


@pytest.mark.usefixtures("on_both")
def test_a_person_alone_has_no_log(store: Store) -> None:
    me, project_id = default_person(store).person_id, default_project(store).project_id
    record_alone(store.acting(me), AuditKind.EXPORTED, form="csv", n_documents=1)
    keep_model(store, project_id, "one", person_id=me)
    SeenDocuments(lambda: store).note(me, project_id, "act")
    assert not events(store) and not has_log(store)
    assert state(store) == LogState(0, BEGINNING)


@pytest.mark.usefixtures("on_both")
def test_people_and_their_rights_are_noted_by_number(store: Store) -> None:
    me, project_id = default_person(store).person_id, default_project(store).project_id
    acting = store.acting(me)
    jo = add_account(acting, "jo", display_name="Jo Berg").person_id
    give_role(acting, "jo", project_id, Role.LEAD)
    give_role(acting, "jo", project_id, None)
    make_administrator(acting, "jo", is_administrator=True)
    rename_account(store, "jo", "joanna")
    close_account(acting, "joanna")
    reopen_account(acting, "joanna")
    assert contents(store) == [
        (me, "account added", None, {"account": jo, "role": None}),
        (me, "role given", project_id, {"account": jo, "role": "lead"}),
        (me, "role given", project_id, {"account": jo, "role": None}),
        (me, "role given", None, {"account": jo, "role": "administrator"}),
        (None, "account renamed", None, {"account": jo}),
        (me, "account closed", None, {"account": jo}),
        (me, "account reopened", None, {"account": jo}),
    ]
    assert has_log(store) and state(store).n_events == 7
    assert "Berg" not in str(events(store))


@pytest.mark.usefixtures("on_both")
def test_sign_ins_are_noted_without_what_was_typed(store: Store) -> None:
    two_people(store)
    before = len(events(store))
    token = sign_in_with(store, "jo", PASSWORD)
    assert token is not None
    sign_in_with(store, "jo", "wrong, and long enough")
    sign_in_with(store, "a herring in the field for names", PASSWORD)
    sign_out(store, token)
    sign_out(store, token)  # nobody is signed in by it any more
    sign_out_everywhere(store, 1)
    assert contents(store)[before:] == [
        (2, "signed in", None, None),
        (2, "sign-in refused", None, None),
        (None, "sign-in refused", None, None),
        (2, "signed out", None, None),
        (1, "signed out", None, {"everywhere": True}),
    ]
    assert "herring" not in str(events(store))


@pytest.mark.usefixtures("on_both")
def test_models_versions_and_ids_are_noted(store: Store) -> None:
    two_people(store)
    before, project_id = len(events(store)), default_project(store).project_id
    keep_model(store, project_id, "new", former="old", person_id=2)
    keep_model(store, project_id, "new", former="new", person_id=2)  # no change
    keep_choices(store, project_id, bundle="new", vocabulary_choice="4.21", person_id=2)
    add_document(store, Document.from_text("a", "Honey", ""), project_id=project_id)
    set_document_id(store.acting(2), "a", "b")
    assert contents(store)[before:] == [
        (2, "model changed", project_id, {"bundle": "new", "former": "old"}),
        (2, "vocabulary changed", project_id, {"version": "4.21"}),
        (2, "document id changed", project_id, {"former": "a"}),
    ]
    assert state(store).misfit is None


@pytest.mark.usefixtures("on_both")
def test_who_was_asked_for_an_annotation_and_who_no_more_is_noted(store: Store) -> None:
    two_people(store)
    add_account(store, "ann", display_name="Ann Rossi")
    project_id = default_project(store).project_id
    add_document(store, Document.from_text("a", "Honey", ""), project_id=project_id)
    before, acting = len(events(store)), store.acting(1)
    ask_twice(acting, project_id, ["a"], (2, 3), asked_by=1)
    hand_over(acting, project_id, ["a"], 1, asked_by=1, former=2)
    ask_once(acting, project_id, ["a"])
    asked, back = "annotation asked for", "annotation taken back"
    rows = [(asked, 2), (asked, 3), (back, 2), (asked, 1), (back, 3), (back, 1)]
    found = events(store)[before:]
    assert [(event["kind"], event["detail"]["account"]) for event in found] == rows
    assert {(event["person_id"], event["document_id"]) for event in found} == {(1, "a")}


@pytest.mark.usefixtures("on_both")
def test_a_document_is_noted_once_a_person_and_hour(store: Store) -> None:
    two_people(store)
    before, seen = len(events(store)), SeenDocuments(lambda: store)
    for person_id, document_id in [(1, "a"), (1, "a"), (2, "a"), (1, "b"), (1, "a")]:
        seen.note(person_id, 1, document_id)
    SeenDocuments(lambda: store).note(2, 1, "a")  # another process, in the same hour
    found = [(e["person_id"], e["document_id"]) for e in events(store)[before:]]
    assert found == [(1, "a"), (2, "a"), (1, "b")]


def test_the_next_hour_is_noted_anew(store: Store) -> None:
    two_people(store)
    SeenDocuments(lambda: store).note(2, 1, "a")
    with store.write() as connection:  # as if it had been in the hour before
        earlier = events(store)[-1]["at"] - timedelta(hours=1)
        last = audit_event.c.kind == AuditKind.SEEN.value
        connection.execute(update(audit_event).where(last).values(at=earlier))
    SeenDocuments(lambda: store).note(2, 1, "a")
    assert [e["kind"] for e in events(store)[-2:]] == [AuditKind.SEEN] * 2


# ---------------------------------------------------------------------- the chain


def test_a_hash_is_that_of_the_one_before_and_the_content() -> None:
    moment = datetime(2026, 12, 1, 8, 30, tzinfo=UTC)
    row = {"event_id": 1, "at": moment, "person_id": 7, "kind": "exported", "project_id": 3}
    row |= {"document_id": None, "detail": {"n": 2, "form": "é"}, "previous": BEGINNING}
    # printf '%s' '000…0[1,"2026-12-01T08:30:00.000000+00:00",7,"exported",3,null,{"form":"é","n":2}]' |
    # sha256sum, with 64 zeros
    assert hash_of(row) == "379b7169d3fd46db6cffa4343fcbb2e4b7fcd156d33de327f10ebfd70568cbc3"


def changed(store: Store, number: int, **values: object) -> None:
    with store.write() as connection:
        this = audit_event.c.event_id == number
        connection.execute(update(audit_event).where(this).values(values))


def removed(store: Store, number: int) -> None:
    with store.write() as connection:
        connection.execute(delete(audit_event).where(audit_event.c.event_id == number))


def replaced(store: Store, number: int) -> None:
    """Another event with a hash of its own in the place of one."""
    row = events(store)[number - 1] | {"person_id": 1}
    removed(store, number)
    with store.write() as connection:
        connection.execute(insert(audit_event).values(row | {"hash": hash_of(row)}))


@pytest.mark.usefixtures("on_both")
@pytest.mark.parametrize(
    ("change", "misfit"),
    [
        (lambda store: changed(store, 2, person_id=1), 2),
        (lambda store: changed(store, 2, detail={"n_documents": 1}), 2),
        (lambda store: changed(store, 3, at=datetime(2020, 1, 1, tzinfo=UTC)), 3),
        (lambda store: changed(store, 4, hash=BEGINNING), 4),
        (lambda store: removed(store, 1), 2),
        (lambda store: removed(store, 3), 4),
        (lambda store: replaced(store, 2), 3),
        (lambda store: changed(store, 4, event_id=5), 5),
    ],
)
def test_what_was_changed_does_not_fit(store: Store, change: Any, misfit: int) -> None:
    add_account(store, "jo")
    for number in (2, 3, 4):
        record_alone(store.acting(2), AuditKind.EXPORTED, form="csv", n_documents=number)
    assert state(store) == LogState(4, events(store)[-1]["hash"])
    change(store)
    assert state(store).misfit == misfit


@pytest.mark.usefixtures("on_both")
def test_writers_at_once_make_one_chain(store: Store) -> None:
    add_account(store, "jo")
    start = threading.Barrier(4)

    def write() -> None:
        start.wait()
        for _ in range(10):
            begin_sign_in(store, 2)
            record_alone(store.acting(1), AuditKind.EXPORTED, form="csv", n_documents=1)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state(store) == LogState(81, events(store)[-1]["hash"])


# ---------------------------------------------------------------------- searching


@pytest.mark.usefixtures("on_both")
def test_events_are_found_by_person_kind_document_and_day(store: Store) -> None:
    project_id = default_project(store).project_id
    jo = add_account(store, "jo").person_id
    seen = SeenDocuments(lambda: store)
    seen.note(jo, project_id, "a")
    seen.note(1, project_id, "b")
    give_role(store.acting(1), "jo", project_id, Role.READER)
    today = datetime.now(UTC).date()
    expected = {
        AuditSearch(): [1, 2, 3, 4],
        AuditSearch(person_id=jo): [2],
        AuditSearch(kind=AuditKind.SEEN): [2, 3],
        AuditSearch(document_id="b"): [3],
        AuditSearch(person_id=1, kind=AuditKind.SEEN, document_id="a"): [],
        AuditSearch(since=today, until=today): [1, 2, 3, 4],
        AuditSearch(until=today - timedelta(days=1)): [],
        AuditSearch(since=date(2020, 1, 1), until=today): [1, 2, 3, 4],
    }
    for wanted, numbers in expected.items():
        assert [found.row["event_id"] for found in search_log(store, wanted)] == numbers
        assert count_events(store, wanted) == len(numbers)
    newest = list(search_log(store, AuditSearch(), newest=3))
    assert [found.row["event_id"] for found in newest] == [4, 3, 2]
    assert (newest[0].person, newest[0].account, newest[0].project) == ("me", "jo", "eurovoc")

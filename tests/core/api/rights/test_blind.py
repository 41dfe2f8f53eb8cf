"""What one of two annotators could see of the other's annotation: a test for each way, none shows it.

Jo and Ann annotate a document of which both are indexers; a reviewer and a lead look on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.errors import NotAllowedError
from core.export.export import Export
from core.export.gathering import DECISIONS, Selection
from core.review.annotations.access import ERASED
from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, current
from core.review.erasure import erase_document
from core.review.reports.branch_work import waiting_in_branch
from core.review.reports.finished import count_finished, taught_versions
from core.review.reports.learning import learning_effect
from core.review.reports.retraining_plan import retraining_plan
from core.review.reports.summaries import (
    batches,
    count_documents,
    count_kept,
    list_documents,
    named_documents,
    titles_of_finished,
    unread,
)
from core.review.reports.team import read_team
from core.review.reports.usage import busiest_branches, carrying, touched, usage
from core.review.reports.used import accepted_concepts, typed_for
from core.review.reports.weeks import weekly_effects
from core.review.store.arrivals import find_same_text
from core.review.store.documents import titles_of
from core.review.store.projects import document_counts
from core.review.store.store import Store
from core.roles import Right
from core.serving.caller import UnknownDocumentError
from core.serving.session import Session, next_document
from tests.support.people import CONCEPT, HERS, HIS, client_of, finish_as
from tests.support.stores import send


def as_person(shared: Session, person_id: int) -> Session:
    return Session(shared.server, shared.project_id(), person_id=person_id)


READING = ("decisions", "check", "hints", "evidence", "without", "support", "drg")


def ask(client: TestClient, route: str, document_id: str) -> Any:
    asked = {"project": "1", "document": document_id, "concept": CONCEPT, "field": "0"}
    return client.get(f"/api/{route}", params=asked | {"start": "0", "end": "3", "after": "-1"})


@pytest.mark.parametrize("who", ["ann", "reviewer", "lead"])
def test_no_route_shows_an_annotation_to_another(
    shared: Session, half_done: dict[str, int], who: str
) -> None:
    client = client_of(shared, half_done[who])
    for route in READING:
        answer = ask(client, route, HERS)
        assert answer.status_code in (400, 404), (route, answer.text)
        assert "herring" not in answer.text.lower(), route


@pytest.mark.parametrize(("who", "own"), [("jo", HERS), ("ann", HIS)])
def test_no_route_shows_the_document_to_those_who_annotate_it(
    shared: Session, half_done: dict[str, int], who: str, own: str
) -> None:
    client = client_of(shared, half_done[who])
    for route in READING:
        assert ask(client, route, "act").status_code in (400, 404), route
    assert ask(client, "decisions", own).status_code == 200


def test_an_annotation_answers_who_makes_it_with_their_own_decisions(
    shared: Session, half_done: dict[str, int]
) -> None:
    answer = ask(client_of(shared, half_done["ann"]), "decisions", HIS).json()
    assert not answer["decisions"]
    answer = ask(client_of(shared, half_done["jo"]), "decisions", HERS).json()
    assert answer["decisions"].keys() == {CONCEPT}


def decide(client: TestClient, document_id: str, action: str = "add") -> str:
    operation = {"sequence": 9, "action": action, "concept_id": "101" if action == "add" else ""}
    batches = [{"client": "tab", "document_id": document_id, "operations": [operation]}]
    message = {"project": "1", "document": document_id, "batches": batches}
    receipt = client.post("/api/decisions", json=message).json()
    reasons = [refused["reason"] for refused in receipt["receipts"]["tab"]["refused"]]
    return str(reasons[0]) if reasons else ""


@pytest.mark.parametrize(
    ("who", "where", "reason"),
    [
        ("ann", HERS, "There is no document"),
        ("lead", HIS, "There is no document"),
        ("ann", "act", "There is no document"),
        ("reviewer", "act", "when both have finished"),
        ("lead", "act", "when both have finished"),
        ("ann", HIS, ""),
    ],
)
def test_nobody_else_decides_while_annotations_wait(
    shared: Session, half_done: dict[str, int], who: str, where: str, reason: str
) -> None:
    told = decide(client_of(shared, half_done[who]), where)
    assert told.startswith(reason) or reason in told
    assert bool(told) == bool(reason)


@pytest.mark.parametrize(
    "right", [Right.DECIDE, Right.DOCUMENTS], ids=["terms, stays and comments", "titles"]
)
def test_nothing_else_is_written_to_anothers_annotation(
    shared: Session, half_done: dict[str, int], right: Right
) -> None:
    with pytest.raises(UnknownDocumentError):
        as_person(shared, half_done["lead"]).writing(right, HERS)
    client = client_of(shared, half_done["lead"])
    message = {"project": "1", "document": HERS, "comment": "seen"}
    assert client.post("/api/comments", json=message).status_code == 404


@pytest.mark.parametrize("right", [Right.DECIDE, Right.REVIEW])
def test_nobody_judges_a_document_that_is_annotated(
    shared: Session, half_done: dict[str, int], right: Right
) -> None:
    with pytest.raises(NotAllowedError, match="when both have finished"):
        as_person(shared, half_done["reviewer"]).writing(right, "act")


def test_nobody_comments_on_a_document_that_is_annotated(
    shared: Session, half_done: dict[str, int]
) -> None:
    message = {"project": "1", "document": "act", "comment": "herring"}
    answer = client_of(shared, half_done["reviewer"]).post("/api/comments", json=message)
    assert answer.status_code == 403 and "when both have finished" in answer.text


def test_nothing_is_written_to_what_was_erased(shared: Session, jo_and_ann: dict[str, int]) -> None:
    store, reviewer = shared.server.store(), jo_and_ann["reviewer"]
    finish_as(store, "act", reviewer)
    new_id, client = erase_document(store, "act"), client_of(shared, reviewer)
    assert decide(client, new_id) == ERASED
    message = {"project": "1", "document": new_id, "comment": "herring again"}
    assert client.post("/api/comments", json=message).status_code == 403
    undo = Operation(1, "undo")
    client_id = f"b{reviewer}:page"
    receipt = send(store, undo, document_id="other", person_id=reviewer, client_id=client_id)
    assert ERASED in receipt.refused[0].reason and current(store, new_id).keys() == {CONCEPT}


def test_a_page_does_not_open_it(shared: Session, half_done: dict[str, int]) -> None:
    for who, document_id in (("ann", HERS), ("ann", "act"), ("lead", HIS), ("reviewer", HERS)):
        with pytest.raises(UnknownDocumentError, match="There is no document"):
            as_person(shared, half_done[who]).project_of(document_id)


Leak = Callable[[Store, Session], Any]
# What goes over several documents, and what it says where nothing was decided anywhere.
LEAKS: dict[str, tuple[Leak, Any]] = {
    "used here": (lambda store, _: usage(store, 1, CONCEPT).n_accepted, 0),
    "documents of a concept": (lambda store, _: usage(store, 1, CONCEPT).documents, ()),
    "touched by a version": (lambda store, _: touched(store, 1, [CONCEPT]), {}),
    "carried": (lambda store, s: carrying(store, 1, s.hierarchy()).itself, {}),
    "branches": (lambda store, s: busiest_branches(store, 1, hierarchy=s.hierarchy()), []),
    "search, recent": (lambda store, _: accepted_concepts(store, 1), []),
    "search, typed": (lambda store, _: typed_for(store, 1), []),
    "similar documents": (lambda store, _: titles_of_finished(store, 1, limit=9), {}),
    "learned corrections": (lambda store, _: taught_versions(store, 1), {}),
    "finished": (lambda store, _: count_finished(store, 1), 0),
    "learning, judged": (lambda store, _: learning_effect(store, 1), None),
    "learning, by week": (lambda store, _: weekly_effects(store, 1), {}),
    "retraining": (lambda store, _: retraining_plan(store, 1).n_usable, 0),
    "branch work": (
        lambda store, s: waiting_in_branch(
            store, 1, s.hierarchy(), CONCEPT, rules=s.rules(), shown=25
        ),
        [],
    ),
    "list": (
        lambda store, _: sorted(r.document_id for r in list_documents(store, 1)),
        ["act", "other"],
    ),
    "list, named": (lambda store, _: named_documents(store, 1, [HERS, HIS]), {}),
    "bin": (lambda store, _: list_documents(store, 1, removed=True), []),
    "count": (lambda store, _: count_documents(store, 1), 2),
    "counts of projects": (lambda store, _: document_counts(store), {1: 2}),
    "count, kept": (lambda store, _: count_kept(store), (2, 0)),
    "titles": (lambda store, _: sorted(titles_of(store, 1)), ["act", "other"]),
    "to read": (lambda store, _: max(unread(store, 1)), "other"),
    "batches": (lambda store, _: batches(store, 1), []),
    "same text": (lambda store, _: find_same_text(store, HIS), None),
}


def test_nothing_over_several_documents_shows_an_annotation(
    shared: Session, half_done: dict[str, int]
) -> None:
    for leak, (look, nothing) in LEAKS.items():
        assert look(shared.server.store(), shared) == nothing, leak


def exported(session: Session, form: str) -> str:
    selection = Selection(decisions=frozenset(DECISIONS), project_id=1, proposed_terms=True)
    export = Export(session.server.store(), selection, session.hierarchy())
    return export.file(form).decode()


def test_no_export_shows_it(shared: Session, half_done: dict[str, int]) -> None:
    for form in ("csv", "jsonl", "history", "jsonld"):
        written = exported(shared, form)
        assert CONCEPT not in written and "jo’s term" not in written and "~" not in written, form


def test_the_table_of_annotations_has_finished_pairs_alone(
    shared: Session, half_done: dict[str, int]
) -> None:
    def rows() -> list[list[str]]:
        answer = client_of(shared, half_done["lead"]).get("/api/annotations?project=1")
        return [line.split(",")[:4] for line in answer.text.splitlines()[1:]]

    assert rows() == []
    store = shared.server.store()
    finish_as(store, HIS, half_done["ann"], "101")
    both = [["act", "jo", "no", CONCEPT], ["act", "ann", "no", "101"]]
    assert rows() == both
    if not current(store, "act"):
        finish_as(store, "act", half_done["reviewer"], "101")
        adjudicated = [[*row[:2], "yes", row[3]] for row in both]
        assert rows() == [["act", "", "yes", "101"], *adjudicated]


def test_figures_of_people_do_not_show_it(shared: Session, half_done: dict[str, int]) -> None:
    weeks, waiting = read_team(shared.server.store(), 1)
    of_act = sum(row.n_finished for row in weeks)
    assert of_act == (1 if current(shared.server.store(), "act") else 0)  # what was there before
    assert waiting.by_person == {"ann": 1} and waiting.n_new == 1


def test_the_queue_of_each_has_their_own_alone(shared: Session, half_done: dict[str, int]) -> None:
    assert next_document(as_person(shared, half_done["ann"]), None) == HIS
    assert next_document(as_person(shared, half_done["lead"]), None) == "other"
    assert next_document(as_person(shared, half_done["reviewer"]), None) is None


# ---------------------------------------------------------------------- once both have finished


def test_who_reviews_sees_both_then(shared: Session, both_done: dict[str, int]) -> None:
    for who in ("reviewer", "lead"):
        client = client_of(shared, both_done[who])
        assert ask(client, "decisions", HERS).json()["decisions"].keys() == {CONCEPT}
        assert ask(client, "decisions", HIS).json()["decisions"].keys() == {"101"}
    assert ask(client_of(shared, both_done["ann"]), "decisions", HERS).status_code == 404
    assert ask(client_of(shared, both_done["ann"]), "decisions", "act").status_code == 200


@pytest.mark.parametrize(
    ("who", "where", "reason"),
    [
        ("ann", HIS, "stay as they are"),
        ("reviewer", HIS, "somebody else's annotation"),
        ("ann", "act", "judge the work of others"),
        ("reviewer", "act", ""),
    ],
)
def test_then_the_document_is_for_who_reviews(
    shared: Session, both_done: dict[str, int], who: str, where: str, reason: str
) -> None:
    if current(shared.server.store(), "act"):
        reopen = Operation(1, "reopen")
        send(shared.server.store(), reopen, person_id=both_done["reviewer"], client_id="r:page")
    told = decide(client_of(shared, both_done[who]), where)
    assert reason in told and bool(told) == bool(reason)


def test_a_reviewer_does_not_judge_their_own_annotation_and_a_lead_may(
    shared: Session, jo_and_ann: dict[str, int]
) -> None:
    store, pair = shared.server.store(), [jo_and_ann["reviewer"], jo_and_ann["lead"]]
    ask_twice(store, 1, ["act"], pair, asked_by=jo_and_ann["lead"])
    rows = sorted(zip(sorted(pair), (HERS, HIS), strict=True))
    for person_id, row in rows:
        finish_as(store, row, person_id)
    with pytest.raises(NotAllowedError, match="You have annotated this document yourself"):
        as_person(shared, jo_and_ann["reviewer"]).writing(Right.DECIDE, "act")
    assert as_person(shared, jo_and_ann["lead"]).writing(Right.DECIDE, "act")
    assert next_document(as_person(shared, jo_and_ann["lead"]), "other") == "act"


def test_the_outcome_is_what_counts(shared: Session, both_done: dict[str, int]) -> None:
    store = shared.server.store()
    if current(store, "act"):
        return  # it counts as it was, until it is adjudicated
    assert usage(store, 1, "101").n_accepted == 0 and CONCEPT not in exported(shared, "csv")
    finish_as(store, "act", both_done["reviewer"], "101")
    assert usage(store, 1, "101").n_accepted == 1
    assert list(taught_versions(store, 1)) == ["act"]
    assert "101" in exported(shared, "csv") and CONCEPT not in exported(shared, "csv")


@pytest.mark.parametrize(("who", "reason"), [("reviewer", "yourself"), ("lead", "")])
def test_a_reviewer_does_not_approve_their_own_outcome_and_a_lead_may(
    shared: Session, both_done: dict[str, int], who: str, reason: str
) -> None:
    store = shared.server.store()
    if current(store, "act"):
        reopen = Operation(1, "reopen")
        send(store, reopen, person_id=both_done["reviewer"], client_id="r:page")
    finish_as(store, "act", both_done[who], "101")
    told = decide(client_of(shared, both_done[who]), "act", action="approve")
    assert reason in told and bool(told) == bool(reason)
    assert decide(client_of(shared, both_done["lead"]), "act", action="approve") == ""

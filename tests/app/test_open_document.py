"""An open document as Streamlit runs it: finishing and turning to the next, rules, terms, undo."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.decisions.recording import Operation, current
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.people import set_preference
from core.review.store.predictions import save_prediction
from core.review.store.proposed_terms import read_proposed_terms
from core.review.store.rules import NEVER_ASSIGNED, NEVER_SUGGESTED, set_rule
from core.serving.session import Session
from pages.annotation.tree_requests import LAST, NO_OTHER, NOT_YOURS, none_left
from tests.support.app_pages import (
    EXAMPLE,
    add,
    batch,
    click,
    component,
    data,
    deliver,
    fire,
    fresh_page,
    opened,
    run,
    send,
    states,
)
from tests.support.stores import prediction
from tests.support.stores import send as record_in


def operations(document_id: str, *wanted: dict[str, Any]) -> list[dict[str, Any]]:
    numbered = [{"sequence": n, "concept_id": "", **one} for n, one in enumerate(wanted, start=1)]
    return [{"client": f"tab:{document_id}", "document_id": document_id, "operations": numbered}]


def node(page: AppTest, concept_id: str) -> dict[str, Any]:
    return next(one for one in data(page, "tree")["nodes"] if one["id"] == concept_id)


def test_finishing_opens_the_next_document_that_is_not_finished(shared: Session) -> None:
    first, second, third = (add(shared, title, "") for title in ("One", "Two", "Three"))
    listed = [one.document_id for one in list_documents(shared.server.store(), shared.project_id())]
    assert sorted(listed) == sorted([first, second, third])
    page = fresh_page(listed[0])
    for following in listed[1:]:
        answer = deliver(page, operations(str(opened(page)), {"action": "finish"}))
        assert answer["finished"]
        assert answer["next"] == following
        send(page, "tree", "go", {"to": following})
        run(page)
        assert opened(page) == following
    answer = deliver(page, operations(listed[-1], {"action": "finish"}))
    assert answer["next"] is None
    send(page, "tree", "go", {"to": "next"})
    tree = data(page, "tree")
    assert opened(page) == listed[-1]
    assert tree["status"] == "finished"
    assert tree["said"]["sentence"].startswith("That was the last one")
    another = add(shared, "Four", "")
    page.query_params["document"] = another
    assert data(run(page), "tree")["said"] is None, "it is of the document before"


def test_what_is_left_is_said_of_a_finished_document_as_well() -> None:
    assert none_left(0, is_among_them=False) == LAST
    assert none_left(1, is_among_them=True) == NO_OTHER
    assert none_left(1, is_among_them=False) == NOT_YOURS  # one judges, and somebody else has it
    assert none_left(2, is_among_them=True) == NOT_YOURS


def test_what_a_tree_sends_again_when_it_has_left_the_page_does_no_harm(shared: Session) -> None:
    page = fresh_page(add(shared, "One", ""))
    tree = component(page, "tree").id
    sent = {"client": "c", "waiting": [{"number": 1, "event": "go", "value": {"to": "new"}}]}
    fire(page, tree, "go", sent)
    assert opened(page) is None
    fire(page, tree, "go", sent)
    assert opened(page) is None
    assert page.title[0].value == "What is this act about?"


def test_a_skip_that_is_sent_again_leaves_the_document_that_followed_alone(shared: Session) -> None:
    for title in ("One", "Two", "Three"):
        add(shared, title, "")
    page = fresh_page(str(data(fresh_page(), "documents")["documents"][0]["id"]))
    skipped = opened(page)
    send(page, "tree", "go", {"to": "next", "skips": skipped})
    following = opened(run(page))
    assert following not in (None, skipped)
    send(page, "tree", "go", {"to": "next", "skips": skipped})
    assert opened(run(page)) == following


def retitle(page: AppTest, document_id: str, title: str, former: str = "On sole") -> AppTest:
    typed = {"document": document_id, "title": title, "former": former}
    return send(page, "reader", "title", typed)


def test_another_title_is_read_by_the_model_and_decisions_stay(shared: Session) -> None:
    document_id = add(shared, "On sole", "Landed in the bay.")
    page = fresh_page(document_id)
    assert states(data(page, "tree")) == {}
    before = {one["id"]: one["probability"] for one in data(page, "tree")["nodes"]}
    deliver(page, operations(document_id, {"action": "accept", "concept_id": "103"}))
    retitle(page, document_id, " On  herring, a fishing quota")
    run(page)
    after = {one["id"]: one["probability"] for one in data(page, "tree")["nodes"]}
    assert data(page, "reader")["title"] == "On herring, a fishing quota"
    assert data(page, "reader")["saved_title"] == " On  herring, a fishing quota"
    assert after["101"] > before["101"]
    assert states(data(page, "tree")) == {"103": "accepted"}


def test_a_title_that_cannot_be_kept_is_refused_in_a_sentence(shared: Session) -> None:
    document_id = add(shared, "On sole", "Landed in the bay.")
    page = fresh_page(document_id)
    retitle(page, document_id, " ")
    assert "A document needs a title" in page.error[0].value
    assert data(page, "reader")["title"] == "On sole"
    retitle(page, document_id, "On bream", former="On plaice")
    assert "was changed elsewhere" in page.error[0].value
    retitle(page, "another", "Anything")
    assert "no document" in page.error[0].value
    deliver(page, operations(document_id, {"action": "finish"}))
    retitle(page, document_id, "On bream")
    assert "reopen it to change its title" in page.error[0].value
    assert data(page, "reader")["title"] == "On sole"


def test_a_finish_that_was_undone_at_once_turns_nowhere(shared: Session) -> None:
    first, second = add(shared, "One", ""), add(shared, "Two", "")
    page = fresh_page(first)
    message = operations(first, {"action": "finish"}, {"action": "undo"})
    assert "next" not in deliver(page, message)
    assert opened(page) == first
    assert data(page, "tree")["status"] == "new"
    assert second != first


def test_a_finished_document_tells_what_was_not_taken(page: AppTest) -> None:
    click(page, EXAMPLE)
    message = operations(
        EXAMPLE,
        {"action": "accept", "concept_id": "101"},
        {"action": "finish", "shown": 4},
    )
    deliver(page, message)
    tree = data(page, "tree")
    ranked = sorted((n for n in tree["nodes"] if n["rank"]), key=lambda n: n["rank"])
    shown = {n["id"] for n in ranked if n["rank"] <= 4}
    assert set(tree["not_taken"]) == shown - {"101"}


def test_an_undo_tells_what_it_took_back_and_in_which_document(shared: Session) -> None:
    first, second = add(shared, "On herring", "Herring."), add(shared, "On honey", "Honey.")
    page = fresh_page(first)
    deliver(page, batch(first, (1, "accept", "102")))
    page = fresh_page(second)
    message = operations(second, {"action": "undo"})
    receipt = deliver(page, message)["receipts"][f"tab:{second}"]
    assert receipt["undone"] == [
        {
            "sequence": 1,
            "document_id": first,
            "title": "On herring",
            "actions": [{"action": "accept", "concept_id": "102", "label": "herring"}],
        }
    ]
    assert current(shared.server.store(), first) == {}


def test_an_undo_names_what_the_vocabulary_has_no_more_as_it_was_suggested(
    shared: Session,
) -> None:
    document_id = add(shared, "On herring", "Herring.")
    save_prediction(shared.server.store(), document_id, prediction(1), settings={})
    former = Operation(1, "accept", "c1")
    record_in(shared.server.store(), former, client_id="tab:before", document_id=document_id)
    page = fresh_page(document_id)
    message = operations(document_id, {"action": "undo"})
    (undone,) = deliver(page, message)["receipts"][f"tab:{document_id}"]["undone"]
    assert undone["actions"][0]["label"] == "label 1"


def test_batches_of_one_client_are_answered_together(shared: Session) -> None:
    first, second = add(shared, "On herring", ""), add(shared, "On honey", "")
    page = fresh_page(first)
    message = [
        *batch(first, (1, "accept", "102")),
        *batch(second, (2, "accept", "201")),
        *batch(first, (3, "reject", "101")),
    ]
    assert deliver(page, message)["receipts"]["tab"]["settled"] == [1, 2, 3]
    assert states(data(page, "tree")) == {"102": "accepted", "101": "rejected"}


def test_going_to_a_document_opens_it(shared: Session) -> None:
    first, second = add(shared, "On herring", ""), add(shared, "On honey", "")
    page = fresh_page(first)
    send(page, "tree", "go", {"to": second})
    run(page)
    assert opened(page) == second


def test_what_is_never_suggested_is_not_shown_unless_it_was_decided(
    shared: Session, page: AppTest
) -> None:
    for concept_id in ("101", "102"):
        set_rule(
            shared.server.store(),
            shared.project_id(),
            concept_id,
            NEVER_SUGGESTED,
            shared.person_id(),
        )
    click(page, EXAMPLE)
    deliver(page, batch(EXAMPLE, (1, "add", "102")))
    ids = {one["id"] for one in data(page, "tree")["nodes"]}
    assert "101" not in ids
    assert "102" in ids


def test_what_is_never_assigned_cannot_be_accepted(shared: Session, page: AppTest) -> None:
    set_rule(shared.server.store(), shared.project_id(), "m3", NEVER_ASSIGNED, shared.person_id())
    click(page, EXAMPLE)
    receipt = deliver(page, batch(EXAMPLE, (1, "add", "303")))["receipts"]["tab"]
    assert receipt["refused"][0]["code"] == "ruled out"
    assert data(page, "tree")["decisions"] == {}


def test_given_concepts_wait_to_be_confirmed(shared: Session) -> None:
    document_id = add_document(
        shared.server.store(),
        Document.from_text("", "On honey", ""),
        project_id=shared.project_id(),
        given=["303"],
    )
    page = fresh_page(document_id)
    assert node(page, "303")["given"]
    assert data(page, "tree")["decisions"] == {}


def test_a_proposed_term_is_noted_and_withdrawn(page: AppTest, shared: Session) -> None:
    click(page, EXAMPLE)
    here = {"document": opened(page)}
    send(page, "tree", "propose", here | {"text": " spurdog  fishery "})
    (term,) = data(page, "tree")["proposed"]
    assert term["text"] == "spurdog fishery"
    send(page, "tree", "propose", here | {"withdraw": term["id"]})
    assert data(page, "tree")["proposed"] == []
    send(page, "tree", "propose", here | {"text": ""})
    assert "at least a word" in data(page, "tree")["said"]["sentence"]


def test_a_term_is_noted_on_its_document_though_the_page_has_turned(shared: Session) -> None:
    store, one, other = (
        shared.server.store(),
        add(shared, "On honey", ""),
        add(shared, "On cod", ""),
    )
    page = fresh_page(other)
    send(page, "tree", "propose", {"document": one, "text": "seaweed farm"})
    (term,) = read_proposed_terms(store, one)
    assert (term.text, read_proposed_terms(store, other)) == ("seaweed farm", [])
    assert data(page, "tree")["proposed"] == []
    send(page, "tree", "propose", {"document": one, "withdraw": term.term_id})
    assert read_proposed_terms(store, one) == []
    for odd in ({"text": "weir"}, {"document": 7, "text": "weir"}):
        send(page, "tree", "propose", odd)
    assert [*read_proposed_terms(store, one), *read_proposed_terms(store, other)] == []
    send(page, "tree", "propose", {"document": "nowhere", "text": "weir"})
    assert "There is no document" in data(page, "tree")["said"]["sentence"]


def test_labels_come_in_the_language_that_was_chosen(shared: Session) -> None:
    person = shared.person_id()
    set_preference(shared.server.store(), person, "label_language", "fr")
    set_preference(shared.server.store(), person, "keys", {"accept": "y"})
    page = fresh_page(add(shared, "On honey", "Honey."))
    tree = data(page, "tree")
    assert tree["language"] == "fr"
    assert tree["keys"]["accept"] == "y"

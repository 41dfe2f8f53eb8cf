"""Documents that messages of pages name, and that the person does not see in this project."""

from __future__ import annotations

import io

import pytest
from streamlit.testing.v1 import AppTest

from core.review.annotations.access import annotation_states
from core.review.annotations.asking import ask_twice
from core.review.people.accounts import add_account
from core.review.people.assignments import list_assignments
from core.review.people.comments import add_comment
from core.review.people.memberships import give_role
from core.review.store.proposed_terms import read_proposed_terms
from core.roles import Role
from core.serving.session import Session
from tests.app.team.conftest import SECRET
from tests.support.app_pages import data, errors, fresh_page, send
from tests.support.logs import log as log


def said(page: AppTest) -> str:
    return "\n".join(element.value for element in page.markdown)


def test_the_comments_of_another_project_are_not_shown(
    page_of_two: AppTest, elsewhere: str
) -> None:
    send(page_of_two, "documents_table", "act", {"action": "thread", "ids": [elsewhere]})
    assert SECRET not in said(page_of_two) and "There is no document" in str(errors(page_of_two))


def test_the_comments_of_a_document_are_shown(page_of_two: AppTest, shared: Session) -> None:
    add_comment(shared.server.store(), "a", SECRET, 1)
    send(page_of_two, "documents_table", "act", {"action": "thread", "ids": ["a"]})
    assert SECRET in said(page_of_two)


@pytest.mark.parametrize("hidden", ["b", "b~2"])
def test_the_comments_of_what_another_annotates_are_not_shown(
    page_of_two: AppTest, shared: Session, hidden: str
) -> None:
    store = shared.server.store()
    add_comment(store, "b", SECRET, 1)
    jo = add_account(store, "jo").person_id
    ask_twice(store, 1, ["b"], [shared.person_id(), jo], asked_by=1)
    add_comment(store, "b~2", SECRET, jo)
    send(page_of_two, "documents_table", "act", {"action": "thread", "ids": [hidden]})
    assert SECRET not in said(page_of_two) and "There is no document" in str(errors(page_of_two))


def test_the_term_of_another_document_is_not_withdrawn(
    page_of_two: AppTest, shared: Session, elsewhere: str
) -> None:
    (term,) = read_proposed_terms(shared.store(), elsewhere)
    asked = {"document": "b", "withdraw": term.term_id}
    send(fresh_page("b"), "tree", "propose", asked)
    assert read_proposed_terms(shared.store(), elsewhere) == [term]


@pytest.mark.parametrize("hidden", ["b", "b~2"])
def test_no_term_is_noted_on_what_another_annotates(
    page_of_two: AppTest, shared: Session, hidden: str
) -> None:
    store = shared.server.store()
    ask_twice(store, 1, ["b"], [shared.person_id(), add_account(store, "jo").person_id], asked_by=1)
    page = fresh_page("a")
    send(page, "tree", "propose", {"document": hidden, "text": "weir"})
    assert read_proposed_terms(store, hidden) == []
    assert "There is no document" in data(page, "tree")["said"]["sentence"]


@pytest.mark.parametrize("action", ["assign", "twice"])
def test_nobody_gets_a_document_who_may_not_decide_there(
    page_of_two: AppTest, shared: Session, action: str
) -> None:
    store = shared.server.store()
    jo = add_account(store, "jo").person_id  # without a role
    for people in ([jo, shared.person_id()], [99]):
        send(
            page_of_two,
            "documents_table",
            "act",
            {"action": action, "ids": ["a"], "people": people},
        )
        assert "may not decide in this project" in str(errors(page_of_two))
    assert list_assignments(store, 1) == {} and annotation_states(store, 1) == {}


@pytest.mark.usefixtures("page_of_two")
def test_what_somebody_may_not_see_is_a_line_of_the_log(
    shared: Session, monkeypatch: pytest.MonkeyPatch, log: io.StringIO
) -> None:
    jo, kim = (add_account(shared.server.store(), name).person_id for name in ("jo", "kim"))
    monkeypatch.setattr("pages.serving.signed_in_person", lambda: jo)
    assert "You have no role in a project here" in str(errors(fresh_page()))
    give_role(shared.server.store(), "jo", 1, Role.INDEXER)
    ask_twice(shared.server.store(), 1, ["b"], [jo, kim], asked_by=1)
    assert "There is no document" in str(errors(fresh_page("b~2")))
    found = log.getvalue()
    assert "the project could not be opened (NotAllowedError)" in found
    assert "the document could not be opened (UnknownDocumentError)" in found
    assert "Traceback" not in found

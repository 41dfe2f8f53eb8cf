"""Documents that messages of pages name, and that the person does not see in this project."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.review.annotations.access import annotation_states
from core.review.annotations.asking import ask_twice
from core.review.people.accounts import add_account
from core.review.people.assignments import list_assignments
from core.review.people.comments import add_comment
from core.review.store.proposed_terms import read_proposed_terms
from core.serving.session import Session
from tests.app.team.conftest import SECRET
from tests.support.app_pages import errors, fresh_page, send


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
    send(fresh_page("b"), "tree", "propose", {"withdraw": term.term_id})
    assert read_proposed_terms(shared.store(), elsewhere) == [term]


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

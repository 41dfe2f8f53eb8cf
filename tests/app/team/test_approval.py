"""Approval of finished documents, as the settings switch it and exports take it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.review.annotations.access import OWN_OUTCOME
from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account
from core.review.people.memberships import give_role
from core.review.reports.summaries import named_documents
from core.roles import Role
from core.serving.session import Session
from tests.support.app_pages import data, errors, fresh_page, run, turn_to
from tests.support.app_pages import send as act
from tests.support.people import finish_as
from tests.support.stores import send


def shown(page: AppTest) -> list[str]:
    """The documents of the preview."""
    return [row["document_id"] for row in page.dataframe[0].value.to_dict("records")]


def test_the_switch_is_there_once_there_are_two_people(
    settings_page: AppTest, shared: Session
) -> None:
    key = f"needs_approval_{shared.project_id()}"
    settings_page.session_state["settings_tab"] = "Projects"
    run(settings_page)
    assert key not in [toggle.key for toggle in settings_page.toggle]
    add_account(shared.server.store(), "jo")
    run(settings_page)
    run(settings_page.toggle(key=key).set_value(True))
    assert shared.current().needs_approval


def test_an_export_takes_approved_documents_where_they_are_needed(
    export_page: AppTest, decided: Session
) -> None:
    unfinished = export_page.checkbox(key="export_unfinished")
    if unfinished.value:
        unfinished.uncheck()
    run(export_page)
    assert shown(export_page) == ["b"]
    add_account(decided.server.store(), "jo")
    export_page.session_state["settings_tab"] = "Projects"
    turn_to(export_page, "settings")
    run(export_page.toggle(key=f"needs_approval_{decided.project_id()}").set_value(True))
    turn_to(export_page, "export")
    assert export_page.info[0].value == "Nothing fits these choices yet."
    assert any("1 unapproved document left out" in said.value for said in export_page.markdown)
    export_page.checkbox(key="export_unapproved").check()
    assert shown(run(export_page)) == ["b"]
    export_page.checkbox(key="export_unapproved").uncheck()
    send(decided.server.store(), Operation(1, "approve"), document_id="b", may_review=True)
    assert shown(run(export_page)) == ["b"]


def test_page_and_list_say_that_another_approves_what_a_reviewer_adjudicated(
    page_of_two: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = shared.server.store()
    jo, kim, rea = (add_account(store, name).person_id for name in ("jo", "kim", "rea"))
    give_role(store, "rea", 1, Role.REVIEWER)
    ask_twice(store, 1, ["b"], [jo, kim], asked_by=1)
    for document_id, person_id in (("b~1", jo), ("b~2", kim), ("b", rea)):
        finish_as(store, document_id, person_id)
    for reviewer, sentence in ((rea, OWN_OUTCOME), (shared.person_id(), "")):
        monkeypatch.setattr("pages.serving.signed_in_person", lambda who=reviewer: who)
        assert data(fresh_page("b"), "tree")["own_outcome"] == sentence
        page = turn_to(fresh_page(), "documents")
        act(page, "documents_table", "act", {"action": "approve", "ids": ["b"]})
        assert errors(page) == ([sentence] if sentence else [])
    assert named_documents(store, 1, ["b"])["b"].judged == "approved"

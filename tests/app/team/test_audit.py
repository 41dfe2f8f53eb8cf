"""The Audit tab of the Settings page, and what pages of patients leave in the log."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.review.audit.log import AuditKind, record_alone
from core.review.audit.search import AuditSearch, search_log
from core.review.people.accounts import add_account
from core.review.people.memberships import give_role
from core.roles import Role
from core.serving.session import Session, note_seen
from tests.support.app_pages import run


def tabs(page: AppTest) -> list[str]:
    return [tab.label for tab in page.tabs]


def test_a_person_alone_has_no_tab_of_it(settings_page: AppTest) -> None:
    assert "Backup" in tabs(settings_page) and "Audit" not in tabs(settings_page)


def test_the_tab_of_it_leaves_the_open_one_open(settings_page: AppTest) -> None:
    """Where the second person is added, whose links are shown once, the log begins."""
    settings_page.session_state["settings_tab"] = "People"
    run(settings_page)
    settings_page.text_input(key="person_name").input("jo")
    run(settings_page.button(key="person_add").click())
    assert "Audit" in tabs(settings_page)
    (strip,) = settings_page.get("tab_container")
    assert tabs(settings_page)[strip.proto.tab_container.default_tab_index] == "People"
    assert len(settings_page.code) == 2  # a link each


def test_the_newest_events_are_shown_and_searched(settings_page: AppTest, shared: Session) -> None:
    store, project_id = shared.server.store(), shared.project_id()
    jo = add_account(store.acting(shared.person_id()), "jo").person_id
    give_role(store.acting(shared.person_id()), "jo", project_id, Role.LEAD)
    give_role(store.acting(shared.person_id()), "jo", project_id, None)
    record_alone(
        store.acting(jo), AuditKind.EXPORTED, project_id=project_id, form="csv", n_documents=1200
    )
    settings_page.session_state["settings_tab"] = "Audit"
    run(settings_page)
    (table,) = (one.value for one in settings_page.dataframe if "event" in one.value)
    project = shared.current().name
    assert table.drop(columns="at").values.tolist() == [
        ["jo", "exported", "", project, "", "csv, 1,200 documents"],
        ["me", "role given", "jo", project, "", "none"],
        ["me", "role given", "jo", project, "", "lead"],
        ["me", "account added", "jo", "", "", ""],
    ]
    settings_page.selectbox(key="audit_kind").select(AuditKind.ROLE)
    run(settings_page.selectbox(key="audit_person").select(shared.person_id()))
    (table,) = (one.value for one in settings_page.dataframe if "event" in one.value)
    assert list(table["event"]) == ["role given", "role given"]
    links = " ".join(one.body for one in settings_page.get("html"))
    assert f"api/audit?person_id={shared.person_id()}&amp;kind=role+given" in links


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_who_signs_in_and_sees_an_encounter_is_noted(clinical: Session, is_signed_in: bool) -> None:
    jo = add_account(clinical.server.store(), "jo").person_id
    give_role(clinical.server.store(), "jo", clinical.project_id(), Role.READER)
    who = jo if is_signed_in else None
    note_seen(Session(clinical.server, clinical.project_id(), person_id=who), "e1")
    found = search_log(clinical.server.store(), AuditSearch(kind=AuditKind.SEEN))
    noted = [(event.person, event.row["document_id"]) for event in found]
    assert noted == ([("jo", "e1")] if is_signed_in else [])

"""The name by which others see a person, changed by themselves and by who administers."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.review.audit.log import AuditKind
from core.review.audit.search import AuditSearch, search_log
from core.review.people.accounts import list_accounts
from core.serving.session import Session
from tests.support.app_pages import errors, fresh_page, run, turn_to

JO = 2


def settings_of(monkeypatch: pytest.MonkeyPatch, person_id: int, tab: str) -> AppTest:
    monkeypatch.setattr("pages.serving.signed_in_person", lambda: person_id)
    page = fresh_page()
    page.session_state["settings_tab"] = tab
    return turn_to(page, "settings")


def renamed(team: Session) -> list[tuple[str, str]]:
    """Who was noted to have renamed whom."""
    found = search_log(team.server.store(), AuditSearch(kind=AuditKind.RENAMED))
    return [(event.person, event.account) for event in found]


def test_who_administers_changes_the_name_of_others(
    team: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = settings_of(monkeypatch, 1, "People")
    run(page.text_input(key=f"person_shown_people_{JO}").input("Jo Berg-Rossi"))
    assert [row.shown for row in list_accounts(team.server.store())] == ["me", "Jo Berg-Rossi"]
    assert "**Jo Berg-Rossi**" in " ".join(said.value for said in page.markdown)
    assert renamed(team) == [("me", "jo")]


def test_everybody_changes_their_own_but_to_no_other_persons(
    team: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = settings_of(monkeypatch, JO, "Appearance")
    name = f"person_shown_own_{JO}"
    run(page.text_input(key=name).input("Joanna"))
    assert list_accounts(team.server.store())[1].shown == "Joanna"
    run(page.text_input(key=name).input("ME"))
    assert errors(page) == ["Somebody else is seen by the name 'ME' already; choose another one."]
    run(page.text_input(key=name).input(""))
    assert list_accounts(team.server.store())[1].shown == "jo"
    assert renamed(team) == [("jo", "jo"), ("jo", "jo")]


def test_a_person_alone_is_asked_for_none(settings_page: AppTest) -> None:
    settings_page.session_state["settings_tab"] = "Appearance"
    run(settings_page)
    assert not [
        field for field in settings_page.text_input if str(field.key).startswith("person_shown_")
    ]

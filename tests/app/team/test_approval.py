"""Approval of finished documents, as the settings switch it and exports take it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account
from core.serving.session import Session
from tests.support.app_pages import run, turn_to
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

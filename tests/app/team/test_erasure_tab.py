"""The Erasure tab of the Settings page: nothing goes before somebody is sure."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.erasure import SAYS_WHERE, retention_of
from core.review.people.accounts import add_account, list_accounts
from core.review.store.arrivals import add_document
from core.serving.session import Session
from pages.annotation.document import ERASED
from tests.support.app_pages import click, errors, fresh_page, run
from tests.support.erasure import is_erased


def erasure(page: AppTest) -> str:
    page.session_state["settings_tab"] = "Erasure"
    run(page)
    return said(page)


def said(page: AppTest) -> str:
    elements = [*page.markdown, *page.success, *page.info]
    return "\n".join(element.value for element in elements)


def test_a_document_is_erased_by_its_id(settings_page: AppTest, shared: Session) -> None:
    act = Document.from_text("act", "On herring", "Herring.")
    add_document(shared.server.store(), act, project_id=shared.project_id())
    assert SAYS_WHERE in erasure(settings_page)
    run(settings_page.text_input(key="erase_document").set_value("act"))
    assert "“On herring”, 8 characters" in said(settings_page)
    assert "There is no way back" in said(settings_page)
    assert "erase_document_now" not in [button.key for button in settings_page.button]
    run(settings_page.checkbox(key="erase_sure_erase_document_now_act").check())
    click(settings_page, "erase_document_now")
    assert "stays under erased-1" in said(settings_page)
    assert is_erased(shared.store(), "erased-1")
    assert ERASED in said(fresh_page("erased-1"))


def test_an_id_that_is_not_there_is_named(settings_page: AppTest) -> None:
    erasure(settings_page)
    run(settings_page.text_input(key="erase_document").set_value("nothing"))
    assert "There is no document" in " ".join(errors(settings_page))


def test_a_person_is_offered_from_the_second_on(settings_page: AppTest, shared: Session) -> None:
    erasure(settings_page)
    assert "erase_person" not in [box.key for box in settings_page.selectbox]
    add_account(shared.server.store(), "jo", display_name="Jo Berg")
    run(settings_page)
    run(settings_page.selectbox(key="erase_person").select("jo"))
    run(settings_page.checkbox(key="erase_sure_erase_person_now_jo").check())
    click(settings_page, "erase_person_now")
    assert "Jo Berg is called person 2 now" in said(settings_page)
    assert list_accounts(shared.store())[1].name == "person 2"


def test_how_long_texts_are_kept_is_said_before_it_holds(
    settings_page: AppTest, shared: Session
) -> None:
    erasure(settings_page)
    project_id = shared.project_id()
    run(settings_page.number_input(key=f"erase_days_{project_id}").set_value(30))
    assert "**0 documents** would be erased at the next look" in said(settings_page)
    assert retention_of(shared.store(), project_id) is None
    run(settings_page.checkbox(key="erase_sure_retention_on_30").check())
    click(settings_page, "retention_on")
    assert retention_of(shared.store(), project_id) == 30
    assert "Texts are erased 30 days after the finish" in said(settings_page)
    click(settings_page, "retention_off")
    assert retention_of(shared.store(), project_id) is None

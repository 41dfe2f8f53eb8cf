"""Projects on the Settings page and in the sidebar, as Streamlit runs them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.projects import list_projects, make_project, rename_project
from core.settings import PROJECT_ROOT
from core.vocabulary.concepts import Concept, Hierarchy
from pages.project_menu import FIRST_TIME, PATIENCE_SECONDS
from pages.served import LOADING, TAKEN, Change
from pages.serving import Workplace
from tests.app.test_annotate import errors, installed, run
from tests.support.fakes import fake_workplace


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Workplace]:
    for place in installed(fake_workplace(tmp_path)):
        act = Document.from_text("act", "On herring", "herring")
        add_document(place.store(), act, project_id=place.project_id())
        assert place.service.wait_until_loaded(60) == "ready"
        yield place


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "settings.py"))
    return run(page)


def make(page: AppTest, name: str, vocabulary_id: str = "tiny") -> AppTest:
    page.text_input(key="project_name").input(name)
    page.selectbox(key="project_vocabulary").select(vocabulary_id)
    page.button(key="make_project").click()
    return run(page)


def said(page: AppTest) -> str:
    return " ".join(one.value for one in page.markdown)


def test_a_project_is_made_and_opened_and_the_other_comes_back(
    page: AppTest, shared: Workplace
) -> None:
    first = shared.project_id()
    assert "**Tiny**  :green-badge[open]  \n1 document" in said(page)
    make(page, "Ward 7")
    assert "**Ward 7**  :green-badge[open]  \nTiny, 0 documents" in said(page)
    assert page.text_input(key="project_name").value == ""
    assert list_documents(shared.store(), shared.project_id()) == []
    page.button(key=f"settings_open_{first}").click()
    run(page)
    assert shared.project_id() == first


def test_a_name_that_is_taken_is_refused_and_stays_in_its_field(
    page: AppTest, shared: Workplace
) -> None:
    make(page, "Ward 7")
    make(page, "ward 7")
    assert any("already" in sentence for sentence in errors(page))
    assert page.text_input(key="project_name").value == "ward 7"
    number = shared.project_id()
    page.text_input(key=f"name_{number}").input("Ward 8")
    run(page)
    assert [one.name for one in list_projects(shared.store())] == ["tiny", "Ward 8"]


def test_codes_without_a_model_say_so(page: AppTest, shared: Workplace) -> None:
    drain = Concept("0W9B30Z", "http://x/1", "0W9B30Z", {"en": "Drainage"}, assignable=True)
    codes = Hierarchy([drain], vocabulary_id="icd10pcs", version="1")
    shared.shelf.add(codes, file_name="codes.csv", sha256="1", report={})
    make(run(page), "Ward 7", "icd10pcs")
    shared.projects.wait(60)
    run(page)
    assert not errors(page)
    assert shared.vocabulary_id() == "icd10pcs"
    number = shared.project_id()
    assert page.selectbox(key=f"model_of_{number}").value == ""
    assert "none; names of codes in the text alone" in said(page)
    page.switch_page(str(PROJECT_ROOT / "pages" / "models.py"))
    run(page)
    assert any("has no model" in one.value for one in page.info)
    assert not any("served now" in one.value for one in page.markdown)


def test_a_document_of_another_project_offers_the_way_to_it(shared: Workplace) -> None:
    ward = make_project(shared.store(), "Ward 7", "tiny")
    act = Document.from_text("elsewhere", "On cod", "cod")
    add_document(shared.store(), act, project_id=ward.project_id)
    page = AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120)
    page.query_params["document"] = "elsewhere"
    run(page)
    assert any("of another project, Ward 7" in one.value for one in page.info)
    page.button(key="open_its_project").click()
    run(page)
    assert shared.project_id() == ward.project_id
    assert "elsewhere" in page.query_params["document"]
    assert not page.info


def start_page() -> AppTest:
    return run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))


def test_the_sidebar_names_the_project_only_where_there_is_another(shared: Workplace) -> None:
    def menus(page: AppTest) -> list[str]:
        return [one.proto.popover.label for one in page.sidebar if one.type == "popover"]

    page = start_page()
    assert menus(page) == ["Export"]
    make_project(shared.store(), "Ward 7", "tiny")
    assert menus(run(page)) == ["Tiny", "Export"]


def test_every_session_is_told_of_a_project_that_is_being_opened(
    page: AppTest, shared: Workplace
) -> None:
    ward = make_project(shared.store(), "Ward 7", "tiny")
    card = shared.served.card()
    shared.served.change = Change(card, LOADING, project="icd10cm", is_first=True)
    (told,) = run(page).info
    assert told.value.startswith("ICD-10-CM is being opened …")
    assert told.value.endswith(FIRST_TIME)
    assert page.button(key="make_project").disabled
    assert page.button(key=f"settings_open_{ward.project_id}").disabled
    (elsewhere,) = start_page().sidebar.info
    assert elsewhere.value.startswith("ICD-10-CM is being opened …")
    shared.served.change = replace(shared.served.change, state=TAKEN)
    assert not run(page).info
    assert not page.button(key="make_project").disabled


def test_a_code_system_without_its_files_leads_to_their_import(page: AppTest) -> None:
    page.selectbox(key="project_vocabulary").select("icd10pcs")
    run(page)
    assert page.button(key="make_project").disabled
    assert "The files of ICD-10-PCS are imported first:" in said(page)
    assert "ICD-10-PCS (needs its files)" in page.selectbox(key="project_vocabulary").options


def test_a_project_without_a_name_is_called_as_its_vocabulary(
    page: AppTest, shared: Workplace
) -> None:
    ward = make_project(shared.store(), "Ward 7", "tiny")
    rename_project(shared.store(), shared.project_id(), "Fish")
    make(run(page), "")
    names = [one.name for one in list_projects(shared.store())]
    assert names == ["Fish", ward.name, "Tiny"]


def removals(page: AppTest) -> dict[int, str]:
    """The menu by which a project leaves the list, of each that has one."""
    menus = (one.proto.popover for one in page.main if one.type == "popover")
    named = ((re.search(r"removal_([0-9]+)", menu.id), menu.label) for menu in menus)
    return {int(key[1]): label for key, label in named if key}


def look_at_removal(page: AppTest, project_id: int) -> AppTest:
    page.session_state[f"removal_{project_id}"] = True
    return run(page)


def test_the_open_project_is_archived_with_its_documents_and_brought_back(
    page: AppTest, shared: Workplace
) -> None:
    first = shared.project_id()
    assert removals(page) == {}  # the only one stays
    ward = make_project(shared.store(), "Ward 7", "tiny")
    labels = removals(run(page))
    assert labels == {first: "Archive …", ward.project_id: "Delete …"}
    look_at_removal(page, first)
    assert "with 1 document, and 0 decisions. Nothing is lost" in said(page)
    page.button(key=f"remove_{first}").click()
    run(page)
    assert not errors(page)
    assert shared.project_id() == ward.project_id
    assert removals(page) == {}
    page.button(key=f"bring_back_{first}").click()
    assert removals(run(page)) == labels
    look_at_removal(page, ward.project_id)
    page.button(key=f"remove_{ward.project_id}").click()
    run(page)
    assert [one.project_id for one in list_projects(shared.store())] == [first]
    assert shared.project_id() == first


def test_a_click_while_a_project_is_opened_is_no_error_and_its_end_is_told(
    page: AppTest, shared: Workplace
) -> None:
    ward = make_project(shared.store(), "Ward 7", "tiny")
    run(page)
    began = time.monotonic() - 2 * PATIENCE_SECONDS
    card = shared.served.card()
    shared.served.change = Change(card, LOADING, project="icd10cm", began=began)
    page.button(key=f"settings_open_{ward.project_id}").click()  # drawn before
    assert not errors(run(page))
    (told,) = page.info
    assert told.value.startswith("ICD-10-CM is being opened …")
    shared.served.change = replace(shared.served.change, state=TAKEN)
    assert [one.value for one in run(page).toast] == ["ICD-10-CM is open."]
    assert not run(page).toast


def test_pages_without_a_list_of_projects_tell_of_one_that_is_opened(shared: Workplace) -> None:
    change = Change(shared.served.card(), LOADING, project="icd10cm")
    page = run(
        AppTest.from_file(str(PROJECT_ROOT / "pages" / "navigation.py"), default_timeout=120)
    )
    shared.served.change = change
    page.switch_page(str(PROJECT_ROOT / "pages" / "export.py"))
    told = [one.value for one in run(page).info]
    assert any(one.startswith("ICD-10-CM is being opened …") for one in told), told

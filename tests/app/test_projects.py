"""Projects on the Settings page and in the sidebar, as Streamlit runs them."""

from __future__ import annotations

import re
import time
from dataclasses import replace

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
from tests.support.app_pages import errors, run


def make(page: AppTest, name: str, vocabulary_id: str = "tiny") -> AppTest:
    page.text_input(key="project_name").input(name)
    page.selectbox(key="project_vocabulary").select(vocabulary_id)
    page.button(key="make_project").click()
    return run(page)


def said(page: AppTest) -> str:
    return " ".join(one.value for one in page.markdown)


def test_a_project_is_made_and_opened_and_the_other_comes_back(
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    first = with_an_act.project_id()
    assert "**Tiny**  :green-badge[open]  \n1 document" in said(page_of_projects)
    make(page_of_projects, "Ward 7")
    assert "**Ward 7**  :green-badge[open]  \nTiny, 0 documents" in said(page_of_projects)
    assert page_of_projects.text_input(key="project_name").value == ""
    assert list_documents(with_an_act.store(), with_an_act.project_id()) == []
    page_of_projects.button(key=f"settings_open_{first}").click()
    run(page_of_projects)
    assert with_an_act.project_id() == first


def test_a_name_that_is_taken_is_refused_and_stays_in_its_field(
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    make(page_of_projects, "Ward 7")
    make(page_of_projects, "ward 7")
    assert any("already" in sentence for sentence in errors(page_of_projects))
    assert page_of_projects.text_input(key="project_name").value == "ward 7"
    number = with_an_act.project_id()
    page_of_projects.text_input(key=f"name_{number}").input("Ward 8")
    run(page_of_projects)
    assert [one.name for one in list_projects(with_an_act.store())] == ["tiny", "Ward 8"]


def test_codes_without_a_model_say_so(page_of_projects: AppTest, with_an_act: Workplace) -> None:
    drain = Concept("0W9B30Z", "http://x/1", "0W9B30Z", {"en": "Drainage"}, assignable=True)
    codes = Hierarchy([drain], vocabulary_id="icd10pcs", version="1")
    with_an_act.shelf.add(codes, file_name="codes.csv", sha256="1", report={})
    make(run(page_of_projects), "Ward 7", "icd10pcs")
    with_an_act.projects.wait(60)
    run(page_of_projects)
    assert not errors(page_of_projects)
    assert with_an_act.vocabulary_id() == "icd10pcs"
    number = with_an_act.project_id()
    assert page_of_projects.selectbox(key=f"model_of_{number}").value == ""
    assert "none; names of codes in the text alone" in said(page_of_projects)
    page_of_projects.switch_page(str(PROJECT_ROOT / "pages" / "models.py"))
    run(page_of_projects)
    assert any("has no model" in one.value for one in page_of_projects.info)
    assert not any("served now" in one.value for one in page_of_projects.markdown)


def test_a_document_of_another_project_offers_the_way_to_it(with_an_act: Workplace) -> None:
    ward = make_project(with_an_act.store(), "Ward 7", "tiny")
    act = Document.from_text("elsewhere", "On cod", "cod")
    add_document(with_an_act.store(), act, project_id=ward.project_id)
    page = AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120)
    page.query_params["document"] = "elsewhere"
    run(page)
    assert any("of another project, Ward 7" in one.value for one in page.info)
    page.button(key="open_its_project").click()
    run(page)
    assert with_an_act.project_id() == ward.project_id
    assert "elsewhere" in page.query_params["document"]
    assert not page.info


def start_page() -> AppTest:
    return run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))


def test_the_sidebar_names_the_project_only_where_there_is_another(with_an_act: Workplace) -> None:
    def menus(page: AppTest) -> list[str]:
        return [one.proto.popover.label for one in page.sidebar if one.type == "popover"]

    page = start_page()
    assert menus(page) == ["Export"]
    make_project(with_an_act.store(), "Ward 7", "tiny")
    assert menus(run(page)) == ["Tiny", "Export"]


def test_every_session_is_told_of_a_project_that_is_being_opened(
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    ward = make_project(with_an_act.store(), "Ward 7", "tiny")
    card = with_an_act.served.card()
    with_an_act.served.change = Change(card, LOADING, project="icd10cm", is_first=True)
    (told,) = run(page_of_projects).info
    assert told.value.startswith("ICD-10-CM is being opened …")
    assert told.value.endswith(FIRST_TIME)
    assert page_of_projects.button(key="make_project").disabled
    assert page_of_projects.button(key=f"settings_open_{ward.project_id}").disabled
    (elsewhere,) = start_page().sidebar.info
    assert elsewhere.value.startswith("ICD-10-CM is being opened …")
    with_an_act.served.change = replace(with_an_act.served.change, state=TAKEN)
    assert not run(page_of_projects).info
    assert not page_of_projects.button(key="make_project").disabled


def test_a_code_system_without_its_files_leads_to_their_import(page_of_projects: AppTest) -> None:
    page_of_projects.selectbox(key="project_vocabulary").select("icd10pcs")
    run(page_of_projects)
    assert page_of_projects.button(key="make_project").disabled
    assert "The files of ICD-10-PCS are imported first:" in said(page_of_projects)
    assert (
        "ICD-10-PCS (needs its files)"
        in page_of_projects.selectbox(key="project_vocabulary").options
    )


def test_a_project_without_a_name_is_called_as_its_vocabulary(
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    ward = make_project(with_an_act.store(), "Ward 7", "tiny")
    rename_project(with_an_act.store(), with_an_act.project_id(), "Fish")
    make(run(page_of_projects), "")
    names = [one.name for one in list_projects(with_an_act.store())]
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
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    first = with_an_act.project_id()
    assert removals(page_of_projects) == {}  # the only one stays
    ward = make_project(with_an_act.store(), "Ward 7", "tiny")
    labels = removals(run(page_of_projects))
    assert labels == {first: "Archive …", ward.project_id: "Delete …"}
    look_at_removal(page_of_projects, first)
    assert "with 1 document, and 0 decisions. Nothing is lost" in said(page_of_projects)
    page_of_projects.button(key=f"remove_{first}").click()
    run(page_of_projects)
    assert not errors(page_of_projects)
    assert with_an_act.project_id() == ward.project_id
    assert removals(page_of_projects) == {}
    page_of_projects.button(key=f"bring_back_{first}").click()
    assert removals(run(page_of_projects)) == labels
    look_at_removal(page_of_projects, ward.project_id)
    page_of_projects.button(key=f"remove_{ward.project_id}").click()
    run(page_of_projects)
    assert [one.project_id for one in list_projects(with_an_act.store())] == [first]
    assert with_an_act.project_id() == first


def test_a_click_while_a_project_is_opened_is_no_error_and_its_end_is_told(
    page_of_projects: AppTest, with_an_act: Workplace
) -> None:
    ward = make_project(with_an_act.store(), "Ward 7", "tiny")
    run(page_of_projects)
    began = time.monotonic() - 2 * PATIENCE_SECONDS
    card = with_an_act.served.card()
    with_an_act.served.change = Change(card, LOADING, project="icd10cm", began=began)
    page_of_projects.button(key=f"settings_open_{ward.project_id}").click()  # drawn before
    assert not errors(run(page_of_projects))
    (told,) = page_of_projects.info
    assert told.value.startswith("ICD-10-CM is being opened …")
    with_an_act.served.change = replace(with_an_act.served.change, state=TAKEN)
    assert [one.value for one in run(page_of_projects).toast] == ["ICD-10-CM is open."]
    assert not run(page_of_projects).toast


def test_pages_without_a_list_of_projects_tell_of_one_that_is_opened(
    with_an_act: Workplace,
) -> None:
    change = Change(with_an_act.served.card(), LOADING, project="icd10cm")
    page = run(
        AppTest.from_file(str(PROJECT_ROOT / "pages" / "navigation.py"), default_timeout=120)
    )
    with_an_act.served.change = change
    page.switch_page(str(PROJECT_ROOT / "pages" / "export.py"))
    told = [one.value for one in run(page).info]
    assert any(one.startswith("ICD-10-CM is being opened …") for one in told), told

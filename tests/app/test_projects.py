"""Projects on the Settings page and in the sidebar, as Streamlit runs them."""

from __future__ import annotations

import re
import threading

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.projects import (
    archive_project,
    list_projects,
    make_project,
    rename_project,
)
from core.serving import vocabularies
from core.serving.choosing import open_project, wait_until_loaded
from core.serving.session import Session
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.vocabulary_versions import VocabularyVersion
from pages import project_menu
from pages.project_menu import FIRST_TIME, MESSAGES_KEY
from tests.support.app_pages import data, errors, fresh_page, run, text_field, turn_to


def make(page: AppTest, name: str, vocabulary_id: str = "tiny") -> AppTest:
    page.text_input(key="project_name").input(name)
    page.selectbox(key="project_vocabulary").select(vocabulary_id)
    return run(page.button(key="make_project").click())


def here(page: AppTest, shared: Session) -> Session:
    """The session of the project in a page's address."""
    named = page.query_params["project"]
    return shared.elsewhere(named[0] if isinstance(named, list) else named)


def said(page: AppTest) -> str:
    return " ".join(one.value for one in page.markdown)


def test_a_project_is_made_and_opened_and_the_other_stays(
    page_of_projects: AppTest, with_an_act: Session
) -> None:
    first, server = with_an_act.project_id(), with_an_act.server_id
    assert "**Tiny**  :green-badge[open]  \n1 document" in said(page_of_projects)
    make(page_of_projects, "Ward 7")
    assert "**Ward 7**  :green-badge[open]  \nTiny, 0 documents" in said(page_of_projects)
    assert page_of_projects.text_input(key="project_name").value == ""
    ward = here(page_of_projects, with_an_act)
    assert ward.project_id() != first
    assert list_documents(ward.server.store(), ward.project_id()) == []
    assert with_an_act.server_id == server  # nobody else notices
    run(page_of_projects.button(key=f"settings_open_{first}").click())
    assert here(page_of_projects, with_an_act).project_id() == first


def test_a_name_that_is_taken_is_refused_and_stays_in_its_field(
    page_of_projects: AppTest, with_an_act: Session
) -> None:
    make(page_of_projects, "Ward 7")
    make(page_of_projects, "ward 7")
    assert any("already" in sentence for sentence in errors(page_of_projects))
    assert page_of_projects.text_input(key="project_name").value == "ward 7"
    number = here(page_of_projects, with_an_act).project_id()
    run(page_of_projects.text_input(key=f"name_{number}").input("Ward 8"))
    assert [row.name for row in list_projects(with_an_act.server.store())] == ["tiny", "Ward 8"]


def test_codes_without_a_model_say_so(page_of_projects: AppTest, with_an_act: Session) -> None:
    drain = Concept("0W9B30Z", "http://x/1", "0W9B30Z", {"en": "Drainage"}, assignable=True)
    codes = Hierarchy([drain], vocabulary_id="icd10pcs", version="1")
    with_an_act.server.versions.add(codes, file_name="codes.csv", sha256="1", report={})
    make(run(page_of_projects), "Ward 7", "icd10pcs")
    ward = here(page_of_projects, with_an_act)
    wait_until_loaded(ward, 60)
    run(page_of_projects)
    assert not errors(page_of_projects)
    assert ward.vocabulary_id() == "icd10pcs"
    assert page_of_projects.selectbox(key=f"model_of_{ward.project_id()}").value == ""
    assert "none; names of codes in the text, and what was decided here" in said(page_of_projects)
    turn_to(page_of_projects, "models")
    assert any("has no model" in info.value for info in page_of_projects.info)
    assert not any("served now" in markdown.value for markdown in page_of_projects.markdown)


def test_a_document_of_another_project_offers_the_way_to_it(with_an_act: Session) -> None:
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    act = Document.from_text("elsewhere", "On cod", "cod")
    add_document(with_an_act.server.store(), act, project_id=ward.project_id)
    page = fresh_page("elsewhere", project_id=with_an_act.project_id())
    assert any("of another project, Ward 7" in info.value for info in page.info)
    run(page.button(key="open_its_project").click())
    assert here(page, with_an_act).project_id() == ward.project_id
    assert "elsewhere" in page.query_params["document"]
    assert not page.info


def test_a_link_to_a_document_alone_opens_its_project(with_an_act: Session) -> None:
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    act = Document.from_text("elsewhere", "On cod", "cod")
    add_document(with_an_act.server.store(), act, project_id=ward.project_id)
    page = fresh_page("elsewhere")
    assert data(page, "reader")["title"] == "On cod"
    assert data(page, "tree")["project"] == ward.project_id


def test_two_tabs_work_in_two_projects(with_an_act: Session) -> None:
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    one, other = fresh_page(), fresh_page(project_id=ward.project_id)
    assert data(one, "documents")["project"] == with_an_act.project_id()
    assert len(data(one, "documents")["documents"]) == 1
    assert data(other, "documents")["documents"] == []
    text_field(other).set_value("On honey")
    run(other.button(key="suggest").click())
    assert len(data(run(one), "documents")["documents"]) == 1
    listed = list_documents(with_an_act.server.store(), ward.project_id)
    assert [row.title for row in listed] == ["On honey"]


def test_an_address_of_no_project_and_of_an_archived_one_offer_the_others(
    with_an_act: Session,
) -> None:
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    page = fresh_page(project_id=999)
    assert any("no such project" in sentence for sentence in errors(page))
    page.button(key=f"go_to_{ward.project_id}").click()
    assert here(run(page), with_an_act).project_id() == ward.project_id
    archive_project(with_an_act.server.store(), ward.project_id)
    page = fresh_page(project_id=ward.project_id)
    (info,) = page.info
    assert "Ward 7 was archived" in info.value
    run(page.button(key="bring_back_project").click())
    assert not fresh_page(project_id=ward.project_id).info


def test_the_sidebar_names_the_project_only_where_there_is_another(with_an_act: Session) -> None:
    def menus(page: AppTest) -> list[str]:
        return [one.proto.popover.label for one in page.sidebar if one.type == "popover"]

    page = fresh_page()
    assert menus(page) == ["Export"]
    make_project(with_an_act.server.store(), "Ward 7", "tiny")
    assert menus(run(page)) == ["Tiny", "Export"]


def test_a_project_that_is_being_opened_says_so_in_its_own_tab_alone(
    with_an_act: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_menu, "PATIENCE_SECONDS", 0.05)
    gate, read = threading.Event(), icd10cm_entry(with_an_act)
    codes = make_project(with_an_act.server.store(), "Codes", "icd10cm")

    def keep(*_: object) -> VocabularyVersion:
        assert gate.wait(60)
        return read

    monkeypatch.setattr(vocabularies, "keep_built_in", keep)
    page = fresh_page(project_id=codes.project_id)
    (progress,) = page.get("progress")
    assert progress.proto.text.startswith("Opening Codes …")
    assert progress.proto.text.endswith(FIRST_TIME)
    assert not fresh_page(project_id=with_an_act.project_id()).get("progress")
    open_project(with_an_act, codes.project_id)
    second = fresh_page()  # a window without a project in its address: the one opened last
    assert second.get("progress")
    offered = [one.key for one in second.button if (one.key or "").startswith("go_to_")]
    assert offered == [f"go_to_{with_an_act.project_id()}"]
    gate.set()
    served = with_an_act.elsewhere(codes.project_id).project
    assert served.wait_until_open(60)
    assert not run(page).get("progress")
    assert data(page, "documents")["project"] == codes.project_id


def icd10cm_entry(shared: Session) -> VocabularyVersion:
    """One code of it, kept where nobody looks for it as built in."""
    flu = Concept("J11", "http://x/1", "J11", {"en": "Influenza"}, assignable=True)
    codes = Hierarchy([flu], vocabulary_id="icd10cm", version="test")
    versions = shared.server.versions
    entry = versions.add(codes, file_name="codes.csv", sha256="1", report={})
    (versions.folder / "icd10cm" / "test" / "about.json").unlink()  # a moment before it is kept
    return entry


def test_a_code_system_without_its_files_leads_to_their_import(page_of_projects: AppTest) -> None:
    run(page_of_projects.selectbox(key="project_vocabulary").select("icd10pcs"))
    assert page_of_projects.button(key="make_project").disabled
    assert "The files of ICD-10-PCS are imported first:" in said(page_of_projects)
    assert (
        "ICD-10-PCS (needs its files)"
        in page_of_projects.selectbox(key="project_vocabulary").options
    )


def test_a_project_without_a_name_is_called_as_its_vocabulary(
    page_of_projects: AppTest, with_an_act: Session
) -> None:
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    rename_project(with_an_act.server.store(), with_an_act.project_id(), "Fish")
    make(run(page_of_projects), "")
    names = [one.name for one in list_projects(with_an_act.server.store())]
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
    page_of_projects: AppTest, with_an_act: Session
) -> None:
    first = with_an_act.project_id()
    assert removals(page_of_projects) == {}  # the only one stays
    ward = make_project(with_an_act.server.store(), "Ward 7", "tiny")
    labels = removals(run(page_of_projects))
    assert labels == {first: "Archive …", ward.project_id: "Delete …"}
    look_at_removal(page_of_projects, first)
    assert "with 1 document, and 0 decisions. Nothing is lost" in said(page_of_projects)
    run(page_of_projects.button(key=f"remove_{first}").click())
    assert not errors(page_of_projects)
    assert here(page_of_projects, with_an_act).project_id() == ward.project_id
    assert page_of_projects.session_state[MESSAGES_KEY] == ["Tiny is not on the list any more."]
    assert removals(page_of_projects) == {}
    page_of_projects.button(key=f"bring_back_{first}").click()
    assert removals(run(page_of_projects)) == labels
    look_at_removal(page_of_projects, ward.project_id)
    run(page_of_projects.button(key=f"remove_{ward.project_id}").click())
    assert [row.project_id for row in list_projects(with_an_act.server.store())] == [first]
    assert here(page_of_projects, with_an_act).project_id() == first

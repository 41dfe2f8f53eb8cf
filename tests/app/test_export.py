"""The Export page as Streamlit runs it: choices, preview, and the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.export.selection import Selection
from core.review.decisions.recording import Operation, record
from core.review.store.arrivals import add_document
from core.review.store.proposed_terms import propose_term
from core.settings import PROJECT_ROOT
from pages.downloads import Wanted, make_file
from pages.serving import Workplace
from tests.app.test_annotate import installed, run, send
from tests.support.fakes import fake_workplace


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Workplace]:
    for place in installed(fake_workplace(tmp_path)):
        add(place, "a", "week 12", Operation(1, "accept", "101"), Operation(2, "reject", "201"))
        add(place, "b", None, Operation(1, "accept", "301"), Operation(2, "finish", shown=0))
        add(place, "c", None)
        propose_term(place.store(), "c", "seaweed farm", "", place.person_id())
        yield place


def add(shared: Workplace, name: str, batch: str | None, *operations: Operation) -> None:
    document = Document.from_text(name, f"On {name}", "herring")
    add_document(shared.store(), document, project_id=shared.project_id(), batch=batch)
    receipt = record(
        shared.store(),
        document_id=name,
        person_id=shared.person_id(),
        client_id=name,
        operations=operations,
    )
    assert not receipt.refused


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "export.py"))
    return run(page)


def said(page: AppTest) -> str:
    """How much the file will hold."""
    (sentence,) = [one.value for one in page.markdown if one.value.startswith("**")]
    return str(sentence).strip("*")


def shown(page: AppTest) -> list[tuple[str, str, str]]:
    """Document, label and decision of the rows of the preview."""
    if not page.dataframe:
        return []
    table = page.dataframe[0].value
    return list(zip(table["document_id"], table["label"], table["decision"], strict=True))


def choose(page: AppTest, key: str, value: object) -> AppTest:
    page.button_group(key=key).set_value(value)
    return run(page)


def test_what_is_accepted_is_shown_before_anything_is_chosen(page: AppTest) -> None:
    assert said(page) == "2 decisions on 3 documents"
    assert sorted(shown(page)) == [
        ("a", "fishing quota", "accepted"),
        ("b", "rail transport", "accepted"),
    ]


def test_other_decisions_and_proposed_terms_come_along_when_asked(page: AppTest) -> None:
    choose(page, "export_decisions", ["rejected", "not taken"])
    assert shown(page) == [("a", "honey", "rejected")]
    page.checkbox(key="export_terms").check()
    run(page)
    assert ("c", "seaweed farm", "proposed") in shown(page)


def test_documents_are_chosen_by_status_and_by_batch(page: AppTest) -> None:
    choose(page, "export_documents", "By status")
    assert shown(page) == [("b", "rail transport", "accepted")]
    choose(page, "export_documents", "By batch")
    assert page.selectbox(key="export_batch").options == ["week 12"]
    assert shown(page) == [("a", "fishing quota", "accepted")]


def test_what_was_selected_on_the_documents_page_is_offered_first(page: AppTest) -> None:
    page.switch_page(str(PROJECT_ROOT / "pages" / "documents.py"))
    run(page)
    send(page, "documents_table", "act", {"action": "export", "ids": ["a", "gone"]})
    assert page.title[0].value == "Export"
    assert said(page) == "1 decision on 1 document"
    assert shown(page) == [("a", "fishing quota", "accepted")]


def test_nothing_that_fits_gets_a_sentence(page: AppTest) -> None:
    choose(page, "export_decisions", [])
    assert page.info[0].value == "Nothing fits these choices yet."


def test_json_lines_are_shown_spread_out(page: AppTest) -> None:
    choose(page, "export_form", "jsonl")
    assert said(page) == "3 documents, one a line, with 2 decisions"
    assert '"id": "c"' in page.code[0].value or '"id": "a"' in page.code[0].value
    assert page.download_button(key="export_download").label == "Download JSONL"


def test_decisions_are_gathered_again_only_where_something_changed(
    page: AppTest, shared: Workplace
) -> None:
    def made() -> object:
        return page.session_state["export_made"][1]

    before = made()
    choose(page, "export_form", "jsonl")
    assert made() is before
    add(shared, "d", None, Operation(1, "accept", "101"))
    assert said(run(page)) == "4 documents, one a line, with 3 decisions"
    receipt = record(
        shared.store(),
        document_id="d",
        person_id=shared.person_id(),
        client_id="d",
        operations=[Operation(2, "accept", "201")],
    )
    assert not receipt.refused
    assert said(run(page)) == "4 documents, one a line, with 4 decisions"
    assert made() is not before


def test_the_text_comes_as_a_last_column(page: AppTest) -> None:
    page.checkbox(key="export_text").check()
    run(page)
    assert list(page.dataframe[0].value["text"]) == ["herring", "herring"]


def test_the_file_is_made_of_what_holds_when_it_is_asked_for(
    page: AppTest, shared: Workplace
) -> None:
    add(shared, "d", None, Operation(1, "accept", "104"))
    content = make_file(Wanted(Selection(), "tsv", with_text=False)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content), delimiter="\t"))
    assert [row["label"] for row in rows] == ["fishing quota", "rail transport", "sole"]

"""The Insights page as Streamlit runs it: what is measured, what is not, and hostile figures."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.export.gathering import gather
from core.model.bundle.manifest import record_about
from core.review.decisions.recording import Operation, record
from core.review.store.documents import fetch_document
from core.review.store.predictions import save_prediction
from core.serving.session import Session
from pages.figures.decisions import WANTED, by_rank, count_decisions
from tests.support.app_documents import add_act as add
from tests.support.app_documents import decide_on as decide
from tests.support.app_insights import OURS, PARTS, insights_page, said
from tests.support.app_pages import errors, run
from tests.support.fakes import FakePredictor
from tests.support.files.insights_files import (
    invented_insights,
    write_figures,
)


def charts(page: AppTest) -> list[str]:
    return [json.loads(one.proto.spec)["data"][0]["type"] for one in page.get("plotly_chart")]


@pytest.mark.parametrize("part", PARTS)
def test_what_was_not_measured_is_a_sentence_and_a_command(shared: Session, part: str) -> None:
    page = insights_page(part)
    assert not errors(page)
    assert charts(page) == []
    assert len(page.info) == 1
    assert page.code[0].value.startswith("python -m training ")


def test_every_figure_says_what_it_was_measured_on_and_how(shared: Session) -> None:
    write_figures(shared.settings.bundle_dir / "insights")
    page = insights_page()
    assert not errors(page)
    assert page.selectbox(key="insights_place").value == "pets"
    assert charts(page) == ["bar", "bar", "bar"]
    notes = [one.value for one in page.markdown if "\n`python -m training" in one.value]
    assert len(notes) == 3
    assert all("dev: 200 documents, 20 with their full text" in note for note in notes)
    files = [one for one in page.get("download_button") if str(one.key).startswith("csv_")]
    assert len(files) == 3
    assert all(one.proto.alt for one in page.get("plotly_chart"))


def test_figures_of_a_bundle_that_was_replaced_are_told_apart(shared: Session) -> None:
    folder = shared.settings.bundle_dir / "insights"
    write_figures(folder)
    assert not insights_page().warning
    invented_insights().save(folder / "insights-dev.json")  # of another hash
    (warning,) = insights_page().warning
    assert "another version" in warning.value


def test_figures_of_a_twin_are_named_as_such(shared: Session) -> None:
    bundle = shared.settings.bundle_dir
    write_figures(bundle / "insights")
    invented = invented_insights()
    twin = {**invented.facts, "hash": "0123456789abcdef"}
    replace(invented, facts=twin).save(bundle / "insights" / "insights-dev.json")
    record_about(bundle, {"twin": "0123456789abcdef"})
    page = insights_page()
    assert not page.warning
    assert "on this model’s twin" in said(page)


def test_the_other_questions(shared: Session) -> None:
    write_figures(shared.settings.bundle_dir / "insights")
    page = insights_page("How sure")
    assert charts(page) == ["scatter", "scatter"]
    assert "points** before calibration" in said(page)
    page.session_state["insights_part"] = "What goes wrong"
    page = run(page)
    assert charts(page) == ["bar"]
    assert "has a parent in common" in said(page)


def test_a_label_is_text_in_the_page_and_no_formula_in_the_file(shared: Session) -> None:
    measured = invented_insights()
    hostile = replace(measured.branches[0], name="x", label="=<a href='javascript:1'>$x$</a>")
    folder = shared.settings.bundle_dir / "insights"
    replace(measured, branches=(hostile,)).save(folder / "insights-dev.json")
    page = insights_page()
    assert not errors(page)
    figures = page.get("plotly_chart")[2].proto.spec
    assert "<a" not in figures
    assert "$x" not in figures


def test_a_damaged_file_is_a_sentence(shared: Session) -> None:
    folder = shared.settings.bundle_dir / "insights"
    folder.mkdir()
    (folder / "insights-dev.json").write_text("{}")
    page = insights_page()
    (error,) = page.error
    assert "holds no insights" in error.value


def test_decisions_are_counted_from_finished_documents(shared: Session) -> None:
    page = insights_page(topic=OURS)
    assert "No document was finished yet" in said(page)
    add(shared, "a", "On herring")
    decide(shared, "a", (1, "add", "102"), (2, "finish", ""))
    page = run(page)
    assert not errors(page)
    assert "In 1 finished document, people assigned 1 concept" in said(page)
    assert charts(page) == []


def test_suggestions_are_not_taken_where_their_branch_is_ruled_out(shared: Session) -> None:
    add(shared, "a", "On herring")
    found = FakePredictor(shared.hierarchy()).suggest(fetch_document(shared.server.store(), "a"))
    kept = [row for row in found.suggestions if row.concept_id in {"101", "102", "201"}]
    shown = [replace(row, rank=rank) for rank, row in enumerate(kept, start=1)]
    prediction = replace(found, suggestions=tuple(shown))
    save_prediction(shared.server.store(), "a", prediction, settings={})
    assert len(shown) == 3
    operations = Operation(1, "accept", "201"), Operation(2, "exclude", "m1")
    finish = Operation(3, "finish", "", shown=3)
    record(
        shared.server.store(),
        document_id="a",
        person_id=shared.person_id(),
        client_id="tab",
        operations=[*operations, finish],
    )
    documents = gather(shared.store(), WANTED, shared.hierarchy())
    figures, _ = count_decisions(documents, {})
    assert (figures.n_shown, figures.n_taken, figures.n_added) == (3, 1, 0)
    assert "3 suggestions that were on the page" in by_rank(figures).label
    assert "1 suggestion that was on the page" in by_rank(replace(figures, n_shown=1)).label


def test_what_was_searched_for_does_not_count_as_suggested(shared: Session) -> None:
    """Three hundred suggestions are stored, of which a page shows thirty."""
    add(shared, "a", "On herring")
    prediction = FakePredictor(shared.hierarchy()).suggest(
        fetch_document(shared.server.store(), "a")
    )
    save_prediction(shared.server.store(), "a", prediction, settings={})
    first, second = (suggestion.concept_id for suggestion in prediction.suggestions[:2])
    decide(shared, "a", (1, "accept", first), (2, "add", second), (3, "finish", ""))
    assert "**50%** were suggested" in said(insights_page(topic=OURS))

"""The Start page of coders: the form of an encounter, files and batches of encounters, examples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.review.store.documents import fetch_document
from pages.examples import CODES, ENCOUNTERS, examples
from pages.serving import Workplace
from tests.app.test_adding import finish_import, sentences, titles, upload
from tests.app.test_annotate import click, data, errors, fresh_page, installed, opened, run
from tests.core.documents.test_encounters import ROW, SUMMARY, jsonl, zipped
from tests.support.clinical_fakes import clinical_workplace


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Workplace]:
    """A workplace with a code system for a vocabulary."""
    yield from installed(clinical_workplace(tmp_path))


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    return fresh_page()


def test_the_form_offers_a_note_and_more_of_them(page: AppTest) -> None:
    assert [area.key for area in page.text_area] == ["note_text_0"]
    click(page, "note_add")
    click(page, "note_add")
    click(page, "note_remove_1")
    assert [area.key for area in page.text_area] == ["note_text_0", "note_text_2"]


def test_notes_of_the_form_become_the_parts_of_an_encounter(
    page: AppTest, shared: Workplace
) -> None:
    click(page, "note_add")
    page.text_input(key="new_title").set_value("Stay 12")
    page.selectbox(key="note_kind_0").set_value("Admission note")
    page.date_input(key="note_date_0").set_value(date(2026, 3, 1))
    page.text_area(key="note_text_0").set_value(SUMMARY)
    page.text_area(key="note_text_1").set_value("Impression: clear.")
    click(page, "suggest")
    document = fetch_document(shared.store(), opened(page) or "")
    assert document.title == "Stay 12"
    assert [(part.kind, part.date) for part in document.parts] == [
        ("Admission note", date(2026, 3, 1)),
        ("Note", None),
    ]
    assert len(document.headings) == 3
    click(page, "new")
    assert [area.value for area in page.text_area] == [""]


def test_an_empty_form_gets_a_sentence(page: AppTest) -> None:
    click(page, "suggest")
    assert errors(page) == ["There is nothing to read yet: write a note, or give a title."]


def test_json_lines_of_encounters_come_in(page: AppTest, shared: Workplace) -> None:
    upload(page, ("stays.jsonl", jsonl(ROW, {"id": "E2", "notes": [{"kind": "x"}]})))
    assert "Each row is an encounter" in sentences(page)
    click(page, "batch_add")
    finish_import(page)
    assert "note 1 has no text" in sentences(page)
    assert len(fetch_document(shared.store(), "E1").parts) == 2


BAD_ROW = {"id": "E9", "notes": [{"kind": "Ward round"}]}


def test_rows_that_cannot_be_read_are_told_before_and_after(page: AppTest) -> None:
    for _ in range(2):
        upload(page, ("bad.jsonl", jsonl(ROW, BAD_ROW)))
        assert "bad.jsonl: 2 encounters, one in each row" in page.subheader[0].value
        assert "Of the first 2 rows, 1 cannot be read. line 2: note 1 has no text" in sentences(
            page
        )
        assert page.dataframe[0].value["notes"].tolist()[1] == "Ward round"
        assert "batch_text" not in [one.key for one in page.selectbox]
        click(page, "batch_add")
        finish_import(page)
        listed = next(one for one in page.expander if one.label.startswith("Rows"))
        click(page, "batch_done")
    assert listed.proto.expanded  # the second time, nothing was added


def test_a_file_without_a_row_that_can_be_read_is_not_added(page: AppTest) -> None:
    upload(page, ("bad.jsonl", jsonl(BAD_ROW, BAD_ROW)))
    (told,) = page.warning
    assert told.value.startswith("Nothing can be added: 2 rows, and none can be read. line 1: note")
    assert "Each row needs `notes`, a list such as" in told.value
    assert page.button(key="batch_add").label == "Add 2 encounters"
    assert page.button(key="batch_add").disabled


def test_texts_of_a_flat_zip_are_the_notes_of_one_encounter_where_that_is_said(
    page: AppTest, shared: Workplace
) -> None:
    files = {"2026-03-04 Discharge summary.txt": SUMMARY, "2026-03-01 Consultation.txt": "Plan."}
    upload(page, ("Ward 7.zip", zipped(files)))
    assert page.button(key="batch_add").label == "Add 2 encounters"
    page.checkbox(key="batch_together").check()
    run(page)
    assert page.button(key="batch_add").label == "Add 1 encounter"
    click(page, "batch_add")
    finish_import(page)
    parts = fetch_document(shared.store(), "Ward 7").parts
    assert [part.kind for part in parts] == ["Consultation", "Discharge summary"]
    click(page, "batch_done")
    upload(page, ("stays.zip", zipped({"E7/a.txt": SUMMARY, "E8/b.txt": "Plan: rest."})))
    assert "batch_together" not in [one.key for one in page.checkbox]


def test_a_zip_of_folders_comes_in_as_encounters(page: AppTest, shared: Workplace) -> None:
    files = {"E7/discharge.txt": SUMMARY, "E7/radiology.txt": "Impression: clear."}
    files |= {"E7/empty.txt": "", "E8/consultation.txt": "Plan: rest."}
    upload(page, ("stays.zip", zipped(files)))
    assert "2 encounters to be added" in sentences(page)
    click(page, "batch_add")
    finish_import(page)
    assert "E7/empty.txt: the file is empty" in sentences(page)
    assert len(fetch_document(shared.store(), "E7").parts) == 2


def test_a_text_file_is_an_encounter_of_one_note(page: AppTest, shared: Workplace) -> None:
    upload(page, ("2026-03-01 consultation.txt", SUMMARY.encode()))
    assert "2026-03-01 consultation" in titles(shared)
    (part,) = fetch_document(shared.store(), "2026-03-01 consultation").parts
    assert (part.kind, part.date, part.text) == ("Consultation", date(2026, 3, 1), SUMMARY.strip())


def test_the_examples_are_encounters_of_several_notes(page: AppTest) -> None:
    shown = [button.key for button in page.button if (button.key or "").startswith("example-")]
    assert shown == ["example-broken-hip", "example-heart-failure", "example-pneumonia"]
    click(page, "example-heart-failure")
    reader = data(page, "reader")
    assert [part["name"] for part in reader["parts"]] == [
        "Admission note, 14 September 2031",
        "Discharge summary, 21 September 2031",
    ]
    assert [one["title"] for one in reader["parts"][1]["sections"]][:2] == [
        "Admission Date",
        "Discharge Date",
    ]


def test_the_desk_speaks_of_codes(page: AppTest, shared: Workplace) -> None:
    click(page, "example-heart-failure")
    reading = shared.service.reading(opened(page) or "")
    assert reading is not None
    assert reading.finished.wait(60)
    words = data(run(page), "tree")["empty"]
    assert words == "No suggestions. Codes can be added with the search above."


def test_every_example_has_known_codes_and_is_plainly_invented() -> None:
    codes = json.loads((ENCOUNTERS / CODES).read_text("utf-8"))
    assert len(codes) == 3
    for example in examples(clinical=True):
        document = example.document()
        assert len(document.parts) in (2, 3)
        assert all(part.date and part.kind != "Note" for part in document.parts)
        assert all("INVENTED PATIENT" in part.text for part in document.parts)
        assert codes[example.path.name]["icd10cm"]
        assert codes[example.path.name]["icd9cm"]


def test_acts_have_examples_of_their_own() -> None:
    assert all(example.path.suffix == ".txt" for example in examples())

"""The Start page of coders: the form of an encounter, files and batches of encounters, examples."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.clinical.encounters import guessed_class
from core.clinical.stay import NO_STAY, Identifier, Stay
from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.documents import fetch_document, read_stay, set_stay
from core.review.store.people import HIDE_TITLES, set_preference
from core.serving.models import LOADING
from core.serving.project import ServedProject
from core.serving.session import Session
from pages.adding.start import CODES, ENCOUNTER_EXAMPLES, examples
from pages.adding.stay_form import next_class
from tests.support.app_adding import finish_import, sentences, titles, upload
from tests.support.app_pages import (
    click,
    data,
    errors,
    fresh_page,
    opened,
    run,
    title_field,
)
from tests.support.encounters import ROW, SUMMARY, jsonl
from tests.support.files.office_files import zip_file


def by_title(shared: Session, title: str) -> Document:
    """Return the encounter of this title, whose id says nothing of it."""
    listed = list_documents(shared.server.store(), shared.project_id())
    (found,) = (line.document_id for line in listed if line.title == title)
    assert title not in found
    return fetch_document(shared.server.store(), found)


def test_the_form_offers_a_note_and_more_of_them(clinical_page: AppTest) -> None:
    assert [area.key for area in clinical_page.text_area] == ["note_text_0"]
    click(clinical_page, "note_add")
    click(clinical_page, "note_add")
    click(clinical_page, "note_remove_1")
    assert [area.key for area in clinical_page.text_area] == ["note_text_0", "note_text_2"]


def test_no_percentage_is_shown_before_the_model_can_say_whether_it_holds(
    clinical_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    click(clinical_page, "example-broken-hip")
    assert data(clinical_page, "tree")["unrated"] is False
    with monkeypatch.context() as starting:  # a server that was started again
        starting.setattr(ServedProject, "state", LOADING)
        (progress,) = run(clinical_page).get("progress")
        assert progress.proto.text.startswith("Loading the model")
        assert data(clinical_page, "tree")["unrated"] is True
    assert not run(clinical_page).get("progress")
    assert data(clinical_page, "tree")["unrated"] is False


def test_notes_of_the_form_become_the_parts_of_an_encounter(
    clinical_page: AppTest, clinical: Session
) -> None:
    click(clinical_page, "note_add")
    title_field(clinical_page).set_value("Stay 12")
    clinical_page.selectbox(key="note_kind_0").set_value("Admission note")
    clinical_page.date_input(key="note_date_0").set_value(date(2026, 3, 1))
    clinical_page.text_area(key="note_text_0").set_value(SUMMARY)
    clinical_page.text_area(key="note_text_1").set_value("Impression: clear.")
    click(clinical_page, "suggest")
    document = fetch_document(clinical.server.store(), opened(clinical_page) or "")
    assert document.title == "Stay 12"
    assert [(part.kind, part.date) for part in document.parts] == [
        ("Admission note", date(2026, 3, 1)),
        ("Note", None),
    ]
    assert sum(len(part.headings) for part in document.parts) == 3
    click(clinical_page, "new")
    assert [area.value for area in clinical_page.text_area] == [""]


def test_the_stay_comes_from_the_form_and_is_changed_on_the_encounter(
    clinical_page: AppTest, clinical: Session
) -> None:
    title_field(clinical_page).set_value("Stay 13")
    clinical_page.text_area(key="note_text_0").set_value(SUMMARY)
    prefix = "new_stay__0"
    clinical_page.date_input(key=f"{prefix}admitted").set_value(date(2026, 3, 8))
    clinical_page.date_input(key=f"{prefix}discharged").set_value(date(2026, 3, 1))
    click(clinical_page, "suggest")
    (said,) = errors(clinical_page)
    assert said.endswith("is before the admission (2026-03-08); mend one of them.")
    clinical_page.date_input(key=f"{prefix}discharged").set_value(date(2026, 3, 9))
    clinical_page.number_input(key=f"{prefix}age").set_value(72)
    clinical_page.selectbox(key=f"{prefix}sex").set_value("female")
    click(clinical_page, "suggest")
    document_id = opened(clinical_page) or ""
    stay = Stay(date(2026, 3, 8), date(2026, 3, 9), 72, "female")
    assert fetch_document(clinical.server.store(), document_id).stay == stay
    clinical_page.number_input(key=f"stay_0_{document_id}_age").set_value(71)
    click(clinical_page, "stay_save")
    assert read_stay(clinical.server.store(), document_id).age_years == 71
    click(clinical_page, "stay_undo")
    assert read_stay(clinical.server.store(), document_id) == stay
    for name in ("inpatient", "observation", "emergency"):
        click(clinical_page, "stay_class")
        assert read_stay(clinical.server.store(), document_id).encounter_class == name
    round_now = clinical_page.session_state["stay_round"]
    clinical_page.text_input(key=f"stay_{round_now}_{document_id}_encounter").set_value(" A-17 ")
    click(clinical_page, "stay_save")
    assert read_stay(clinical.server.store(), document_id).encounter == Identifier("A-17")
    click(clinical_page, "new")
    assert clinical_page.number_input(key="new_stay__1age").value is None


def stay_field(page: AppTest, document_id: str, name: str) -> Any:
    """A field of the stay as the page has it now: numbers and texts, of which no two share a key."""
    key = f"stay_{page.session_state['stay_round']}_{document_id}_{name}"
    (field,) = (one for one in (*page.number_input, *page.text_input) if one.key == key)
    return field


def colleagues(document_id: str) -> AppTest:
    """Another page of the document, on which somebody has saved an age and a number."""
    other = fresh_page(document_id)
    other.number_input(key=f"stay_0_{document_id}_age").set_value(72)
    other.text_input(key=f"stay_0_{document_id}_encounter").set_value("A-17")
    return click(other, "stay_save")


def test_a_stay_that_somebody_changed_meanwhile_is_not_overwritten(
    clinical_page: AppTest, clinical: Session, broken_hip: str
) -> None:
    store, shown = clinical.server.store(), "stay_0_{0}_{1}".format
    set_stay(store, broken_hip, NO_STAY, former=read_stay(store, broken_hip))
    run(clinical_page)
    for name, value in {"patient": "P-1", "encounter": "B-2"}.items():
        clinical_page.text_input(key=shown(broken_hip, name)).set_value(value)
    theirs = Stay(age_years=72, encounter=Identifier("A-17"))
    colleagues(broken_hip)
    assert read_stay(store, broken_hip) == theirs
    click(clinical_page, "stay_save")
    assert read_stay(store, broken_hip) == theirs
    (said,) = errors(clinical_page)
    assert said.startswith("Somebody has changed the stay since it was shown here; look at it, and")
    assert "Still in the fields, not yet saved: Patient number." in said
    assert "both of you changed it: Encounter number (you typed B-2)." in said
    fields = [stay_field(clinical_page, broken_hip, name) for name in ("age", "encounter")]
    assert [field.value for field in fields] == [72, "A-17"]
    assert stay_field(clinical_page, broken_hip, "patient").value == "P-1"
    click(clinical_page, "stay_save")
    assert read_stay(store, broken_hip) == replace(theirs, patient=Identifier("P-1"))


def test_undo_takes_back_what_was_saved_here_alone(
    clinical_page: AppTest, clinical: Session, broken_hip: str
) -> None:
    store = clinical.server.store()
    click(clinical_page, "stay_class")
    colleagues(broken_hip)
    theirs = read_stay(store, broken_hip)
    assert theirs.age_years == 72
    click(clinical_page, "stay_undo")
    assert read_stay(store, broken_hip) == theirs
    assert errors(clinical_page)[0].startswith("Somebody has changed the stay")
    assert "stay_undo" not in [button.key for button in clinical_page.button]


def test_the_button_of_the_class_replaces_the_class_alone(
    clinical_page: AppTest, clinical: Session, broken_hip: str
) -> None:
    store = clinical.server.store()
    other = colleagues(broken_hip)
    theirs = read_stay(store, broken_hip)
    click(clinical_page, "stay_class")
    first = next_class(guessed_class(fetch_document(store, broken_hip)).name)
    assert read_stay(store, broken_hip) == replace(theirs, encounter_class=first)
    click(run(other), "stay_class")
    chosen = read_stay(store, broken_hip).encounter_class
    assert chosen == next_class(first)
    click(clinical_page, "stay_class")  # what the other one has chosen, pressed for here as well
    assert not errors(clinical_page)
    click(other, "stay_class")
    chosen = read_stay(store, broken_hip).encounter_class
    click(other, "stay_class")
    click(clinical_page, "stay_class")
    assert read_stay(store, broken_hip).encounter_class == next_class(chosen)
    assert errors(clinical_page)[0].startswith("Somebody has changed the class")


def test_an_empty_form_gets_a_sentence(clinical_page: AppTest) -> None:
    click(clinical_page, "suggest")
    assert errors(clinical_page) == ["There is nothing to read yet: write a note, or give a title."]


def test_json_lines_of_encounters_come_in(clinical_page: AppTest, clinical: Session) -> None:
    upload(clinical_page, ("stays.jsonl", jsonl(ROW, {"id": "E2", "notes": [{"kind": "x"}]})))
    assert "Each row is an encounter" in sentences(clinical_page)
    click(clinical_page, "batch_add")
    finish_import(clinical_page)
    assert "note 1 has no text" in sentences(clinical_page)
    assert len(fetch_document(clinical.server.store(), "E1").parts) == 2


BAD_ROW = {"id": "E9", "notes": [{"kind": "Ward round"}]}


def test_rows_that_cannot_be_read_are_told_before_and_after(clinical_page: AppTest) -> None:
    for _ in range(2):
        upload(clinical_page, ("bad.jsonl", jsonl(ROW, BAD_ROW)))
        assert "bad.jsonl: 2 encounters, one in each row" in clinical_page.subheader[0].value
        assert "Of the first 2 rows, 1 cannot be read. line 2: note 1 has no text" in sentences(
            clinical_page
        )
        assert clinical_page.dataframe[0].value["notes"].tolist()[1] == "Ward round"
        assert "batch_text" not in [one.key for one in clinical_page.selectbox]
        click(clinical_page, "batch_add")
        finish_import(clinical_page)
        listed = next(one for one in clinical_page.expander if one.label.startswith("What could"))
        click(clinical_page, "batch_done")
    assert listed.proto.expanded  # the second time, nothing was added


def test_a_file_without_a_row_that_can_be_read_is_not_added(clinical_page: AppTest) -> None:
    upload(clinical_page, ("bad.jsonl", jsonl(BAD_ROW, BAD_ROW)))
    (told,) = clinical_page.warning
    assert told.value.startswith("Nothing can be added: 2 rows, and none can be read. line 1: note")
    assert "Each row needs `notes`, a list such as" in told.value
    assert clinical_page.button(key="batch_add").label == "Add 2 encounters"
    assert clinical_page.button(key="batch_add").disabled


def test_texts_of_a_flat_zip_are_the_notes_of_one_encounter_where_that_is_said(
    clinical_page: AppTest, clinical: Session
) -> None:
    files = {"2026-03-04 Discharge summary.txt": SUMMARY, "2026-03-01 Consultation.txt": "Plan."}
    upload(clinical_page, ("Ward 7.zip", zip_file(files)))
    assert clinical_page.button(key="batch_add").label == "Add 2 encounters"
    run(clinical_page.checkbox(key="batch_together").check())
    assert clinical_page.button(key="batch_add").label == "Add 1 encounter"
    click(clinical_page, "batch_add")
    finish_import(clinical_page)
    parts = by_title(clinical, "Ward 7").parts
    assert [part.kind for part in parts] == ["Consultation", "Discharge summary"]
    click(clinical_page, "batch_done")
    upload(clinical_page, ("stays.zip", zip_file({"E7/a.txt": SUMMARY, "E8/b.txt": "Plan: rest."})))
    assert "batch_together" not in [one.key for one in clinical_page.checkbox]


def test_a_zip_of_folders_comes_in_as_encounters(clinical_page: AppTest, clinical: Session) -> None:
    files = {"E7/discharge.txt": SUMMARY, "E7/radiology.txt": "Impression: clear."}
    files |= {"E7/empty.txt": "", "E8/consultation.txt": "Plan: rest."}
    upload(clinical_page, ("stays.zip", zip_file(files)))
    assert "2 encounters to be added" in sentences(clinical_page)
    click(clinical_page, "batch_add")
    finish_import(clinical_page)
    assert "E7/empty.txt: the file is empty" in sentences(clinical_page)
    assert len(by_title(clinical, "E7").parts) == 2


def test_a_text_file_is_an_encounter_of_one_note(clinical_page: AppTest, clinical: Session) -> None:
    upload(clinical_page, ("2026-03-01 consultation.txt", SUMMARY.encode()))
    assert "2026-03-01 consultation" in titles(clinical)
    (part,) = by_title(clinical, "2026-03-01 consultation").parts
    assert (part.kind, part.date, part.text) == ("Consultation", date(2026, 3, 1), SUMMARY.strip())


def test_the_examples_are_encounters_of_several_notes(clinical_page: AppTest) -> None:
    shown = [
        button.key for button in clinical_page.button if (button.key or "").startswith("example-")
    ]
    assert shown == ["example-broken-hip", "example-heart-failure", "example-pneumonia"]
    click(clinical_page, "example-heart-failure")
    reader = data(clinical_page, "reader")
    assert [part["name"] for part in reader["parts"]] == [
        "Admission note, 14 September 2025",
        "Discharge summary, 21 September 2025",
    ]
    assert [one["title"] for one in reader["parts"][1]["sections"]][:2] == [
        "Admission Date",
        "Discharge Date",
    ]


def test_the_desk_speaks_of_codes(clinical_page: AppTest, clinical: Session) -> None:
    click(clinical_page, "example-heart-failure")
    reading = clinical.server.queue.task(opened(clinical_page) or "")
    assert reading is not None
    assert reading.finished.wait(60)
    words = data(run(clinical_page), "tree")["empty"]
    assert words == "Nothing to code was found. Codes can be added with the search above."


def test_every_example_has_known_codes_and_is_plainly_invented() -> None:
    codes = json.loads((ENCOUNTER_EXAMPLES / CODES).read_text("utf-8"))
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


def test_lists_show_no_titles_where_that_is_set(clinical_page: AppTest, clinical: Session) -> None:
    click(clinical_page, "example-pneumonia")
    assert "Pneumonia" in data(clinical_page, "documents")["documents"][0]["title"]
    set_preference(clinical.server.store(), clinical.person_id(), HIDE_TITLES, True)
    listed = data(run(clinical_page), "documents")["documents"]
    assert {one["title"] for one in listed} == {f"Document {one['id']}" for one in listed}
    assert "Pneumonia" in data(clinical_page, "reader")["title"]

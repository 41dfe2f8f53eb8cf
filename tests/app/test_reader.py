"""What the reader is told of a document's parts and headings."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from core.documents.document import Document, Heading, Part
from pages.components.reader import MAX_SHOWN_CHARACTERS, outlined

BODY = Part("𐍈 first\n\nArticle 1\n\nText", headings=(Heading(9, 18, 4),))
ANNEX = Part("ANNEX  II\n\nTable", kind="annex", title="Annex II", headings=(Heading(0, 9, 1),))
NOTE = Part("Seen today.", kind="note", title="Discharge note")


def test_offsets_are_code_points_into_the_whole_text() -> None:
    document = Document("d", "", (BODY, ANNEX, NOTE))
    found = list(outlined(document.parts))
    headings = [(start, end) for part in found for start, end, _ in part["headings"]]
    assert [document.text[start:end] for start, end in headings] == ["Article 1", "ANNEX  II"]
    assert [document.text[part["start"] :][:3] for part in found] == ["𐍈 f", "ANN", "See"]


def test_a_part_is_named_where_its_text_does_not_name_it() -> None:
    assert [part["title"] for part in outlined((BODY, ANNEX, NOTE))] == ["", "", "Discharge note"]


def test_what_is_not_shown_has_no_headings() -> None:
    long = Part("x" * MAX_SHOWN_CHARACTERS, headings=(Heading(0, 1, 1),))
    found = list(outlined((long, ANNEX)))
    assert len(found) == 1
    assert found[0]["headings"] == [[0, 1, 1]]


def test_a_clinical_note_is_called_by_its_kind_and_has_sections() -> None:
    note = Part("ok\n\nAllergies: nuts\nSex: M", kind="consultation", date=date(2026, 3, 1))
    document = Document("d", "", (Part("x"), note))
    found = list(outlined(document.parts, clinical=True))[1]
    assert found["title"] == found["name"] == "Consultation, 1 March 2026"
    assert [(one["title"], one["kind"]) for one in found["sections"]] == [
        ("Allergies", "allergies"),
        ("Sex", "administrative"),
    ]
    first = found["sections"][0]
    assert document.text[first["start"] : first["end"]] == "Allergies: nuts\n"
    (heading,) = found["headings"]
    assert document.text[heading[0] : heading[1]] == "Allergies:"


def test_a_note_that_begins_with_its_kind_has_no_title_above_it() -> None:
    text = "DISCHARGE SUMMARY\n\nAllergies: nuts"
    bare = Part(text, kind="Discharge summary")
    found = list(outlined((bare, replace(bare, date=date(2026, 3, 1))), clinical=True))
    assert [note["title"] for note in found] == ["", "Discharge summary, 1 March 2026"]
    assert {note["kind"] for note in found} == {"Discharge summary"}


def test_a_document_that_is_no_encounter_has_no_sections() -> None:
    assert all("sections" not in part for part in outlined((BODY, ANNEX, NOTE)))

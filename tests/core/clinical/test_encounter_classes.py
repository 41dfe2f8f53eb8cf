"""The class of an encounter as its notes and its stay suggest it."""

from __future__ import annotations

from datetime import date

import pytest

from core.clinical.encounters import Note, encounter, guessed_class, with_class
from core.clinical.stay import Stay
from core.documents.document import Document

ONE_NIGHT = Stay(date(2026, 3, 1), date(2026, 3, 2))
FIVE_NIGHTS = Stay(date(2026, 3, 1), date(2026, 3, 6))
ONE_DAY = Stay(date(2026, 3, 1), date(2026, 3, 1))


@pytest.mark.parametrize(
    ("kind", "text", "stay", "name"),
    [
        ("Discharge summary", "Pneumonia.", None, "inpatient"),
        ("Emergency note", "Chest pain, probable reflux disease.", None, "emergency"),
        ("Emergency note", "Chest pain.", FIVE_NIGHTS, "inpatient"),
        ("Emergency note", "Chest pain, placed in observation.", ONE_NIGHT, "observation"),
        ("", "ED NOTE\nA sprained ankle.", None, "emergency"),
        ("", "Seen in the cardiology clinic for palpitations.", None, "clinic"),
        ("Clinic note", "Follow up of asthma.", None, "clinic"),
        ("Emergency department note", "A sprained ankle.", None, "emergency"),
        ("Hospital discharge", "Pneumonia.", None, "inpatient"),
        ("Operation note", "Hernia repair.", ONE_DAY, "day surgery"),
        ("Operation note", "Same-day surgery. Hernia repair.", None, "day surgery"),
        ("Operation note", "Hernia repair.", None, "day surgery"),
        ("Operation note", "Hernia repair.", ONE_NIGHT, ""),
        ("Operation note", "Bowel resection. He was admitted with peritonitis.", None, "inpatient"),
        ("Discharge summary", "Observation status throughout.", ONE_NIGHT, "observation"),
        ("", "She presented to the ED and was admitted with pneumonia.", None, "inpatient"),
        ("Radiology report", "Normal chest.", None, "clinic"),
        ("CT chest", "Normal chest.", None, "clinic"),
        ("Radiology report", "Hospital day 3. Normal chest.", None, "inpatient"),
        ("Radiology report", "Probable pneumonia.", ONE_DAY, "clinic"),
        ("Radiology report", "Hospital day 1. Normal chest.", ONE_DAY, "inpatient"),
        ("Radiology report", "Normal chest.", ONE_NIGHT, ""),
        ("Radiology report", "Normal chest.", FIVE_NIGHTS, "inpatient"),
        ("", "Cough for a week.", None, ""),
    ],
)
def test_notes_and_stay_suggest_a_class(kind: str, text: str, stay: Stay | None, name: str) -> None:
    document = encounter("e", "", [Note(text, kind)], stay=stay)
    assert guessed_class(document).name == name
    assert bool(guessed_class(document).reason) == bool(name)


def test_a_note_that_was_pasted_alone_goes_by_its_title() -> None:
    document = Document.from_text("e", "Emergency note", "Chest pain, probable reflux disease.")
    assert guessed_class(document).name == "emergency"


def test_a_report_beside_another_note_says_nothing_of_the_class() -> None:
    notes = [Note("Normal chest.", "Radiology report"), Note("Hernia repair.", "Operation note")]
    assert guessed_class(encounter("e", "", notes)) == ("", "")
    assert guessed_class(encounter("e", "", notes[:1])).reason == "radiology report alone"


def test_what_a_person_says_holds() -> None:
    document = encounter("e", "", [Note("Chest pain.", "Emergency note")])
    assert with_class(None, document).encounter_class == "emergency"
    said = Stay(encounter_class="inpatient")
    assert with_class(said, document) == said
    assert (said.is_outpatient, with_class(None, document).is_outpatient) == (False, True)

"""What the notes propose as marks of presence on admission, each with its reason."""

from __future__ import annotations

import re

import pytest

from core.clinical.coding.presence import proposals
from core.clinical.encounters import Note, encounter
from core.suggest.evidence.spans import Span
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import of_kind, told

TEXT = """Admission diagnosis: Pneumonia.
Past medical history: Asthma since childhood.
Hospital course: On hospital day 3 he developed a urinary tract infection. Bleeding after the
operation was stopped. A rash was seen. Gout was treated. Ileus, on admission, resolved on POD 6.
Delirium cleared by hospital day 4. Hypokalemia (POA). Anemia, normal on admission.
"""


@pytest.mark.parametrize(
    ("code", "words", "mark", "reason"),
    [
        ("J18.9", "Pneumonia", "Y", "listed at admission: “Admission diagnosis”"),
        ("J45.909", "Asthma", "Y", "listed at admission: “Past medical history”"),
        ("N39.0", "urinary tract infection", "N", "begins in the stay: “hospital day 3”"),
        ("K91.840", "Bleeding", "", "a complication of a procedure: the notes decide"),
        ("T81.11XA", "Bleeding", "", "a complication of care: the notes decide"),
        ("O72.1", "Bleeding", "", "a haemorrhage after delivery: the notes decide"),
        ("O70.1", "rash", "", "a tear during delivery: the notes decide"),
        ("P12.0", "rash", "", "a condition of the birth itself: the notes decide"),
        ("E11.9", "rash", "Y", "a chronic condition"),
        ("C34.11", "nowhere", "Y", "a malignant neoplasm"),
        ("R21", "rash", "", "the notes do not say when it began"),
        ("K56.7", "Ileus", "Y", "listed at admission: “on admission”"),
        ("E87.6", "Hypokalemia", "Y", "listed at admission: “POA”"),
        ("F05", "Delirium", "", "the notes do not say when it began"),
        ("D64.9", "Anemia", "", "the notes do not say when it began"),
    ],
)
def test_a_mark_is_proposed_with_its_reason(code: str, words: str, mark: str, reason: str) -> None:
    document = encounter("e", "", [Note(TEXT, "Discharge summary")])
    places = {code: [Span("text", *m.span()) for m in re.finditer(words, document.text)]}
    found = proposals(["I10", code], document, places)[code]
    assert (found.mark, found.reason) == (mark, reason)
    assert found.is_proven == reason.startswith("listed")


@pytest.mark.parametrize(
    ("notes", "mark"),
    [
        (["Course complicated by Ileus\nOn arrival he was febrile."], "N"),
        (["Complications of the stay: Ileus\n\nOn admission he was febrile."], ""),
        (["Pain resolved. New Ileus", "On admission he was febrile."], ""),
        (["He had Ileus\non admission."], "Y"),
    ],
)
def test_what_begins_on_another_line_is_not_said_of_a_condition(
    notes: list[str], mark: str
) -> None:
    document = encounter("e", "", [Note(text, "Discharge summary") for text in notes])
    start = document.text.index("Ileus")
    places = {"K56.7": [Span("text", start, start + len("Ileus"))]}
    assert proposals(["I10", "K56.7"], document, places)["K56.7"].mark == mark


@pytest.mark.parametrize("kind", ["Admission note", "History and physical", "H&P", "ED note"])
def test_a_note_of_the_admission_counts_whatever_it_is_called(kind: str) -> None:
    document = encounter("e", "", [Note("Exam: aphasia.", kind), Note("Rash.", "Progress note")])
    places = {"R47.01": [Span("text", document.text.index("aphasia"), 99)]}
    assert proposals(["I10", "R47.01"], document, places)["R47.01"].mark == "Y"


def test_the_principal_diagnosis_is_the_reason_for_the_admission() -> None:
    document = encounter("e", "", [Note("Gout.", "Progress note")])
    first, second = proposals(["M10.9", "R21"], document, {}).values()
    assert (first.mark, second.mark) == ("Y", "")
    assert proposals(["K91.840"], document, {})["K91.840"].mark == ""


def test_marks_are_taken_one_by_one_or_as_the_notes_prove(tree: Hierarchy) -> None:
    codes = ("J18.9", "J45.909", "N39.0", "R21", "Z79.4")
    document = encounter("e", "", [Note(TEXT, "Discharge summary")])
    words = dict(zip(codes, ("Pneumonia", "Asthma", "urinary tract", "rash", "none"), strict=True))
    places = {
        code: [Span("text", *m.span()) for m in re.finditer(name, document.text)]
        for code, name in words.items()
    }
    found = of_kind("unmarked", told(tree, *codes, presence=proposals(codes, document, places)))
    remedies = [one.remedy and (one.remedy.words, one.remedy.present) for one in found]
    assert remedies == [
        ("Mark 2 as the notes say", {"J18.9": "Y", "J45.909": "Y"}),
        ("Mark J18.9 Y", {"J18.9": "Y"}),
        ("Mark J45.909 Y", {"J45.909": "Y"}),
        ("Mark N39.0 N", {"N39.0": "N"}),
        None,
    ]
    assert found[-1].concept_ids == ("R21",)
    assert found[3].sentence == (
        "N39.0 has no mark of presence on admission: N? begins in the stay: “hospital day 3”."
    )

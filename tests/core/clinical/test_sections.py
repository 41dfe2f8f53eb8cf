"""Sections of clinical notes, and what normalisation leaves out of them."""

import re
import time
from itertools import pairwise

import pytest

from core.clinical.kinds import (
    ALLERGIES,
    DIAGNOSES,
    EXAMINATION,
    FAMILY_HISTORY,
    HISTORY,
    HOSPITAL_COURSE,
    KINDS,
    PAST_HISTORY,
    PLAN,
    kind_named,
)
from core.clinical.sections import has_headings_alone, sections, skipped_spans

# Invented, in the manner of de-identified discharge summaries.
NOTE = """Admission Date: [**2101-3-4**]  Discharge Date: [**2101-3-9**]

Allergies:
Penicillins

HISTORY OF PRESENT ILLNESS: Mr. [**Known lastname 12**]is a man of 60 with cough.
PAST MEDICAL HISTORY
1. Heart failure
2) Diabetes
# Gout
Family History: father died of a stroke.
Physical Exam:
Lungs: clear, temperature 38.5
==========
Ward Round Notes:
Walks at 3. 4. and 5 o'clock."""


def kinds_of(text: str) -> list[tuple[str, str]]:
    return [(section.title, section.kind) for section in sections(text)]


def test_sections_are_found_with_their_kinds_in_order():
    assert kinds_of(NOTE) == [
        ("Admission Date", "administrative"),
        ("Discharge Date", "administrative"),
        ("Allergies", "allergies"),
        ("HISTORY OF PRESENT ILLNESS", "history"),
        ("PAST MEDICAL HISTORY", "past history"),
        ("Family History", "family history"),
        ("Physical Exam", "examination"),
        ("Ward Round Notes", "other"),
    ]


def test_sections_follow_each_other_without_gaps_up_to_the_end():
    found = sections(NOTE)
    assert [section.end for section in found] == [
        *(section.start for section in found[1:]),
        len(NOTE),
    ]
    assert NOTE[found[5].body : found[5].end] == " father died of a stroke.\n"


def test_a_line_of_an_examination_is_no_header():
    assert kinds_of("Exam:\nHEENT: normal\nLungs: clear\nher medicines were:\nnone") == [
        ("Exam", "examination")
    ]


def test_short_headers_need_no_colon_and_letters_head_lines_together():
    note = "PMH  HTN, asthma\nFH father MI\nAllergy codeine\n\nHospital course\nWell. Exam normal."
    assert kinds_of(note) == [
        ("PMH", PAST_HISTORY),
        ("FH", FAMILY_HISTORY),
        ("Allergy", ALLERGIES),
        ("Hospital course", HOSPITAL_COURSE),
    ]
    letters = sections("S: coughs\nO: crackles\nA: pneumonia\nP: ceftriaxone")
    assert [letter.kind for letter in letters] == [HISTORY, EXAMINATION, DIAGNOSES, PLAN]
    assert not sections("P: 88, regular")


def test_headers_in_capitals_are_found_inside_a_paragraph():
    text = "HISTORY: cough. FINDINGS: clear lungs. IMPRESSION: no pneumonia."
    assert [kind for _, kind in kinds_of(text)] == ["history", "results", "diagnoses"]


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("Brief Hospital Course", "hospital course"),
        ("MEDICATIONS ON ADMISSION", "medications"),
        ("Past Medical History (from chart)", "past history"),
        ("Social history", "social history"),
        ("Follow-up", "plan"),
        ("Final impression", "diagnoses"),
        ("Problems at discharge", "diagnoses"),
        ("Her sister", None),
    ],
)
def test_names_of_sections_are_known(header, kind):
    assert kind_named(header) == kind
    assert kind in (*KINDS, None)


def read(text):
    """Return what is left of a text, with one space in place of what is skipped."""
    edges = [0, *(edge for span in skipped_spans(text) for edge in span), len(text)]
    kept = (text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return " ".join(" ".join(kept).split())


def test_normalisation_drops_placeholders_headers_list_marks_and_rules():
    assert read(NOTE) == (
        "Penicillins Mr. is a man of 60 with cough. Heart failure Diabetes Gout father died of a "
        "stroke. Lungs: clear, temperature 38.5 Walks at 3. 4. and 5 o'clock."
    )


def test_skipped_spans_are_in_order_and_apart():
    spans = skipped_spans(NOTE)
    assert all(start < end for start, end in spans)
    assert all(first[1] < second[0] for first, second in pairwise(spans))


@pytest.mark.parametrize("text", ["", "   \n", "[**x**]", "Allergies:"])
def test_nothing_may_be_left(text):
    assert read(text) == ""


def test_a_text_without_anything_clinical_stays_as_it_is_but_for_white_space():
    text = "The Council  has adopted\nthis Regulation on 3 May."
    assert read(text) == re.sub(r"\s+", " ", text)


def test_a_long_text_of_short_lines_takes_no_time():
    text = "Aa\n" * 20_000 + "[**" * 20_000 + "X" * 50_000 + " " * 50_000 + "." * 50_000
    started = time.process_time()
    read(text)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("HOSPITAL COURSE:\n\nMEDICATIONS:\n1.\n- \nALLERGIES: ___\n", True),
        ("DISCHARGE SUMMARY\nHOSPITAL COURSE:\nMEDICATIONS:", True),
        ("DISCHARGE SUMMARY\nHOSPITAL COURSE:\nWell.\nMEDICATIONS:", False),
        ("seen today\nHOSPITAL COURSE:\nMEDICATIONS:", False),
        ("HOSPITAL COURSE: well", False),
        ("Discharge Summary", False),
        ("", False),
    ],
)
def test_a_template_has_headings_alone(text: str, is_so: bool) -> None:
    assert has_headings_alone(text) is is_so

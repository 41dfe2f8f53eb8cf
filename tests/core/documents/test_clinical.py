"""Sections of clinical notes, and what normalisation leaves out of them."""

import re
import time
from itertools import pairwise

import pytest

from core.documents.clinical.section_names import KINDS, kind_named
from core.documents.clinical.sections import normalised, section_at, sections, skipped_spans

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
    return [(one.title, one.kind) for one in sections(text)]


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
    assert [one.end for one in found] == [*(one.start for one in found[1:]), len(NOTE)]
    assert NOTE[found[5].body : found[5].end] == " father died of a stroke.\n"


def test_a_place_is_in_the_section_that_holds_it():
    found = sections("no header here\nAllergies: nuts\nPlan: none")
    assert section_at(found, 3) is None
    assert section_at(found, 30).kind == "allergies"
    assert section_at(found, 40).kind == "plan"


def test_a_line_of_an_examination_is_no_header():
    assert kinds_of("Exam:\nHEENT: normal\nLungs: clear\nher medicines were:\nnone") == [
        ("Exam", "examination")
    ]


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
        ("Her sister", None),
    ],
)
def test_names_of_sections_are_known(header, kind):
    assert kind_named(header) == kind
    assert kind in (*KINDS, None)


def test_normalisation_drops_placeholders_headers_list_marks_and_rules():
    assert normalised(NOTE).text == (
        "Penicillins Mr. is a man of 60 with cough. Heart failure Diabetes Gout father died of a "
        "stroke. Lungs: clear, temperature 38.5 Walks at 3. 4. and 5 o'clock."
    )


def test_every_character_that_stays_has_its_place_in_the_original():
    text, offsets = normalised(NOTE)
    assert len(offsets) == len(text) + 1
    assert offsets[-1] == len(NOTE)
    assert list(offsets) == sorted(set(offsets))
    assert all(NOTE[at] == one for one, at in zip(text, offsets, strict=False) if one != " ")


def test_sections_of_some_kinds_can_be_left_out_as_a_whole():
    text = normalised(NOTE, ["family history", "allergies"]).text
    assert "stroke" not in text
    assert "Penicillins" not in text
    assert "Gout" in text


def test_skipped_spans_are_in_order_and_apart():
    spans = skipped_spans(NOTE)
    assert all(start < end for start, end in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize("text", ["", "   \n", "[**x**]", "Allergies:"])
def test_nothing_may_be_left(text):
    assert normalised(text) == ("", (len(text),))


def test_a_text_without_anything_clinical_stays_as_it_is_but_for_white_space():
    text = "The Council  has adopted\nthis Regulation on 3 May."
    assert normalised(text).text == re.sub(r"\s+", " ", text)


def test_a_long_text_of_short_lines_takes_no_time():
    text = "Aa\n" * 20_000 + "[**" * 20_000 + "X" * 50_000 + " " * 50_000 + "." * 50_000
    started = time.process_time()
    normalised(text)
    assert time.process_time() - started < 3

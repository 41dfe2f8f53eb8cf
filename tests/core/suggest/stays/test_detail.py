"""More specific codes by the words beside names."""

from __future__ import annotations

import pytest

from core.suggest.names.clinical_words import key_of
from core.suggest.stays.detail import detail, stated
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "named", "code"),
    [
        ("XR left wrist: Colles fracture, angulated.", {"S52539A": "Colles fracture"}, "S52.532A"),
        ("Nuclear cataract OD.", {"H2510": "Nuclear cataract"}, "H25.11"),
        (
            "Open-angle glaucoma of both eyes, mild stage",
            {"H401190": "Open-angle glaucoma"},
            "H40.1131",
        ),
        ("Stage 2 ulcer of the left buttock", {"L89309": "ulcer"}, "L89.322"),
        ("L hemiplegia since the stroke", {"G8190": "hemiplegia"}, "G81.94"),
        ("Cellulitis of the left foot", {"L0390": "Cellulitis"}, "L03.116"),
        ("R hand cellulitis", {"L0390": "cellulitis"}, "L03.113"),
        ("Cellulitis of LLE", {"L0390": "Cellulitis"}, "L03.116"),
        ("Grade 2 pressure ulcer of the sacrum", {"L89159": "pressure ulcer"}, "L89.152"),
        ("Pressure sore of left heel, category III", {"L89609": "Pressure sore"}, "L89.623"),
        ("Partial thickness burn of the R hand", {"T23009A": "burn"}, "T23.201A"),
        # Of another ligament the note says nothing.
        ("Right ankle sprain", {"S93409A": "ankle sprain"}, "S93.401A"),
        ("Sprain of the left wrist", {"S63509A": "Sprain"}, "S63.502A"),
        ("A left-handed man with left hemiplegia", {"G8190": "hemiplegia"}, "G81.92"),
    ],
)
def test_what_stands_beside_a_name_makes_it_specific(
    note: MakesNote, text: str, named: dict[str, str], code: str
) -> None:
    (found,) = detail(note(text, **named))
    assert found.code == code and len(found.replaced) == 1


def test_two_names_of_a_category_are_one_code(note: MakesNote) -> None:
    text = "Moderate persistent asthma. Now in status asthmaticus."
    (found,) = detail(note(text, J4540="Moderate persistent asthma", J45902="status asthmaticus"))
    assert found.code == "J45.42" and set(found.replaced) == {"J45.40", "J45.902"}


@pytest.mark.parametrize(
    "text",
    [
        "Colles fracture.",
        "Colles fracture. Left hip pain.",
        "Colles fracture, no left or right given",
    ],
)
def test_what_is_not_said_there_is_not_added(note: MakesNote, text: str) -> None:
    found = [one.code for one in detail(note(text, S52539A="Colles fracture"))]
    assert found in ([], ["S52.532A"]) and (not found or "no left" in text)


def test_denied_words_add_nothing(note: MakesNote) -> None:
    assert not list(detail(note("Type 2 diabetes, no neuropathy", E119="Type 2 diabetes")))
    (found,) = detail(note("Type 2 diabetes, neuropathy", E119="Type 2 diabetes"))
    assert found.code == "E11.40"


def test_the_visit_stays_the_same(note: MakesNote) -> None:
    (found,) = detail(note("Right Colles fracture", S52539D="Colles fracture"))
    assert found.code == "S52.531D"


def test_what_another_code_of_the_note_says_is_not_said_again(note: MakesNote) -> None:
    text = "Acute on chronic diastolic heart failure. Heart failure, acute diastolic."
    named = {"I5033": "Acute on chronic diastolic heart failure", "I509": "Heart failure"}
    assert not list(detail(note(text, **named)))


def test_a_number_belongs_to_the_word_before_it(note: MakesNote) -> None:
    text = "Type 2 diabetes, chronic kidney disease, stage moderate"
    assert not list(detail(note(text, N189="chronic kidney disease")))
    (found,) = detail(note("Chronic kidney disease of stage 2", N189="Chronic kidney disease"))
    assert found.code == "N18.2"


def test_the_site_of_a_first_cancer_is_none_of_its_spread(note: MakesNote) -> None:
    assert not list(detail(note("Metastatic breast cancer", C799="Metastatic")))


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "Laceration without foreign body of left hand, initial encounter",
            ["laceration", "left", "hand"],
        ),
        (
            "Horseshoe tear of retina without detachment, right eye",
            ["horseshoe", "tear", "retina", "right", "eye"],
        ),
        (
            "Displaced fracture of olecranon process without intraarticular extension of right ulna, initial"
            " encounter for closed fracture",
            ["displaced", "fracture", "olecranon", "process", "right", "ulna"],
        ),
        ("Concussion without loss of consciousness, initial encounter", ["concussion"]),
        (
            "Epilepsy, unspecified, not intractable, with status epilepticus",
            ["epilepsy", "status", "epilepticus"],
        ),
    ],
)
def test_what_is_missing_hides_no_side_and_no_site(label: str, words: list[str]) -> None:
    assert stated(label) == {key_of(word) for word in words}


def test_a_side_is_found_of_what_is_without_foreign_body(note: MakesNote) -> None:
    (found,) = detail(note("Laceration of the left hand", S61419A="Laceration of the left hand"))
    assert found.code == "S61.412A"


def test_words_of_two_mentions_are_no_one_code(note: MakesNote) -> None:
    named = {"N390": "Urinary tract infection", "N3942": "Incontinent"}
    assert not list(detail(note("Urinary tract infection. Incontinent of bowel.", **named)))
    text = "Right Colles fracture of the wrist. A torus was seen elsewhere."
    (found,) = detail(note(text, S52539A="Colles fracture"))
    assert found.code == "S52.531A"


def test_of_several_stages_the_nearest_is_that_of_an_ulcer(note: MakesNote) -> None:
    text = "Sacral ulcer stage 2, left heel ulcer stage 3"
    found = detail(note(text, L89159="Sacral ulcer", L89609="heel ulcer"))
    assert {one.code for one in found} == {"L89.152", "L89.623"}


def test_a_name_within_a_longer_one_is_no_second_condition(note: MakesNote) -> None:
    text = "PICC associated DVT R arm, apixaban"
    (found,) = detail(note(text, I82409="DVT", I82629="DVT R arm"))
    assert (found.code, found.replaced) == ("I82.621", ("I82.629",))

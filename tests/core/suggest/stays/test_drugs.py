"""What drugs did, and what was done with them."""

from __future__ import annotations

import pytest

from core.suggest.stays.drugs import categories, drugs
from core.vocabulary.concepts import Hierarchy
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "harm", "code"),
    [
        ("Neuropathy from vincristine.", {"G610": "Neuropathy"}, "T45.1X5A"),
        ("Ulcer due to NSAID. He took ibuprofen.", {"K259": "Ulcer"}, "T39.315A"),
    ],
)
def test_an_adverse_effect_has_a_condition_that_the_drug_caused(
    note: MakesNote, text: str, harm: dict[str, str], code: str
) -> None:
    assert [one.code for one in drugs(note(text, **harm))] == [code]
    assert not list(drugs(note(text)))


@pytest.mark.parametrize(
    "text",
    [
        "Pneumonia treated with levofloxacin because of his penicillin allergy.",
        "Pneumonia was treated with levofloxacin because of penicillin in the past.",
        "History of pneumonia from methotrexate.",
    ],
)
def test_no_drug_has_done_what_was_treated_or_is_over(note: MakesNote, text: str) -> None:
    word = "Pneumonia" if text.startswith("P") else "pneumonia"
    assert not list(drugs(note(text, J189=word)))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("She skipped insulin for three days.", ["T38.3X6A", "Z91.128"]),
        ("Had not filled his lisinopril, could not afford it.", ["T46.4X6A", "Z91.120"]),
        ("Overdose of sertraline with intent to die.", ["T43.222A"]),
        ("Accidental oxycodone overdose.", ["T40.2X1A"]),
        ("Intentional OD on acetaminophen and diphenhydramine.", ["T39.1X2A", "T45.0X2A"]),
        ("Fentanyl OD, accidental.", ["T40.411A"]),
        ("Prednisolone OD, acetaminophen as needed.", []),
        ("Took warfarin for years.", []),
        ("Oxycodone stopped on day two.", []),
        ("Rash not due to penicillin.", []),
    ],
)
def test_underdosing_and_poisoning(note: MakesNote, text: str, codes: list[str]) -> None:
    assert [one.code for one in drugs(note(text))] == codes


@pytest.mark.parametrize(
    ("text", "harm", "codes"),
    [
        ("Opioid-induced constipation", {"K5900": "constipation"}, ["T40.2X5A", "K59.03"]),
        ("Lithium-induced hypothyroidism", {"E039": "hypothyroidism"}, ["T43.595A", "E03.2"]),
        # A symptom that a drug has caused is its effect.
        ("Steroid-induced hyperglycemia", {"R739": "hyperglycemia"}, ["T38.0X5A", "R73.9"]),
        ("Bradycardia due to metoprolol", {"R001": "Bradycardia"}, ["T44.7X5A", "R00.1"]),
        ("Pancytopenia d/t chemo", {"D61818": "Pancytopenia"}, ["T45.1X5A", "D61.810"]),
        ("Neutropenia due to linezolid", {"D709": "Neutropenia"}, ["T36.8X5A", "D70.2"]),
        ("Rash from penicillin, constipation", {"K5900": "constipation"}, ["T36.0X5A"]),
    ],
)
def test_what_a_drug_caused_has_the_code_that_says_so(
    note: MakesNote, text: str, harm: dict[str, str], codes: list[str]
) -> None:
    found = list(drugs(note(text, **harm)))
    assert [one.code for one in found] == codes
    assert all(len(one.replaced) == (not one.code.startswith("R")) for one in found[1:])


def test_every_code_of_the_table_exists(tree: Hierarchy) -> None:
    for begin in set(categories().values()):
        assert f"{begin}1A" in tree and tree[f"{begin}1A"].assignable

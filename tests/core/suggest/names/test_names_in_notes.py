"""Names by which notes and queries call codes, beside those of the code system."""

from __future__ import annotations

import pytest

from core.suggest.names.matcher import LexicalMatcher
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.everyday import EverydayNames

CLABSI = "Central line-associated bloodstream infection (CLABSI)"
# code, label, broader code, inclusion term
CODES = (
    ("B95.61", "Methicillin susceptible Staphylococcus aureus infection", "", ""),
    ("B95.62", "Methicillin resistant Staphylococcus aureus infection", "", ""),
    ("F10.230", "Alcohol dependence with withdrawal, uncomplicated", "", ""),
    ("F10.239", "Alcohol dependence with withdrawal, unspecified", "", ""),
    ("I21.4", "Non-ST elevation (NSTEMI) myocardial infarction", "", ""),
    ("I21.A1", "Myocardial infarction type 2", "", ""),
    ("N17.9", "Acute kidney failure, unspecified", "", ""),
    ("N18.9", "Chronic kidney disease, unspecified", "", ""),
    ("R56.9", "Unspecified convulsions", "", ""),
    ("R78.81", "Bacteremia", "", ""),
    ("S72.00", "Fracture of unspecified part of neck of femur", "", "Hip break"),
    ("S72.009A", "Fracture of neck of femur, initial encounter", "S72.00", ""),
    ("S72.009D", "Fracture of neck of femur, subsequent encounter", "S72.00", ""),
    ("T80.211", "Bloodstream infection due to central venous catheter", "", CLABSI),
    ("T80.211A", "Bloodstream infection, initial encounter", "T80.211", ""),
    ("T80.211D", "Bloodstream infection, subsequent encounter", "T80.211", ""),
)


@pytest.fixture(scope="module")
def noted() -> LexicalMatcher:
    concepts = [
        Concept(code, f"urn:{code}", code, {"en": label}, {"en": (term,)} if term else {},
                broader=(broader,) if broader else (),
                assignable=code not in {above for _, _, above, _ in CODES})
        for code, label, broader, term in CODES
    ]  # fmt: skip
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("MRSA bacteremia", {"R78.81", "B95.62"}),
        ("MSSA bacteremia", {"R78.81", "B95.61"}),
        ("NSTEMI type 2", {"I21.A1"}),
        ("a type 2 NSTEMI", {"I21.A1"}),
        ("NSTEMI", {"I21.4"}),
        ("AKI on CKD", {"N17.9", "N18.9"}),
        ("etoh withdrawal seizures", {"F10.239", "R56.9"}),
        ("alcohol withdrawal", {"F10.230"}),
    ],
)
def test_one_name_may_say_two_codes(noted: LexicalMatcher, text: str, codes: set[str]) -> None:
    assert {match.concept_id for match in noted.matches(text)} == codes


def test_a_category_that_lacks_the_visit_alone_is_as_literal_as_its_code(
    noted: LexicalMatcher,
) -> None:
    (clabsi,) = noted.matches("CLABSI")
    assert (clabsi.concept_id, clabsi.lowered) == ("T80.211A", False) and clabsi.n_words > 1
    (hip,) = noted.matches("hip break")
    assert (hip.concept_id, hip.lowered) == ("S72.009A", True)


@pytest.mark.parametrize(
    ("typed", "code"),
    [("nstemi type 2", "I21.A1"), ("mrsa bacteremia", "R78.81"), ("aki on ckd", "N18.9")],
)
def test_the_search_knows_them_as_well(typed: str, code: str) -> None:
    assert code in EverydayNames.of_vocabulary("icd10cm").whole(typed, "en")

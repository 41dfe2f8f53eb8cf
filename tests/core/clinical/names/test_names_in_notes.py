"""Names by which notes and queries call codes, beside those of the code system."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.vocabulary.search.everyday import EverydayNames


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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("aortic regurgitation", "I35.1"),
        ("cryptorchidism", "Q53.9"),
        ("stenosis of the renal artery", "I70.1"),
        ("hyperopia", "H52.00"),
        ("history of tuberculosis", "Z86.11"),
        # Each of these words says little by itself.
        ("stress fracture", "M84.30XA"),
        ("acute stress disorder", "F43.0"),
    ],
)
def test_what_the_ward_says_is_found(noted: LexicalMatcher, text: str, code: str) -> None:
    assert code in {match.concept_id for match in noted.matches(text)}


@pytest.mark.parametrize("text", ["under stress", "a fracture", "twin", "allergy"])
def test_a_single_word_that_says_little_is_not(noted: LexicalMatcher, text: str) -> None:
    assert not noted.matches(text)


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

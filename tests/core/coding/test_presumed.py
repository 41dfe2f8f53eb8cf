"""Hypertension with a disease of the heart or the kidneys is one code."""

from __future__ import annotations

import pytest

from core.coding.findings import DocumentCode
from core.coding.validity import check, presumed_combination
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import ICD10CM, conventions_of

COMBINED = ("I11.0", "I11.9", "I12.0", "I12.9", "I13.0", "I13.10", "I13.11", "I13.2")
CODES = ("I10", *COMBINED, "I50.9", "I51.7", "I51.81", "N18.30", "N18.6", "N19")


def tree(*codes: str, vocabulary_id: str = ICD10CM) -> Hierarchy:
    concepts = [Concept(code, f"urn:{code}", code, {"en": "Invented"}) for code in codes]
    return Hierarchy(concepts, vocabulary_id=vocabulary_id, version="test")


@pytest.mark.parametrize(
    ("beside", "instead"),
    [
        (["I50.9"], "I11.0"),
        (["I51.7"], "I11.9"),
        (["N18.30"], "I12.9"),
        (["N18.6"], "I12.0"),
        (["I50.9", "N18.30"], "I13.0"),
        (["I50.9", "I51.7", "N18.6"], "I13.2"),
        (["I51.7", "N18.30"], "I13.10"),
        (["I51.7", "N18.6"], "I13.11"),
    ],
)
def test_the_code_of_both_is_named(beside: list[str], instead: str) -> None:
    found = presumed_combination(["I10", *beside], tree(*CODES))
    assert found is not None
    assert (found.kind, found.severity) == ("combined", "warning")
    assert found.concept_ids == ("I10", *beside)
    assert f"{instead} stands instead of I10" in found.sentence


@pytest.mark.parametrize(
    "codes", [["I10"], ["I50.9"], ["I10", "N19"], ["I10", "I51.81"], ["I10", "I50.9", "I11.0"], []]
)
def test_nothing_is_said_where_nothing_is_presumed(codes: list[str]) -> None:
    assert presumed_combination(codes, tree(*CODES)) is None


def test_only_what_the_vocabulary_has_is_named() -> None:
    assert presumed_combination(["I10", "I50.9"], tree("I10", "I50.9")) is None
    assert presumed_combination(["I10", "I50.9"], tree(*CODES, vocabulary_id="icd9cm")) is None


def test_the_check_tells_it() -> None:
    codes = [DocumentCode(code, present="Y") for code in ("I50.9", "I10")]
    (found,) = check(codes, tree(*CODES), conventions_of(ICD10CM))
    assert (found.kind, found.concept_ids) == ("combined", ("I10", "I50.9"))

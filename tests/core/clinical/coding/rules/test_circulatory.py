"""Hypertension with a disease of the heart or the kidneys is one code."""

from __future__ import annotations

import pytest

from core.clinical.coding.rules.circulatory import combined
from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.coded import mended, of_kind, told

COMBINED = ("I11.0", "I11.9", "I12.0", "I12.9", "I13.0", "I13.10", "I13.11", "I13.2")
CODES = ("I10", *COMBINED, "I50.9", "I51.7", "I51.81", "N18.30", "N18.6", "N19")


def invented(*codes: str, vocabulary_id: str = ICD10CM) -> Hierarchy:
    concepts = [Concept(code, f"urn:{code}", code, {"en": "Invented"}) for code in codes]
    return Hierarchy(concepts, vocabulary_id=vocabulary_id, version="test")


@pytest.mark.parametrize(
    ("stated", "diseases", "instead"),
    [
        (["I10"], ["I50.9"], "I11.0"),
        (["I10"], ["I51.7"], "I11.9"),
        (["I10"], ["N18.30"], "I12.9"),
        (["I10"], ["N18.6"], "I12.0"),
        (["I10"], ["I50.9", "N18.30"], "I13.0"),
        (["I10"], ["I50.9", "I51.7", "N18.6"], "I13.2"),
        (["I10"], ["I51.7", "N18.30"], "I13.10"),
        (["I10"], ["I51.7", "N18.6"], "I13.11"),
        (["I11.0"], ["N18.4"], "I13.0"),
        (["I11.9"], ["N18.6"], "I13.11"),
        (["I12.9"], ["I50.32"], "I13.0"),
        (["I12.0"], ["I50.32"], "I13.2"),
        (["I12.9"], ["N18.5"], "I12.0"),
        (["I11.0", "I12.9"], [], "I13.0"),
        (["I10", "I12.9"], ["N18.4"], "I12.9"),
        (["I13.0"], ["N18.4", "I50.9"], "I13.0"),
        (["I10"], [], "I10"),
        ([], ["N18.4"], ""),
    ],
)
def test_there_is_one_code_of_all(stated: list[str], diseases: list[str], instead: str) -> None:
    assert combined(stated, diseases) == instead


def test_what_says_less_is_replaced_in_front_of_what_follows_it(tree: Hierarchy) -> None:
    codes = ["J18.9", "N18.4", "I10", "I50.33"]
    (found,) = of_kind("combined", told(tree, *(f"{code}:Y" for code in codes)))
    assert (found.severity, found.source) == ("warning", "Guidelines I.C.9.a")
    assert found.concept_ids == ("I10", "N18.4", "I50.33")
    assert "I13.0 stands instead of I10" in found.sentence
    assert found.remedy is not None
    assert found.remedy.words == "Replace I10 by I13.0"
    assert found.remedy.present == {"I13.0": "Y"}
    after = mended(tree, found, codes)
    assert after == ["J18.9", "I13.0", "N18.4", "I50.33"]
    assert of_kind("combined", told(tree, *after)) == []


@pytest.mark.parametrize(
    "codes", [["I10"], ["I50.9"], ["I10", "N19"], ["I10", "I51.81"], ["I13.0", "I50.9", "N18.30"]]
)
def test_nothing_is_said_where_nothing_is_presumed(codes: list[str]) -> None:
    assert of_kind("combined", told(invented(*CODES), *codes)) == []


def test_only_what_the_vocabulary_has_is_named() -> None:
    assert of_kind("combined", told(invented("I10", "I50.9"), "I10", "I50.9")) == []
    assert told(invented(*CODES, vocabulary_id="icd10pcs"), "I10", "I50.9") != []

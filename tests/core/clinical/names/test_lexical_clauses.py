"""Names in lists: of two diseases side by side each is named, and no third one made of both."""

from __future__ import annotations

import random
import time

import pytest

from core.clinical.names.clinical_words import words_of
from core.clinical.names.matcher import STRETCH, LexicalMatcher
from core.vocabulary.concepts import Concept, Hierarchy


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("hypertension, COPD", "I10 J44.9"),
        ("hypertension/COPD", "I10 J44.9"),
        ("PMH: hypertension, COPD, CAD, CHF.", "I10 J44.9 I25.10 I50.9"),
        ("HTN, CHF", "I10 I50.9"),
        ("Chest pain, shortness of breath", "R07.9 R06.02"),
        ("asthma, CAD", "J45.909 I25.10"),
        ("knee pain, left hip fracture", "M25.569 S72.00"),
        ("left hip fracture and knee pain", "S72.00 M25.569"),
        ("hypertension and pulmonary edema", "I10 J81.1"),
        ("asthma; heart failure; kidney failure", "J45.909 I50.9 N19"),
        ("Heart failure. Kidney failure.", "I50.9 N19"),
        ("heart failure, kidney failure", "I50.9 N19"),
        # Over a comma only what takes the clause to its end; the parts are in it.
        ("knee pain, left", "M25.562"),
        ("nausea and vomiting for two days", "R11.2"),
        ("pain in the right and left knee", "M25.561 M25.562"),
        # An organ before what it does is no part of a name behind which it stands.
        ("failure with fast heart rate", ""),
        ("failure to thrive with good kidney function", ""),
        ("hypertension with failure of the kidney", "I10 N19"),
        # An organ before what has a cause is no part of a name of the cause.
        ("pulmonary edema due to hypertension", "J81.1 I10"),
        ("pulmonary edema secondary to hypertension", "J81.1 I10"),
        ("pulmonary arterial hypertension", "I10 I27.20"),
        ("O2 sat 95% on RA", ""),
        ("PE: lungs clear", ""),
        ("PE normal", ""),
        ("PE on CT", "I26.99"),
    ],
)
def test_each_of_two_diseases_is_named(list_matcher: LexicalMatcher, text: str, named: str) -> None:
    found = [match.concept_id for match in list_matcher.matches(text)]
    assert sorted(found) == sorted(named.split())


def test_dense_text_takes_no_time() -> None:
    """Names of many words, all of them in the text and few of them together."""
    rng = random.Random(1)
    parts = [f"part{chr(97 + n // 26)}{chr(97 + n % 26)}x" for n in range(300)]
    concepts = [
        Concept(f"A{n}", f"urn:{n}", f"A{n}", {"en": " ".join(rng.sample(parts, 4))}, {})
        for n in range(3_000)
    ]
    matcher = LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="made"))
    text = " ".join(rng.choice(parts) for _ in range(2_000))
    started = time.process_time()
    matcher.matches(text)
    assert time.process_time() - started < 2


def test_names_on_both_sides_of_a_stretch_are_found(list_matcher: LexicalMatcher) -> None:
    text = "Heart failure was seen. " * STRETCH
    found = list_matcher.matches(text)
    assert len(found) == STRETCH
    assert all(text[match.start : match.end] == "Heart failure" for match in found)


def test_words_know_their_clause_and_whether_it_goes_on() -> None:
    knee, pain, left, hip = words_of("knee pain, left of hip")
    assert (knee.clause, pain.clause, left.clause) == (0, 0, 1)
    assert [match.closes for match in (knee, pain, left, hip)] == [False, True, True, True]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Knee pain with right weakness", "M25.569"),
        ("Pain in knee right", "M25.561"),
        ("Pain in knee right after a fall", "M25.561"),
        ("Knee pain w/ left weakness", "M25.569"),
        ("Pain in knee with right predominance of it", "M25.569"),
        ("Right knee pain, left weakness", "M25.561"),
    ],
)
def test_a_side_before_other_words_is_theirs(
    list_matcher: LexicalMatcher, text: str, named: str
) -> None:
    assert [match.concept_id for match in list_matcher.matches(text)] == [named]

"""What is over where a note tells of it as history, and the code of having had it."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.names.mentions import named_in
from core.suggest.names.past_conditions import PastConditions
from core.vocabulary.concepts import Concept, Hierarchy

# code, label, broader code
ROWS = (
    ("II", "Neoplasms (C00-D49)", ""),
    ("C61", "Malignant neoplasm of prostate", "II"),
    ("IX", "Diseases of the circulatory system (I00-I99)", ""),
    ("I10", "Essential (primary) hypertension", "IX"),
    ("I21", "Acute myocardial infarction", "IX"),
    ("I21.3", "ST elevation (STEMI) myocardial infarction of unspecified site", "I21"),
    ("I21.9", "Acute myocardial infarction, unspecified", "I21"),
    ("I25.2", "Old myocardial infarction", "IX"),
    ("I63.9", "Cerebral infarction, unspecified", "IX"),
    ("J18.9", "Pneumonia, unspecified organism", "IX"),
    ("J42", "Unspecified chronic bronchitis", "IX"),
    ("N99.9", "Acute and chronic nephritis", "IX"),
    ("Q54.9", "Hypospadias, unspecified", "IX"),
    ("XIX", "Injury, poisoning and certain other consequences of external causes", ""),
    ("S43.0", "Dislocation of shoulder", "XIX"),
    ("XXI", "Factors influencing health status", ""),
    ("Z85.46", "Personal history of malignant neoplasm of prostate", "XXI"),
    ("Z86.73", "Personal history of transient ischemic attack (TIA), and cerebral infarction"
     " without residual deficits", "XXI"),
    ("Z87.01", "Personal history of pneumonia (recurrent)", "XXI"),
    ("Z87.19", "Personal history of other diseases of the digestive system", "XXI"),
    ("Z87.710", "Personal history of (corrected) hypospadias", "XXI"),
)  # fmt: skip


@pytest.fixture(scope="module")
def matcher() -> LexicalMatcher:
    above = {broader for _, _, broader in ROWS}
    concepts = (
        Concept(code, f"urn:{code}", code, {"en": label}, broader=(broader,) if broader else (),
                assignable=code not in above)
        for code, label, broader in ROWS
    )  # fmt: skip
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))


@pytest.fixture
def past(matcher: LexicalMatcher) -> PastConditions:
    return matcher.past


def probabilities(matcher: LexicalMatcher, text: str) -> dict[str, float]:
    document = Document.from_text("n", "", text)
    return {one.concept_id: one.probability for one in named_in(document, matcher)}


def test_the_code_of_having_had_something_is_found_by_what_it_says(past: PastConditions) -> None:
    assert past.code_of("I21.9") == past.code_of("I21.3") == "I25.2"
    assert past.code_of("I63.9") == "Z86.73"
    assert past.code_of("J18.9") == "Z87.01"
    assert past.code_of("I10") is None
    assert past.code_of("Q54.9") is None  # no more only where it was corrected


@pytest.mark.parametrize("code", ["I21.9", "I21.3", "I63.9", "J18.9", "S43.0"])
def test_what_is_acute_an_injury_or_has_such_a_code_is_over(
    past: PastConditions, code: str
) -> None:
    assert past.is_over(code, "history of")


@pytest.mark.parametrize("code", ["I10", "J42", "N99.9", "C61", "Q54.9"])
def test_what_lasts_or_may_be_under_treatment_is_not(past: PastConditions, code: str) -> None:
    assert not past.is_over(code, "history of")


@pytest.mark.parametrize("cue", ["status post", "s/p", "resolved", "has resolved"])
def test_what_may_be_of_this_stay_is_not_over(past: PastConditions, cue: str) -> None:
    assert not past.is_over("J18.9", cue)


def test_history_of_an_infarction_is_an_old_one_before_an_acute_one(
    matcher: LexicalMatcher,
) -> None:
    acute = probabilities(matcher, "He has an acute myocardial infarction.")
    assert set(acute) == {"I21.9"}
    for text in ("He has a history of acute myocardial infarction.",
                 "PAST MEDICAL HISTORY:\nAcute myocardial infarction."):  # fmt: skip
        found = probabilities(matcher, text)
        assert found["I21.9"] == pytest.approx(acute["I21.9"] / 2)
        assert acute["I21.9"] > found["I25.2"] > found["I21.9"]


def test_one_mention_that_is_affirmed_is_enough(matcher: LexicalMatcher) -> None:
    found = probabilities(matcher, "History of pneumonia. Now pneumonia of the left lung.")
    assert found["J18.9"] == probabilities(matcher, "Now pneumonia of the left lung.")["J18.9"]
    assert found["Z87.01"] < found["J18.9"]


def test_lasting_diseases_do_not_sink_in_the_past_history(matcher: LexicalMatcher) -> None:
    said = "hypertension, chronic bronchitis, malignant neoplasm of prostate"
    told = probabilities(matcher, f"PAST MEDICAL HISTORY:\n{said}.")
    assert told == probabilities(matcher, f"He has {said}.")
    assert set(told) == {"I10", "J42", "C61"}


def test_what_is_denied_has_no_code_of_having_had_it(matcher: LexicalMatcher) -> None:
    assert set(probabilities(matcher, "No history of pneumonia.")) == {"J18.9"}


def test_the_evidence_of_having_had_it_says_where_it_was_read(matcher: LexicalMatcher) -> None:
    document = Document.from_text("n", "", "History of pneumonia.")
    mentions = {one.concept_id: one.mentions[0] for one in named_in(document, matcher)}
    assert (mentions["Z87.01"].written, mentions["Z87.01"].is_had) == ("pneumonia", True)
    assert mentions["Z87.01"].match.label == "Personal history of pneumonia (recurrent)"
    assert (mentions["J18.9"].is_over, mentions["J18.9"].is_had) == (True, False)

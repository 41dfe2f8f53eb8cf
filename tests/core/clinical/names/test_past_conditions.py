"""What is over where a note tells of it as history, and the code of having had it."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.clinical.names.past_conditions import PastConditions
from core.documents.document import Document


def probabilities(matcher: LexicalMatcher, text: str) -> dict[str, float]:
    document = Document.from_text("n", "", text)
    return {named.concept_id: named.probability for named in named_in(document, matcher)}


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


@pytest.mark.parametrize(
    ("code", "lasts"), [("I10", True), ("J42", True), ("J18.9", False), ("C61", False)]
)
def test_a_disease_lasts_unless_it_ends_or_may_be_cured(
    past: PastConditions, code: str, lasts: bool
) -> None:
    assert past.lasts(code) is lasts


def test_having_had_a_thrombosis_of_a_leg_is_in_a_residual_code(past: PastConditions) -> None:
    assert past.code_of("I82.409") == "Z86.718"
    assert past.code_of("I82.509") is None  # chronic


@pytest.mark.parametrize("cue", ["status post", "s/p", "resolved", "has resolved", "Comorbidities"])
def test_what_may_be_of_this_stay_is_not_over(past: PastConditions, cue: str) -> None:
    assert not past.is_over("J18.9", cue)


def test_history_of_an_infarction_is_an_old_one_before_an_acute_one(
    history_matcher: LexicalMatcher,
) -> None:
    acute = probabilities(history_matcher, "He has an acute myocardial infarction.")
    assert set(acute) == {"I21.9"}
    for text in ("He has a history of acute myocardial infarction.",
                 "PAST MEDICAL HISTORY:\nAcute myocardial infarction."):  # fmt: skip
        found = probabilities(history_matcher, text)
        assert found["I21.9"] == pytest.approx(acute["I21.9"] / 2)
        assert acute["I21.9"] > found["I25.2"] > found["I21.9"]


def test_one_mention_that_is_affirmed_is_enough(history_matcher: LexicalMatcher) -> None:
    found = probabilities(history_matcher, "History of pneumonia. Now pneumonia of the left lung.")
    assert (
        found["J18.9"] == probabilities(history_matcher, "Now pneumonia of the left lung.")["J18.9"]
    )
    assert found["Z87.01"] < found["J18.9"]


def test_lasting_diseases_do_not_sink_in_the_past_history(history_matcher: LexicalMatcher) -> None:
    said = "hypertension, chronic bronchitis, malignant neoplasm of prostate"
    told = probabilities(history_matcher, f"PAST MEDICAL HISTORY:\n{said}.")
    assert told == probabilities(history_matcher, f"He has {said}.")
    assert set(told) == {"I10", "J42", "C61"}


def test_what_is_denied_has_no_code_of_having_had_it(history_matcher: LexicalMatcher) -> None:
    assert set(probabilities(history_matcher, "No history of pneumonia.")) == {"J18.9"}


def test_the_evidence_of_having_had_it_says_where_it_was_read(
    history_matcher: LexicalMatcher,
) -> None:
    document = Document.from_text("n", "", "History of pneumonia.")
    mentions = {
        named.concept_id: named.mentions[0] for named in named_in(document, history_matcher)
    }
    assert (mentions["Z87.01"].written, mentions["Z87.01"].is_had) == ("pneumonia", True)
    assert mentions["Z87.01"].match.label == "Personal history of pneumonia (recurrent)"
    assert (mentions["J18.9"].is_over, mentions["J18.9"].is_had) == (True, False)

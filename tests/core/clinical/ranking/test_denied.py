"""What a note denies comes last, whoever suggests it."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.clinical.ranking.denied import denied_last, denied_of, lowered, with_narrower
from core.documents.document import Document


def _denied(text: str, matcher: LexicalMatcher) -> dict[str, str]:
    return denied_of(named_in(Document.from_text("d", "", text), matcher))


def test_a_code_is_denied_where_every_mention_is(matcher: LexicalMatcher) -> None:
    assert _denied("No pneumonia.", matcher) == {"J18.9": "negated"}
    assert _denied("Mother had asthma.", matcher) == {"J45.90": "family"}
    assert _denied("Return if cough recurs.", matcher) == {"R05": "hypothetical"}
    assert _denied("No pneumonia on Monday. Pneumonia on Friday.", matcher) == {}


def test_what_is_likely_or_was_is_not_denied(matcher: LexicalMatcher) -> None:
    assert _denied("Probable pneumonia.", matcher) == {}
    assert _denied("PAST MEDICAL HISTORY:\nHypertension, asthma.", matcher) == {}


def test_what_says_all_of_a_denied_name_is_denied_with_it(matcher: LexicalMatcher) -> None:
    text = Document.from_text("d", "", "No asthma. Cough.")
    named = named_in(text, matcher)
    denied = with_narrower(denied_of(named), named, ["J45.2", "J18.0"], matcher)
    assert denied == {"J45.90": "negated", "J45.2": "negated"}


def test_a_denied_code_keeps_little_of_its_odds() -> None:
    assert lowered(0.0) == 0.0
    assert lowered(0.5) == pytest.approx(0.002, abs=1e-4)
    assert 0.05 < lowered(0.97) < 0.07
    assert lowered(0.3) < lowered(0.9)


def test_what_is_denied_stands_behind_the_least_that_is_not() -> None:
    chances = {"R05": 0.03, "I10": 0.5, "J18.9": 0.08, "A41.9": 0.06}
    found = denied_last(chances, {"J18.9", "A41.9"})
    # 0.9 of the least is 0.027; both are lowered by one factor.
    assert found == pytest.approx({**chances, "J18.9": 0.027, "A41.9": 0.02025})
    assert denied_last(chances, {"R05"}) == chances
    assert denied_last({"J18.9": 0.08}, {"J18.9"}) == {"J18.9": 0.08}

"""What names are worth, counted on a few cases by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from core.documents.document import Document
from core.metrics import mean_defined
from core.suggest.names.matcher import LexicalMatcher
from core.suggest.suggestions import Prediction
from tests.support.named_codes import named_codes
from tests.support.stores import suggesting
from tests.support.tables import unpadded
from training.corpora.corpus import LabelledDocument
from training.studies.lexical_study import (
    judge,
    lexical_page,
    ranked_by,
    right_by_assertion,
    right_by_kind,
)

ABOUT = dict.fromkeys(
    ("vocabulary", "wordings", "command", "machine", "build", "open", "megabytes"), "x"
)


def case(name: str, text: str, *codes: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text(name, "", text), codes)


CASES = [
    case("a", "Cough and pneumonia.", "R05", "gone"),
    case("b", "No cough. Dizziness.", "R05", "R42"),
    case("c", "Left knee pain.", "R52"),
]


def test_counts_by_hand() -> None:
    matcher = LexicalMatcher(named_codes())
    kinds = right_by_kind(CASES, matcher)
    assert kinds == {
        ("preferred", 1): (1, 1),  # the cough of a
        ("alternative", 1): (1, 2),  # dizziness, and pneumonia
        ("preferred", 3): (0, 1),
    }
    assert right_by_assertion(CASES, matcher) == {"affirmed": (2, 4), "negated": (1, 1)}
    judged = judge(CASES, matcher)
    assert judged.counts["all names"] == (3, 5, 5)
    assert judged.counts["neither denied nor of the family"] == (2, 4, 5)
    assert judged.n_retired == 1
    # a: the first of two is right, of two gold codes; b: both; c: none.
    assert abs(judged.mean_average_precision - (1 / 2 + 1 + 0) / 3) < 1e-9
    assert max(judged.milliseconds) < 300


class Canned:
    """Suggests what it was made with, whatever the document."""

    def __init__(self, *predictions: Prediction) -> None:
        self._predictions = predictions

    def suggest_batch(
        self, documents: Iterable[Document], *, limit: int = 50
    ) -> Iterator[Prediction]:
        for _, prediction in zip(documents, self._predictions, strict=True):
            yield prediction


def test_what_suggests_is_judged_by_the_order_of_its_codes() -> None:
    canned = Canned(suggesting("R05", "J18.9"), suggesting("R42", "R05"), suggesting("M25.562"))
    found = ranked_by(canned, CASES)  # type: ignore[arg-type]
    assert found.document_ids == ("a", "b", "c")
    # a: the first of two is right, of two gold codes; b: both; c: none.
    assert mean_defined(found.precisions()) == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_the_page_says_what_was_counted() -> None:
    matcher = LexicalMatcher(named_codes())
    page = lexical_page(
        right_by_kind(CASES, matcher),
        right_by_assertion(CASES, matcher),
        judge(CASES, matcher),
        ABOUT,
    )
    page = unpadded(page)
    assert "| all names | 5 | 0.600 | 0.600 | 0.600 |" in page
    assert "| negated | 1 | 1.00 |" in page

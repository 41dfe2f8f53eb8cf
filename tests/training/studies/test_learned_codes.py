"""What finished notes teach, judged on a few of them by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from core.documents.document import Document
from core.metrics import mean_defined
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.opening import with_names
from core.suggest.suggestions import Prediction
from tests.support.garden import note
from tests.support.named_codes import named_codes
from tests.support.stores import suggesting
from training.corpora.corpus import LabelledDocument
from training.studies import learned_codes_study
from training.studies.learned_codes_study import (
    Taught,
    learned_page,
    ranked_by,
    save_expected,
    taught,
)


def knee(number: int) -> LabelledDocument:
    text = f"Swollen joint since the fall, stairs are hard to climb, week {number}."
    return LabelledDocument(note(number, "", text), ("M25.569",))


def test_codes_that_no_name_stands_for_are_found_from_the_first_documents(tmp_path: Path) -> None:
    suggester = with_names(None, named_codes(), tmp_path, learns=True)
    assert isinstance(suggester, CorrectedSuggester)
    judged = [knee(90), LabelledDocument(note(91, "", "A cough."), ("R05",))]
    before, after = taught(suggester, [knee(n) for n in range(8)], judged)
    # The cough has a name from the beginning, the joint none.
    assert (before.n_finished, before.ndcg) == (0, 0.5)
    assert before.mean_average_precision == 0.5
    assert (after.n_finished, after.ndcg) == (8, pytest.approx(1.0))
    page = learned_page(
        [("Knees", [before, after])], command="python -m training measure learned-codes …"
    )
    assert "## Knees" in page
    assert "| 8        | 100.0  |" in page


def case(name: str, text: str, *codes: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text(name, "", text), codes)


CASES = [
    case("a", "Cough and pneumonia.", "R05", "gone"),
    case("b", "No cough. Dizziness.", "R05", "R42"),
    case("c", "Left knee pain.", "R52"),
]


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
    # a: the first of two is right, of two gold codes; b: both; c: none.
    assert mean_defined(found.precisions()) == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_no_less_is_expected_of_more_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "expected.json"
    monkeypatch.setattr(learned_codes_study, "EXPECTED_OF_CODES", written)
    cases = [taught_by(n, right) for n, right in ((0, 2.6884), (10, 2.65), (50, 2.8), (99, 3.0))]
    reports = [taught_by(n, right) for n, right in ((0, 0.8), (10, 0.9), (50, 0.85))]
    save_expected(cases, reports)
    # A number of documents that only one of the two was taught by is left out.
    assert json.loads(written.read_text("utf-8")) == [
        [0, 2.688, 0.8],
        [10, 2.688, 0.9],
        [50, 2.8, 0.9],
    ]


def taught_by(n_finished: int, right: float) -> Taught:
    return Taught(n_finished, 0.5, right, 0.5, 0.5, 0.1, 0.0, 0.0)

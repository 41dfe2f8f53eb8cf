"""What finished notes teach, judged on a few of them by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.opening import with_names
from tests.support.garden import note
from tests.support.named_codes import named_codes
from training.corpora.corpus import LabelledDocument
from training.studies.learned_codes_study import learned_page, taught


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
    page = learned_page([("Knees", [before, after])], command="python -m training learned-codes …")
    assert "## Knees" in page
    assert "| 8        | 100.0  |" in page

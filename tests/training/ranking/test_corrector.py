"""What corrects a model by decisions, fitted and judged on a small corpus."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.suggest.cold_start.finished import FinishedCandidates
from core.suggest.correction.suggester import default_corrector
from core.suggest.ranking.candidates import Suggested
from core.suggest.ranking.features import CORRECTION_FEATURES
from core.suggest.ranking.ranker import Ranker
from core.vocabulary.labels import LabelSpace
from tests.support.labelled import act, tiny_label_space
from tests.support.tables import unpadded
from training.__main__ import main
from training.ranking import corrector, fit_ranker
from training.ranking.corrector import StreamedDocument, arrivals, fresh_starts, walk
from training.studies import learning_study
from training.studies.learning_study import Period, decide, ndcg_of, study_page

SPACE: LabelSpace = tiny_label_space()


def stream_of(candidates: FinishedCandidates, n_documents: int) -> list[StreamedDocument]:
    """Return acts about fish, the last of them first, for which a model suggests wheat."""
    rows = [
        replace(act(f"x{n}", "fish", title=f"Regulation {n} on vessels"), date=f"20{40 - n}-01-01")
        for n in range(n_documents)
    ]
    position = {SPACE.concept_ids[column]: n for n, column in enumerate(columns())}
    wheat = Suggested(np.array([position["wheat"]], np.int32), np.array([0.8], np.float32))
    return arrivals(candidates, rows, [wheat] * n_documents)


def columns() -> list[int]:
    return np.flatnonzero(SPACE.assignable).tolist()


def test_documents_come_in_the_order_of_their_dates_and_teach_those_after_them(
    candidates: FinishedCandidates,
) -> None:
    stream = stream_of(candidates, 6)
    assert [arrival.row.document_id for arrival in stream] == ["x5", "x4", "x3", "x2", "x1", "x0"]
    walked = list(walk(candidates, stream, starts=[4], step=2))
    assert [number for number, *_ in walked] == [0, 1, 2, 3, 4, 5]
    assert [known.n_documents for *_, known in walked] == [0, 0, 2, 2, 0, 0]
    _, found, known = walked[3]
    fish, wheat = (SPACE.column(name) for name in ("fish", "wheat"))
    surplus = {
        columns()[position]: row[CORRECTION_FEATURES.index("surplus")]
        for position, row in zip(found.positions.tolist(), found.rows.tolist(), strict=True)
    }
    assert surplus[fish] == pytest.approx(math.log(3))
    expected = 2 * 0.5 * 0.8  # two documents, in which nobody decided on it
    assert surplus[wheat] == pytest.approx(math.log(1 / (expected + 1)), abs=1e-6)
    assert known.n_expected.sum() == pytest.approx(expected)


def test_learning_begins_anew_after_short_whiles_and_then_goes_on() -> None:
    assert fresh_starts(1_000) == []
    assert fresh_starts(1_100)[:3] == [30, 60, 90]
    assert fresh_starts(10_000)[-1] == sum(length * times for length, times in corrector.SEGMENTS)


def test_the_commands_fit_weights_and_say_what_they_bring(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(fit_ranker.TREES, "max_iter", 5)
    monkeypatch.setattr(learning_study, "FEWEST_JUDGED", 1)
    bundle = workshop / "bundle"
    data = ["--origin", f"2014={bundle}", "--data", str(workshop / "corpus")]
    assert main(["fit", "corrector", *data, "--out", str(tmp_path / "weights")]) == 0
    assert Ranker.load(tmp_path / "weights", CORRECTION_FEATURES).features == CORRECTION_FEATURES
    words = [str(bundle), *data, "--out", str(tmp_path / "study")]
    assert main(["measure", "learning", *words]) == 0
    page = (tmp_path / "study" / "README.md").read_text("utf-8")
    assert page in capsys.readouterr().out
    assert "| Period  | Documents |" in page
    assert len((tmp_path / "study" / "points.jsonl").read_text("utf-8").splitlines()) > 4


# ---------------------------------------------------------------------- judging


def test_the_gain_of_an_order_by_hand() -> None:
    assert ndcg_of([7, 8], [8, 9]) == pytest.approx(1 / math.log2(3) / (1 + 1 / math.log2(3)))
    assert ndcg_of([7, 8], [7]) == pytest.approx(1)
    assert math.isnan(ndcg_of([7], []))


def test_what_was_decided_before_is_suggested_first(candidates: FinishedCandidates) -> None:
    decided = list(decide(candidates, stream_of(candidates, 30), default_corrector()))
    assert decided[0].learned == decided[0].alone
    assert decided[0].ndcg == decided[-1].ndcg_alone == 0
    assert decided[-1].ndcg > 0.6


def test_the_page_has_periods() -> None:
    periods = [Period("titles", "2017", 9, 86.0, 80.7, 4.0, 6.0)]
    periods.append(Period("full texts", "2017", 3, 76.0, 73.0, -1.0, 6.0))
    page = unpadded(study_page(periods, command="the command"))
    assert "| 2017 | 9 | 80.7 | 86.0 | +5.3 (+4.0 to +6.0) |" in page
    assert "| 2017 | 3 | 73.0 | 76.0 | +3.0 (-1.0 to +6.0) |" in page
    assert "    the command" in page

"""Areas under the ROC curve stand beside the ranking measures, with a sentence on what they hide."""

from __future__ import annotations

import numpy as np

from training.judging.rows import ResultRow
from training.results.report import NOTE, area_table


def row(depth: int = 2, **means: float) -> ResultRow:
    sizes = {"all": 4, "titles": 4, "full_texts": 0}
    full_text = np.zeros(4, dtype=bool)
    return ResultRow({}, {"all": means}, {}, full_text, "a", depth, (2,) * depth, sizes=sizes)


MEANS = {"roc_auc@1": 0.99, "roc_auc@2": 0.98, "roc_auc_levels": 0.985, "ndcg@5": 0.5}


def test_levels_what_is_assigned_and_the_ranking_measures_stand_side_by_side() -> None:
    text = area_table({"flat": [row(**MEANS), row(**{**MEANS, "ndcg@5": 0.6})]})
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[:3]]
    assert lines[0][:4] == ["Arm", "1", "2", "Levels"]
    assert lines[2][:4] == ["flat", "99.0 ± 0.0", "98.0 ± 0.0", "98.5 ± 0.0"]
    assert lines[2][-1] == "55.0 ± 7.1"
    assert text.endswith(NOTE)


def test_rows_without_levels_have_no_such_table() -> None:
    assert area_table({"old": [row(r_precision_micro=0.7)]}) == ""
    assert area_table({"flat": [row(1, roc_auc_levels=0.9)]}) == ""

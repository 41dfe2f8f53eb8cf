"""What a model is good at and where it errs: figures from scores and from what people assigned.

Everything here is numbers and labels of the vocabulary; no text of a document is kept. NumPy and
SciPy only, so that a page can read the figures without the model. Every value that has nothing to
measure is None.

In reading order: `judged` (scores beside what people assigned), `groups`, `confusion` and
`reliability` (what is measured on them), `report` (all of it in one file), `decisions` (the same of
one's own documents).
"""

from core.insights.confusion import RELATIONS, Confusion, confusion
from core.insights.decisions import (
    DecisionStatistics,
    RankRow,
    SuggestionOutcome,
    WeekCounter,
    WeekStatistics,
    decision_statistics,
    rank_rows,
)
from core.insights.groups import DepthRow, GroupRow, by_branch, by_depth, by_frequency
from core.insights.judged import Judged
from core.insights.reliability import Bin, Curve, reliability
from core.insights.report import Insights, insights_of, load_insights

__all__ = [
    "RELATIONS",
    "Bin",
    "Confusion",
    "Curve",
    "DecisionStatistics",
    "DepthRow",
    "GroupRow",
    "Insights",
    "Judged",
    "RankRow",
    "SuggestionOutcome",
    "WeekCounter",
    "WeekStatistics",
    "by_branch",
    "by_depth",
    "by_frequency",
    "confusion",
    "decision_statistics",
    "insights_of",
    "load_insights",
    "rank_rows",
    "reliability",
]

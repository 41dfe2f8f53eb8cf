"""What a model is good at and where it errs: figures from scores and from what people assigned.

Everything here is numbers and labels of the vocabulary; no text of a document is kept. NumPy and
SciPy only, so that a page can read the figures without the model. Every value that has nothing to
measure is None.
"""

from core.insights.attention import Attended, Attention, AttentionExample, load_attention
from core.insights.confusion import RELATIONS, Confusion, confusion
from core.insights.decided import Decided, Outcome, RankRow, decided
from core.insights.depth import DepthRow, by_depth
from core.insights.groups import GroupRow, by_branch, by_frequency
from core.insights.judged import Judged
from core.insights.reliability import Bin, Curve, reliability
from core.insights.report import Insights, insights_of, load_insights

__all__ = [
    "RELATIONS",
    "Attended",
    "Attention",
    "AttentionExample",
    "Bin",
    "Confusion",
    "Curve",
    "Decided",
    "DepthRow",
    "GroupRow",
    "Insights",
    "Judged",
    "Outcome",
    "RankRow",
    "by_branch",
    "by_depth",
    "by_frequency",
    "confusion",
    "decided",
    "insights_of",
    "load_attention",
    "load_insights",
    "reliability",
]

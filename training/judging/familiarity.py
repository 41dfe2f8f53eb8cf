"""How familiar judged documents are: how often their concepts were assigned in training, and which
of their titles stood there but for numbers and dates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.insights.groups import of_frequencies
from training.corpora.corpus import LabelledDocument

Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]

FIRST = 8
"""Suggestions among which an assigned concept is looked for: about what a person sees at a glance."""

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NUMBERS_AND_DATES = re.compile(rf"\d+|\b(?:No|{_MONTHS})\b")
_WORD = re.compile(r"[^\W\d_]+")


def are_repeated(
    documents: Sequence[LabelledDocument], training: Sequence[LabelledDocument]
) -> Mask:
    """Return which documents have a title that a training document has but for numbers and dates.

    Acts that prolong or amend others repeat their titles, and are easy to index.
    """
    known = {_wording(row.document.title) for row in training}
    return np.array([_wording(row.document.title) in known for row in documents], dtype=bool)


def _wording(title: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_NUMBERS_AND_DATES.sub(" ", title).casefold()))


def found_by_frequency(
    gold: sparse.csr_matrix, scores: npt.NDArray[np.floating], n_assigned: Counts
) -> dict[str, float]:
    """Return of the assigned concepts of each frequency the share among the first suggestions.

    Args:
        gold, scores: of the same documents and concepts, (n_documents, n_concepts).
        n_assigned: training documents with each concept, (n_concepts,).
    Returns:
        "recall@8:rare" and the like; nothing for a frequency that no assigned concept has.
    """
    first = metrics.top_columns(scores, FIRST)
    rows = np.repeat(np.arange(len(first)), first.shape[1])
    chosen = sparse.csr_matrix((np.ones(first.size), (rows, first.ravel())), shape=gold.shape)
    found = np.asarray(gold.multiply(chosen).sum(axis=0)).ravel()
    wanted = np.asarray(gold.sum(axis=0)).ravel()
    shares: dict[str, float] = {}
    for name, inside in of_frequencies(n_assigned):
        if n_wanted := float(wanted[inside].sum()):
            shares[f"recall@{FIRST}:{name}"] = float(found[inside].sum()) / n_wanted
    return shares

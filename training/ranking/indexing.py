"""From training documents to what a ranker knows of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.suggest.ranking.features import READ_CHARACTERS
from core.suggest.ranking.indexed import IndexedDocuments, LabelCounts, stacked
from core.suggest.ranking.label_matcher import LabelMatcher
from core.suggest.similar import Vectorize
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument

Array = npt.NDArray[np.float32]

RECENT_YEARS = 4


def index_documents(
    documents: Sequence[LabelledDocument], label_space: LabelSpace, vector: Vectorize
) -> IndexedDocuments:
    """Return what training documents say of labels and of each other.

    Args:
        vector: of a title and a text, (1, n_terms).
    """
    gold = label_space.encode([row.assigned for row in documents], augmented=False)
    rows = [vector(row.document.title, row.document.text[:READ_CHARACTERS]) for row in documents]
    return IndexedDocuments(
        assigned=gold[:, np.flatnonzero(label_space.assignable)].tocsr(),
        vectors=stacked(rows),
        is_recent=_are_recent(documents),
        labels=_counted(documents, label_space),
    )


def _are_recent(documents: Sequence[LabelledDocument]) -> npt.NDArray[np.bool_]:
    """Return which documents are of the last years; all of them where none has a date."""
    years = np.array([int(row.date[:4]) if row.date[:4].isdecimal() else 0 for row in documents])
    return np.asarray(years > years.max(initial=0) - RECENT_YEARS)


def _counted(documents: Sequence[LabelledDocument], label_space: LabelSpace) -> LabelCounts:
    matcher = LabelMatcher(label_space)
    columns = np.flatnonzero(label_space.assignable).tolist()
    position = {label_space.concept_ids[column]: n for n, column in enumerate(columns)}
    n_concepts = len(position)
    standing = {kind: np.zeros(n_concepts, dtype=np.float32) for kind in ("title", "text")}
    right = {kind: np.zeros(n_concepts, dtype=np.float32) for kind in ("title", "text")}
    n_texts = 0
    for row in documents:
        assigned = {position[i] for i in row.assigned if i in position}
        n_texts += row.is_full_text
        for kind, text in (("title", row.document.title), ("text", row.document.text)):
            found = matcher.find(text).concepts
            alone = [concept for concept, match in found.items() if match.n_alone]
            standing[kind][alone] += 1
            right[kind][[concept for concept in alone if concept in assigned]] += 1
    return LabelCounts(
        len(documents), n_texts, standing["title"], right["title"], standing["text"], right["text"]
    )

"""Builds a ranker's index of training documents, and writes it into a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from core.model.bundle.bundle import rewrite_checksums
from core.model.bundle.manifest import MANIFEST, read_manifest, write_json
from core.model.terms import unit_rows
from core.suggest.ensemble import MeanEnsemble
from core.suggest.linear import LinearSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from core.suggest.ranking.indexed import IndexedDocuments, LabelCounts, stacked
from core.suggest.ranking.label_matcher import LabelMatcher
from core.suggest.ranking.ranker import Ranker
from core.suggest.ranking.suggester import IndexedCandidates
from core.suggest.registry import RANKED
from core.suggest.similar import READ_CHARACTERS, Vectorize
from core.vocabulary.labels import LabelSpace
from training.baselines.linear import strongest_by_row
from training.corpora.corpus import LabelledDocument

Array = npt.NDArray[np.float32]

RECENT_YEARS = 4
KEPT_TERMS = 60
"""Of a document, those that weigh most; more find hardly any other neighbours."""


def index_documents(
    documents: Sequence[LabelledDocument], label_space: LabelSpace, vector: Vectorize
) -> IndexedDocuments:
    """Return what training documents say of labels and of each other.

    Args:
        vector: of a title and a text, (1, n_terms).
    """
    years = np.array([int(row.date[:4]) if row.date[:4].isdecimal() else 0 for row in documents])
    rows = [vector(row.document.title, row.document.text[:READ_CHARACTERS]) for row in documents]
    return IndexedDocuments(
        assigned=label_space.encode_assigned([row.assigned for row in documents]),
        # A ranker is fitted on what a bundle will keep.
        vectors=unit_rows(strongest_by_row(stacked(rows), KEPT_TERMS)),
        is_recent=np.asarray(years > years.max(initial=0) - RECENT_YEARS),
        labels=_counted(documents, label_space),
    )


def _counted(documents: Sequence[LabelledDocument], label_space: LabelSpace) -> LabelCounts:
    matcher = LabelMatcher(label_space)
    n_concepts = int(label_space.assignable.sum())
    standing = {kind: np.zeros(n_concepts, dtype=np.float32) for kind in ("title", "text")}
    right = {kind: np.zeros(n_concepts, dtype=np.float32) for kind in ("title", "text")}
    n_texts = 0
    for row in documents:
        assigned = set(label_space.positions(row.assigned).tolist())
        n_texts += row.is_full_text
        for kind, text in (("title", row.document.title), ("text", row.document.text)):
            concepts = matcher.find(text).concepts
            alone = [concept for concept, match in concepts.items() if match.n_alone]
            standing[kind][alone] += 1
            right[kind][[concept for concept in alone if concept in assigned]] += 1
    return LabelCounts(
        len(documents), n_texts, standing["title"], right["title"], standing["text"], right["text"]
    )


def mean_of(folder: Path) -> MeanEnsemble:
    """Return the mean of a bundle's suggesters, also of one that has a ranker already.

    Raises:
        ConfigError: the bundle has one suggester alone.
    """
    ensemble = find_part(load_suggester(folder), MeanEnsemble)
    if ensemble is None:
        raise ConfigError(
            f"{folder} has one suggester alone: a ranker is for a guided and a linear one."
        )
    return ensemble


def finder_of(mean: MeanEnsemble, documents: Sequence[LabelledDocument]) -> IndexedCandidates:
    """Return what finds and describes candidates by what these documents say, in the terms of the
    linear suggester.
    """
    linear = find_part(mean, LinearSuggester)
    assert linear is not None
    indexed = index_documents(documents, mean.label_space, linear.vector)
    return IndexedCandidates(mean.label_space, indexed, linear.vector)


def write_ranker(folder: Path, ranker: Ranker, indexed: IndexedDocuments) -> None:
    """Write a ranker and its index into a bundle, replacing an earlier one."""
    ranker.save(folder)
    indexed.save(folder)
    manifest = read_manifest(folder)
    suggesters = [name for name in manifest["suggesters"] if name != RANKED]
    write_json(folder / MANIFEST, {**manifest, "suggesters": [*suggesters, RANKED]})
    rewrite_checksums(folder)

"""How good scores are on a split: augmented labels by level, assigned descriptors, subsets apart.

R-Precision by level judges the level heads' own scores against augmented labels (the paper's
measure), and again the coherent branch probabilities where they are given. Everything else judges
the assigned head on the descriptors that people assigned, among the assignable columns, and where
these are few, as classes (`training.judging.class_measures`). Full texts are reported apart from
titles, because titles are easier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core import metrics
from core.insights.groups import of_frequencies
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.judging.class_measures import ClassMeasures, level_areas
from training.judging.scores import Predictions, Scores

Values = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

Counted = Callable[[Mask], dict[str, float]]
"""Measures that are counted over some documents together."""

PREFIXES = {"levels": "r_precision", "branch": "branch_r_precision"}
"""Matrix of the scores -> how its R-Precision is called."""

DESCRIPTOR_METRICS: Mapping[str, Callable[[Any, Any], Values]] = {
    "ndcg@5": lambda gold, scores: metrics.ndcg_at_k(gold, scores, 5),
    "p@5": lambda gold, scores: metrics.precision_at_k(gold, scores, 5),
    "f1@5": lambda gold, scores: metrics.f1_at_k(gold, scores, 5),
    "recall@5": lambda gold, scores: metrics.recall_at_k(gold, scores, 5),
    "recall@10": lambda gold, scores: metrics.recall_at_k(gold, scores, 10),
    "r_precision_assigned": metrics.r_precision,
}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every measure of one set of scores, over all documents and by document.

    Attributes:
        values: metric -> a value a document, NaN where it has nothing to measure.
        full_text: which documents have more than a title.
        means: subset ("all", "titles", "full_texts", and where training documents were given,
            "new_titles" and "repeated_titles") -> metric -> value in [0, 1]; NaN where no document
            counts. Holds the means of `values` and what is counted over documents.
        depth: levels that R-Precision was measured at.
        label_counts: gold labels offered at each level, from level 1.
        sizes: subset -> number of documents.
        threshold: at which a descriptor counts as predicted; None where none was given.
    """

    document_ids: tuple[str, ...]
    values: Mapping[str, Values]
    full_text: Mask
    means: Mapping[str, Mapping[str, float]]
    depth: int
    label_counts: tuple[int, ...]
    sizes: Mapping[str, int]
    threshold: float | None = None


def evaluate(
    scores: Scores,
    documents: Sequence[LabelledDocument],
    label_space: LabelSpace,
    *,
    depth: int = 6,
    threshold: float | None = None,
    single_label: bool = False,
    training: Sequence[LabelledDocument] = (),
) -> Evaluation:
    """Judge the scores of documents against what people assigned to them.

    Args:
        scores: may hold more documents, in any order; only those of `documents` count.
        threshold: for F1; tuned on dev, never on what is judged (`training.judging.scores`).
        single_label: whether every document has one label; the best scored is then predicted, and
            no threshold is read.
        training: what was learned from; concepts are then judged by how often they were assigned
            there, and titles that repeat one from there apart from new ones.
    Raises:
        ConfigError: a document has no scores.
    """
    scores = scores.rows([row.document_id for row in documents])
    assigned = [row.assigned for row in documents]
    full_text = np.array([row.is_full_text for row in documents], dtype=bool)
    depth = min(depth, label_space.n_levels)
    values = _branch_values(scores, label_space, assigned, depth)
    counted: list[Counted] = []
    by_label: dict[str, float] = {}
    if scores.assigned is not None:
        gold = label_space.encode(assigned, augmented=False)
        classes = ClassMeasures.of(scores.assigned, gold, label_space, single_label=single_label)
        values |= {n: of(classes.gold, classes.scores) for n, of in DESCRIPTOR_METRICS.items()}
        values |= classes.values()
        counted += [classes.means, _calibration(classes)]
        by_label = classes.by_label()
        if threshold is not None and not single_label:
            predictions = Predictions.of(scores.assigned, assigned, label_space, threshold)
            counted.append(predictions.measures)
        if training:
            counted.append(_by_frequency(classes, training, label_space))
    subsets = _subsets(full_text, documents, training)
    means = {name: _means(values, counted, mask, depth) for name, mask in subsets.items()}
    means["all"] |= by_label
    if scores.levels is not None:
        augmented = label_space.encode(assigned, augmented=True)
        means["all"] |= level_areas(augmented, scores.levels, label_space, depth=depth)
    return Evaluation(
        document_ids=scores.document_ids,
        values=values,
        full_text=full_text,
        means=means,
        sizes={name: int(mask.sum()) for name, mask in subsets.items()},
        depth=depth,
        label_counts=tuple(len(label_space.level_columns(n)) for n in range(1, depth + 1)),
        threshold=threshold,
    )


def level_metrics(prefix: str, depth: int) -> list[str]:
    """Return names of the R-Precision at each level, from level 1."""
    return [f"{prefix}@{level}" for level in range(1, depth + 1)]


def macro_shares(values: Mapping[str, Values], prefix: str, depth: int) -> Values:
    """Return shares of the macro R-Precision by document, whose mean is that of the levels' means.

    A level counts only documents with a gold label at it, so the mean of levels is no mean over
    documents; the shares make it one, and can be resampled.
    """
    levels = [values[name] for name in level_metrics(prefix, depth)]
    judged = [level for level in levels if not np.isnan(level).all()]
    shares = [np.nan_to_num(v) * (len(v) / np.count_nonzero(~np.isnan(v))) for v in judged]
    return np.mean(shares, axis=0) if shares else np.full(len(levels[0]), np.nan)


def _subsets(
    full_text: Mask,
    documents: Sequence[LabelledDocument],
    training: Sequence[LabelledDocument],
) -> dict[str, Mask]:
    subsets = {"all": np.ones_like(full_text), "titles": ~full_text, "full_texts": full_text}
    if not training or full_text.all():
        return subsets
    repeated = are_repeated(documents, training)
    titles = {"new_titles": ~full_text & ~repeated, "repeated_titles": ~full_text & repeated}
    return subsets | titles


def _by_frequency(
    classes: ClassMeasures, training: Sequence[LabelledDocument], label_space: LabelSpace
) -> Counted:
    encoded = label_space.encode_assigned([row.assigned for row in training])
    n_assigned = np.asarray((encoded > 0).sum(axis=0)).ravel()
    return lambda mask: found_by_frequency(classes.gold[mask], classes.scores[mask], n_assigned)


SHOWN = 20
"""Suggestions of a document whose probabilities are compared with what was assigned."""


def _calibration(classes: ClassMeasures) -> Counted:
    gold, scores = classes.gold, np.asarray(classes.scores, dtype=np.float64)
    if scores.size and not (scores.min() >= 0 and scores.max() <= 1):
        return lambda mask: {}
    first = metrics.top_columns(scores, SHOWN)
    rows = np.arange(len(first))[:, None]
    probs, hits = scores[rows, first], gold[rows, first].toarray()

    def error(mask: Mask) -> dict[str, float]:
        shown = probs[mask].ravel()
        return {
            f"calibration_error@{SHOWN}": metrics.equal_mass_calibration_error(
                hits[mask].ravel(), shown
            ),
            f"calibration_error@{SHOWN}:chance": metrics.error_if_calibrated(shown),
        }

    return error


def _branch_values(
    scores: Scores, label_space: LabelSpace, assigned: Sequence[Sequence[str]], depth: int
) -> dict[str, Values]:
    gold = label_space.encode(assigned, augmented=True)
    values: dict[str, Values] = {}
    for name, matrix in scores.matrices().items():
        if name not in PREFIXES:
            continue
        by_level = metrics.r_precision_by_level(gold, matrix, label_space.levels, depth=depth)
        for key, of_documents in by_level.items():
            suffix = "_micro" if key == "micro" else "@" + key.removeprefix("level_")
            values[PREFIXES[name] + suffix] = of_documents
    return values


def _means(
    values: Mapping[str, Values], counted: Sequence[Counted], mask: Mask, depth: int
) -> dict[str, float]:
    means = {
        name: metrics.mean_defined(of_documents[mask]) for name, of_documents in values.items()
    }
    for prefix in PREFIXES.values():
        if f"{prefix}_micro" in means:
            by_level = [means[name] for name in level_metrics(prefix, depth)]
            means[f"{prefix}_macro"] = metrics.mean_defined(by_level)
    for count in counted:
        means |= count(mask)
    return means


# ---------------------------------------------------------------------- familiarity

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
    wordings = {_wording(row.document.title) for row in training}
    return np.array([_wording(row.document.title) in wordings for row in documents], dtype=bool)


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
    n_found = np.asarray(gold.multiply(chosen).sum(axis=0)).ravel()
    wanted = np.asarray(gold.sum(axis=0)).ravel()
    shares: dict[str, float] = {}
    for name, inside in of_frequencies(n_assigned):
        if n_wanted := float(wanted[inside].sum()):
            shares[f"recall@{FIRST}:{name}"] = float(n_found[inside].sum()) / n_wanted
    return shares

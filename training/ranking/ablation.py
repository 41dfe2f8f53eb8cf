"""What the parts of a ranker are worth, and the parts of a text: an arm does without one of them.

All arms rank the same candidates of the same documents, which the members read once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.model.bundle.bundle import load_bundle
from core.suggest.ensemble import MeanEnsemble
from core.suggest.ranking.features import FEATURES, KINDS, CandidateFeatures, Candidates
from core.suggest.ranking.ranker import CandidateRanker, Ranker
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, full_texts
from training.judging.evaluate import evaluate
from training.judging.folders import JudgedData
from training.judging.recorded import commit
from training.judging.rows import Facts, ResultRow
from training.judging.scores import Scores
from training.ranking.examples import Examples, read_candidates
from training.ranking.fit_ranker import (
    TREE_SHARE,
    CandidateSource,
    RankerExamples,
    Say,
    fit_order,
    ranker_examples,
)
from training.shipping.shipped import load_bundle_data, require_unseen

Array = npt.NDArray[np.float32]

BEHIND = 1_000.0
"""How far what is no candidate stands behind, in log-odds."""


@dataclass(frozen=True, slots=True)
class RankerArm:
    """How a ranker is fitted.

    Attributes:
        without: kind of features (of `KINDS`) that it does not see; "" for none.
        share: of the trees in the mean log-odds, the regression has the rest.
        is_apart: whether titles and texts have a scorer each.
        has_later: whether texts of train are learned from, beside those of dev.
    """

    without: str = ""
    share: float = TREE_SHARE
    is_apart: bool = True
    has_later: bool = True


ARMS: Mapping[str, RankerArm] = {
    "ranked": RankerArm(),
    "no_labels": RankerArm(without="label"),
    "no_similar_acts": RankerArm(without="similar"),
    "no_branches": RankerArm(without="branch"),
    "no_company": RankerArm(without="company"),
    "no_frequencies": RankerArm(without="habit"),
    "one_for_both": RankerArm(is_apart=False),
    "dev_texts_alone": RankerArm(has_later=False),
    "trees_alone": RankerArm(share=1.0),
    "regression_alone": RankerArm(share=0.0),
}
MEAN = "mean_of_two"
"""The arm without a ranker."""

_ADOPTED = re.compile(r"\bHA(?:S|VE) (?:ADOPTED|DECIDED)\b")
_ANNEX = re.compile(r"^\s*ANNEX(?:ES)?\b", re.MULTILINE)


def first_words(number: int) -> Callable[[str], str]:
    """Return what cuts a text after so many words."""
    return lambda text: " ".join(islice(_words(text), number))


def last_words(number: int) -> Callable[[str], str]:
    """Return what leaves the last words of a text."""
    return lambda text: " ".join(list(_words(text))[-number:])


def without_recitals(text: str) -> str:
    """Return a text from its enacting formula on; all of it where it has none."""
    found = _ADOPTED.search(text)
    return text[found.start() :] if found else text


def without_annexes(text: str) -> str:
    """Return a text up to its first annex after the enacting formula; all of it without one."""
    adopted = _ADOPTED.search(text)
    found = _ANNEX.search(text, adopted.end() if adopted else 0)
    return text[: found.start()] if found else text


def _words(text: str) -> Iterator[str]:
    return (match.group() for match in re.finditer(r"\S+", text))


READINGS: Mapping[str, Callable[[str], str]] = {
    "title_alone": lambda _: "",
    "first_250_words": first_words(250),
    "first_1000_words": first_words(1_000),
    "last_1000_words": last_words(1_000),
    "no_recitals": without_recitals,
    "no_annexes": without_annexes,
}
"""Arm -> what is left of a text, which the whole ranker then ranks."""


class ReadCandidates(NamedTuple):
    """The candidates of a document, and the mean of the members for all that may be assigned."""

    candidates: Candidates
    mean: Array
    has_text: bool


@dataclass(frozen=True, slots=True)
class Ablation:
    """Fits and judges arms.

    Attributes:
        facts: of every row.
    """

    source: CandidateSource
    examples: RankerExamples
    split: str
    facts: Facts

    @classmethod
    def of(
        cls, folder: Path, origins: Mapping[str, Path], options: DataConfig, *, split: str, say: Say
    ) -> Ablation:
        """Read what rankers are fitted on; arguments as for `add_ranker`.

        Raises:
            ConfigError: as `add_ranker`, and where the bundle has learned from the split.
        """
        # Before anything is read, which takes many minutes.
        corpus = load_bundle_data(folder, options, load_bundle(folder).label_space).corpus
        require_unseen(folder, corpus, split)
        source, examples = ranker_examples(folder, origins, options, say=say)
        mean = source.mean
        facts = {"bundle": mean.name, "bundle_hash": mean.bundle_hash, "commit": commit()}
        return cls(
            source, examples, split, {"split": split, "data_sha256": dict(corpus.sha256), **facts}
        )

    def rows(self, *, say: Say) -> Iterator[tuple[str, ResultRow]]:
        """Yield the row of each arm, that of the whole first."""
        documents = self.source.data.corpus.split(self.split)
        found = list(found_candidates(self.source.mean, self.source.finder, documents))
        whole: CandidateRanker | None = None
        for name, arm in ARMS.items():
            say(name)
            ranker = fitted(arm, self.examples)
            whole = whole or ranker
            yield name, self._row(name, [ranked_scores(f, ranker, arm.without) for f in found])
        yield MEAN, self._row(MEAN, [some.mean for some in found])
        assert whole is not None
        for name, reading in READINGS.items():
            say(name)
            yield name, self._row(name, self._of_reading(reading, found, whole))

    def _of_reading(
        self,
        reading: Callable[[str], str],
        found: Sequence[ReadCandidates],
        ranker: CandidateRanker,
    ) -> list[Array]:
        """Return scores where of a full text only a part is read; titles stay as they are."""
        documents = self.source.data.corpus.split(self.split)
        cut = [_with_text(row, reading) for row in full_texts(documents)]
        again = dict(
            zip(
                (row.document_id for row in cut),
                found_candidates(self.source.mean, self.source.finder, cut),
                strict=True,
            )
        )
        read = [again.get(row.document_id, f) for row, f in zip(documents, found, strict=True)]
        return [ranked_scores(some, ranker) for some in read]

    def _row(self, name: str, scores: Sequence[Array]) -> ResultRow:
        data: JudgedData = self.source.data
        documents, space = data.corpus.split(self.split), data.label_space
        assigned = np.full((len(scores), len(space)), -np.inf, dtype=np.float32)
        assigned[:, self.source.mean.assigned_columns] = np.stack(scores)
        ids = tuple(row.document_id for row in documents)
        train = data.corpus.train
        judged = evaluate(Scores(ids, assigned=assigned), documents, space, training=train)
        return ResultRow.of(judged, {"arm": name, **self.facts})


def fitted(arm: RankerArm, examples: RankerExamples) -> CandidateRanker:
    """Fit the ranker of an arm; its order counts, so it is not calibrated."""
    later = examples.later if arm.has_later else []
    kinds = [examples.titles, Examples.joined([examples.texts, *later])]
    if not arm.is_apart:
        kinds = [Examples.joined(kinds)]
    seen = [replace(some, rows=masked(some.rows, arm.without)) for some in kinds]
    scorers = [fit_order(some, share=arm.share) for some in seen]
    return Ranker(scorers[0], scorers[-1], FEATURES)


def masked(rows: Array, without: str) -> Array:
    """Return rows of features, (n_rows, n_features), with those of a kind at 0."""
    if not without:
        return rows
    left = rows.copy()
    left[:, [FEATURES.index(name) for name in KINDS[without]]] = 0
    return left


def _with_text(row: LabelledDocument, reading: Callable[[str], str]) -> LabelledDocument:
    document = row.document
    cut = Document.from_text(document.document_id, document.title, reading(document.text))
    return replace(row, document=cut)


def found_candidates(
    mean: MeanEnsemble, finder: CandidateFeatures, documents: Sequence[LabelledDocument]
) -> Iterator[ReadCandidates]:
    """Yield what the members find of each document."""
    for read, candidates, together in read_candidates(mean, finder, documents):
        assigned = together.assigned[mean.assigned_columns]
        yield ReadCandidates(candidates, assigned, read.n_characters_read > 0)


def ranked_scores(found: ReadCandidates, ranker: CandidateRanker, without: str = "") -> Array:
    """Return the log-odds of candidates, with all else behind them in the order of the mean;
    (n_assignable,).
    """
    scores = found.mean - np.float32(BEHIND)
    scorer = ranker.scorer(has_text=found.has_text)
    scores[found.candidates.positions] = scorer.log_odds(masked(found.candidates.rows, without))
    return scores

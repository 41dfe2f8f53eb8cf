"""The base of suggesters that give every concept of a label space a probability."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.backends.protocol import Progress
from core.suggest.branches import LabelScores, TreeConsistency
from core.suggest.evidence.explanation import DocumentExplanation, Explained
from core.suggest.evidence.spans import DocumentWords
from core.suggest.suggestions import Prediction, Suggestion
from core.suggest.windows import ReadDocument, ReadingSettings
from core.vocabulary.full_titles import full_title
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class BundleFacts:
    """What all suggesters of a bundle share."""

    name: str
    bundle_hash: str
    label_space: LabelSpace
    reading: ReadingSettings


@dataclass(frozen=True, slots=True)
class Probabilities(LabelScores):
    """LabelScores, and the branches that follow from them.

    Attributes:
        branch: that a concept or something narrower is assigned; coherent along the tree.
        read: the document, as far as it was read.
    """

    branch: Array
    read: ReadDocument


class LabelSuggester(ABC):
    """Suggests from a label space; may be used from several threads, fastest from one or two.

    Args:
        sources: the names that suggestions and evidence have for what made them.
        n_levels: how many levels of branches are learned, the most general first.
        objective: "multi_label" or "single_label".
    """

    device = "cpu"

    def __init__(
        self, facts: BundleFacts, sources: tuple[str, ...], *, n_levels: int, objective: str
    ) -> None:
        self.facts, self.sources, self.objective = facts, sources, objective
        self.name, self.bundle_hash = facts.name, facts.bundle_hash
        self.label_space = facts.label_space
        self.vocabulary_id = facts.label_space.hierarchy.vocabulary_id
        self.max_tokens = facts.reading.max_tokens
        self.level_columns = [self.label_space.level_columns(n + 1) for n in range(n_levels)]
        self.assigned_columns = self.label_space.assignable_columns

    # ------------------------------------------------------------------ what each implements

    @abstractmethod
    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read."""

    @abstractmethod
    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the scores of documents in their order; `on_progress` counts their windows."""

    @abstractmethod
    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Read a document once for its scores and for what each of its words adds to them."""

    def uncalibrated(self) -> LabelSuggester:
        """Return the same suggester without calibration; itself where there is none."""
        return self

    def changed(self, change: Callable[[LabelSuggester], LabelSuggester]) -> LabelSuggester:
        """Return a copy in which each suggester that is not made of others is replaced."""
        return change(self)

    def skipped(self, text: str) -> bytearray:
        """Return for each character and the end 1 where it is not read: here, nowhere."""
        return bytearray(len(text) + 1)

    # ------------------------------------------------------------------ suggesting

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable concepts of one document, best first."""
        started = time.perf_counter()
        read = self.read(document)
        (scores,) = self.score([read], on_progress=on_progress)
        return self._prediction(self._coherent(read, scores), limit, threshold, started)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents, which are read in groups."""
        started = time.perf_counter()
        for probabilities in self.probabilities_of(documents, batch_size=batch_size):
            yield self._prediction(probabilities, limit, threshold, started)
            started = time.perf_counter()

    def explain(self, document: Document) -> DocumentExplanation:
        """Read the document once more, for what can be said about why."""
        return DocumentExplanation(self, document)

    # ------------------------------------------------------------------ probabilities

    def probabilities_of(
        self, documents: Iterable[Document], *, batch_size: int = 16
    ) -> Iterator[Probabilities]:
        """Yield the probabilities of every concept for every document, in order.

        A model computes all windows of a group for the group's first scores. That is in a thread,
        while the group before is ranked and the next one is cut into windows.
        """
        with ThreadPoolExecutor(1, thread_name_prefix="scores") as thread:
            pending: Iterator[Probabilities] = iter(())
            for group in self._groups(documents, 4 * batch_size):
                scored = self.score(group, batch_size=batch_size)
                of_group = self._of_group(group, thread.submit(next, scored), scored)
                yield from pending
                pending = of_group
            yield from pending

    def _groups(self, documents: Iterable[Document], most: int) -> Iterator[list[ReadDocument]]:
        """Yield documents, read, in groups of so many windows that sorting them by length saves
        padding; so many documents begin a group again, however long the documents before them are.
        """
        remaining = iter(documents)
        while taken := list(islice(remaining, most)):
            group: list[ReadDocument] = []
            for document in taken:
                group.append(self.read(document))
                if sum(read.n_windows for read in group) >= most:
                    yield group
                    group = []
            if group:
                yield group

    def _of_group(
        self,
        group: Sequence[ReadDocument],
        first: Future[LabelScores],
        others: Iterator[LabelScores],
    ) -> Iterator[Probabilities]:
        """Yield the probabilities of a group, the first of whose scores another thread computes."""
        for document, scores in zip(group, chain([first.result()], others), strict=True):
            yield self._coherent(document, scores)

    def can_assign(self, concept_id: str) -> bool:
        """Return whether the suggester could suggest this concept."""
        space = self.label_space
        return concept_id in space and bool(space.assignable[space.column(concept_id)])

    def assigned_column(self, concept_id: str) -> int:
        """Return the column of a concept among those that may be assigned.

        Raises:
            VocabularyError: the label space has no such concept, or it is a mere division.
        """
        column = self.label_space.column(concept_id)
        if not self.label_space.assignable[column]:
            raise VocabularyError(
                f"{concept_id} only divides the vocabulary; it is never assigned."
            )
        return int(np.searchsorted(self.assigned_columns, column))

    @cached_property
    def _consistent(self) -> TreeConsistency:
        return TreeConsistency(self.label_space)

    def _coherent(self, read: ReadDocument, scores: LabelScores) -> Probabilities:
        branch = self._consistent(np.maximum(scores.levels, scores.assigned)[None])[0]
        return Probabilities(scores.levels, scores.assigned, scores.leading, branch, read)

    def _scores(self, assigned: Array, levels: Array | None) -> LabelScores:
        """Spread scores of some columns over the columns of the label space.

        Args:
            assigned: (n_assignable,).
            levels: of the learned levels, one after the other; None where there are none.
        """
        scores = LabelScores(
            np.full(len(self.label_space), -np.inf, dtype=np.float32),
            np.zeros(len(self.label_space), dtype=np.float32),
            np.zeros(len(self.label_space), dtype=np.int64),
        )
        scores.assigned[self.assigned_columns] = assigned
        if levels is not None:
            scores.levels[np.concatenate(self.level_columns)] = levels
        return scores

    # ------------------------------------------------------------------ suggestions

    def _prediction(
        self, probabilities: Probabilities, limit: int, threshold: float, started: float
    ) -> Prediction:
        columns = self._best(probabilities.assigned, limit, threshold)
        suggestions = [
            self._suggestion(probabilities, column, rank)
            for rank, column in enumerate(columns, start=1)
        ]
        read = probabilities.read
        return Prediction(
            suggestions=tuple(suggestions),
            branch_probability=self._branches(probabilities, columns),
            n_tokens=read.n_tokens,
            n_tokens_read=read.n_tokens_read,
            n_windows=read.n_windows,
            bundle_hash=self.bundle_hash,
            vocabulary_version=self.label_space.hierarchy.version,
            seconds=time.perf_counter() - started,
            own_probability=self._own(probabilities, columns),
        )

    def _best(self, assigned: Array, limit: int, threshold: float) -> list[int]:
        # Ties go by column, so that the same text gives the same list everywhere.
        last = max(len(assigned) - limit, 0)
        least = np.partition(assigned, last)[last] if limit and len(assigned) else np.inf
        columns = np.flatnonzero((assigned >= max(least, threshold)) & (assigned > 0))
        chosen = columns[np.argsort(-assigned[columns], kind="stable")][:limit].tolist()
        return [c for c in chosen if self.label_space.assignable[c]]

    def _suggestion(self, probabilities: Probabilities, column: int, rank: int) -> Suggestion:
        hierarchy = self.label_space.hierarchy
        concept = hierarchy[self.label_space.concept_ids[column]]
        return Suggestion(
            concept_id=concept.concept_id,
            uri=concept.uri,
            notation=concept.notation,
            pref_label=full_title(concept.concept_id, hierarchy),
            probability=float(probabilities.assigned[column]),
            branch_probability=float(probabilities.branch[column]),
            rank=rank,
            source=self.sources[probabilities.leading[column]],
        )

    def _branches(self, probabilities: Probabilities, columns: Sequence[int]) -> dict[str, float]:
        space = self.label_space
        above = space.hierarchy.augment([space.concept_ids[column] for column in columns])
        return {i: float(probabilities.branch[space.column(i)]) for i in sorted(above)}

    def _own(self, probabilities: Probabilities, columns: Sequence[int]) -> dict[str, float]:
        space = self.label_space
        ancestors = space.hierarchy.ancestors
        broader = {i for column in columns for i in ancestors(space.concept_ids[column])}
        own_columns = {i: space.column(i) for i in sorted(broader) if space.hierarchy[i].assignable}
        return {i: float(probabilities.assigned[column]) for i, column in own_columns.items()}

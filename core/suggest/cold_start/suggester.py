"""The suggester of a vocabulary that no model has learned.

Concepts come from labels in the text and from similar documents that were finished here. A ranker
orders them that has learned on EuroVoc what such signs are worth, at all stages from no document
to tens of thousands; it knows no concept, so that it serves any vocabulary.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from core.documents.document import Document
from core.paths import PROJECT_ROOT
from core.suggest.backends.protocol import Progress
from core.suggest.branches import LabelScores
from core.suggest.cold_start.document_ids import anonymous_id
from core.suggest.cold_start.finished import MAX_WORDS, FinishedCandidates, Right, TextReader
from core.suggest.evidence.explanation import DocumentExplanation, Explained, WeightedAttribution
from core.suggest.evidence.spans import (
    DocumentWords,
    Evidence,
    GroundsOf,
    Span,
    without_spans,
)
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.protocol import FinishedDocument
from core.suggest.ranking.candidates import Candidates, grounds_of
from core.suggest.ranking.decided import Experience, LearnedDocument, Positions, SparseRow
from core.suggest.ranking.features import COLD_START_FEATURES
from core.suggest.ranking.label_matcher import LabelWords
from core.suggest.ranking.ranker import Ranker
from core.suggest.windows import ReadDocument, ReadingSettings
from core.vocabulary.concepts import Hierarchy, same_language
from core.vocabulary.labels import LabelSpace

LEXICAL, NEIGHBOURS = "lexical", "neighbours"
"""Sources: a label in the text, and similar documents where there is none."""

NAME = "No model"
WEIGHTS = PROJECT_ROOT / "assets" / "cold_start"
VERSION = "cold-start3"
"""What changes whenever the same documents and decisions give other suggestions."""

EXPECTED, EXPECTED_OF_CODES = WEIGHTS / "expected.json", WEIGHTS / "expected_of_codes.json"


class Expected(NamedTuple):
    """How good suggestions were after so many finished documents, where that was measured.

    Attributes:
        right: how many of the first five were right, on average, by kind of document: titles and
            full texts, or, of codes, cases and radiology reports.
    """

    n_decided: int
    right: tuple[float, float]


def expected(*, of_codes: bool = False) -> list[Expected]:
    """Return what was measured, by the number of documents; nothing where that is not here."""
    path = EXPECTED_OF_CODES if of_codes else EXPECTED
    try:
        return [
            Expected(number, (first, second))
            for number, first, second in json.loads(path.read_text("utf-8"))
        ]
    except (OSError, ValueError, TypeError):
        return []


@lru_cache(maxsize=1)
def default_ranker() -> Ranker:
    """Return the weights that were learned on EuroVoc.

    Raises:
        BundleError: their files are damaged.
    """
    return Ranker.load(WEIGHTS, COLD_START_FEATURES)


class ColdStartSuggester(LabelSuggester):
    """Suggests from labels in the text, and from what was decided in finished documents.

    Args:
        candidates: of the vocabulary.
    """

    def __init__(self, candidates: FinishedCandidates, ranker: Ranker) -> None:
        facts = BundleFacts(
            name=NAME,
            bundle_hash=f"no-model+{VERSION}",
            label_space=candidates.label_space,
            reading=ReadingSettings(max_tokens=MAX_WORDS),
        )
        super().__init__(facts, (LEXICAL, NEIGHBOURS), n_levels=0, objective="multi_label")
        self.candidates, self.ranker = candidates, ranker
        self._decided = candidates.nothing_decided()
        self._key = b""
        self._right: Right | None = None
        self._learning = threading.Lock()
        self.position = self.label_space.assignable_position
        self.concept_ids = list(self.position)

    @classmethod
    def of_vocabulary(
        cls,
        hierarchy: Hierarchy,
        *,
        language: str = "en",
        reader: Callable[[Hierarchy | None, str], TextReader] | None = None,
    ) -> ColdStartSuggester:
        """Make the suggester of a vocabulary, with the weights learned on EuroVoc.

        Args:
            language: of labels and documents, where the vocabulary has labels in it; otherwise it
                is the one in which it has most.
            reader: returns what looks through texts elsewhere; None where that is done here.
        """
        language = spoken(hierarchy, language)
        elsewhere = reader(hierarchy, language) if reader is not None else None
        candidates = FinishedCandidates(LabelSpace(hierarchy), language, reader=elsewhere)
        return cls(candidates, default_ranker())

    @classmethod
    def of_codes(
        cls,
        hierarchy: Hierarchy,
        reader: Callable[[Hierarchy | None, str], TextReader] | None = None,
    ) -> ColdStartSuggester:
        """Make the suggester of a code system, whose names are looked for elsewhere."""
        elsewhere = reader(None, "en") if reader is not None else None
        candidates = FinishedCandidates(LabelSpace(hierarchy), labels=False, reader=elsewhere)
        return cls(candidates, default_ranker())

    # ------------------------------------------------------------------ learning

    @property
    def n_updates(self) -> int:
        """How often it has learned or forgotten something."""
        return self._decided.n_updates

    def learned(self) -> Mapping[str, int]:
        """Return the documents that it has learned from, with the version of their decisions."""
        return self._decided.versions()

    def begin_with(self, documents: Iterable[LearnedDocument], key: bytes = b"") -> None:
        """Know documents that came with a bundle, before anything is learned here.

        Args:
            key: by which the bundle names them.
        """
        with self._learning:
            self._key = key
            self._decided = self.candidates.nothing_decided(documents)

    def learn(self, documents: Sequence[FinishedDocument]) -> None:
        """Learn from finished documents, also in the place of what was learned from them before."""
        learned = [self.said_by(finished) for finished in documents]
        with self._learning:
            self._decided.add(learned)

    def said_by(self, finished: FinishedDocument) -> LearnedDocument:
        """Return what a finished document says; a bundle may have come with it."""
        name = finished.document.document_id
        bundled_id = anonymous_id(finished.document, self._key) if self._decided.always else ""
        bundled_document = self._decided.always.get(bundled_id)
        if bundled_document is not None and bundled_document.version == finished.version:
            terms = self.candidates.reading(finished.document).terms  # the bundle has few of them
            return replace(bundled_document, document_id=name, known_as=bundled_id, terms=terms)
        learned = self.candidates.decided(
            finished.document,
            finished.version,
            self.label_space.positions(finished.assigned),
            self.label_space.positions(finished.rejected),
            self._chances(finished.suggested),
        )
        return replace(
            learned,
            rejected=np.union1d(learned.rejected, self._ruled_out(learned, finished.excluded)),
            known_as=bundled_id if bundled_document is not None else "",
        )

    def forget(self, document_ids: Iterable[str]) -> None:
        """Suggest as if these documents had never been finished."""
        with self._learning:
            self._decided.remove(document_ids)

    # ------------------------------------------------------------------ suggesting

    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read: all but the words beyond the cap."""
        n_tokens, n_read, n_characters = self.candidates.reading(document)[3:]
        return ReadDocument(
            document=document,
            n_tokens=n_tokens,
            n_tokens_read=n_read,
            n_characters_read=n_characters,
            n_windows=2 if n_characters else 1,
        )

    def with_right(self, right: Right) -> ColdStartSuggester:
        """Return a copy that is told how often a concept is right whose label stands somewhere."""
        suggester = copy(self)
        suggester._right = right
        return suggester

    def explain(  # type: ignore[override]  # who takes words out of it has no other process
        self, document: Document
    ) -> DocumentExplanation | ReadElsewhereExplanation:
        """Read the document once more, for what can be said about why."""
        reader = self.candidates.reader
        if reader is not None:
            return ReadElsewhereExplanation(self, reader, document)
        return DocumentExplanation(self, document)

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the scores of documents, one by one; what is no candidate has 0."""
        for done, document in enumerate(documents, start=1):
            yield self._ranked(document, self.candidates(document.document, self.experience()))
            if on_progress:
                on_progress(done, len(documents))

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Return the places of labels, and the grounds of each concept."""
        experience = self.experience()
        in_title, in_text = self.candidates.reading(document.document)[:2]
        labels = LabelWords(words, in_title, in_text, self._right or experience.right)
        return Explained(
            [WeightedAttribution(LEXICAL, 1.0, labels)],
            *self.ranked_with_grounds(document, experience),
        )

    def ranked_with_grounds(
        self, document: ReadDocument, experience: Experience
    ) -> tuple[LabelScores, GroundsOf]:
        """Return the scores of a document, and what finished documents say of each concept."""
        candidates = self.candidates(document.document, experience)
        scorer = self.ranker.scorer(has_text=document.has_text)
        similar = self.candidates.similar(document.document, experience)
        added = scorer.contributions(candidates.rows)
        grounds = grounds_of(experience, similar, candidates, added)
        return self._ranked(document, candidates), grounds

    def _ranked(self, document: ReadDocument, candidates: Candidates) -> LabelScores:
        scorer = self.ranker.scorer(has_text=document.has_text)
        assigned = np.zeros(len(self.concept_ids), dtype=np.float32)
        assigned[candidates.positions] = scorer(candidates.rows)
        scores = self._scores(assigned, None)
        stands = candidates.column("standing") > 0
        scores.leading[self.assigned_columns[candidates.positions[~stands]]] = 1
        return scores

    def experience(self) -> Experience:
        """Return what all finished documents that it knows say together."""
        with self._learning:
            return self._decided.experience()

    def _ruled_out(self, learned: LearnedDocument, excluded: Collection[str]) -> Positions:
        """Return what was suggested or stands in a document, and is below what was ruled out."""
        if not excluded:
            return self.label_space.positions(())
        seen = np.concatenate([learned.suggested.columns, *learned.standing.values()])
        concept_ids = {self.concept_ids[n] for n in np.setdiff1d(seen, learned.assigned).tolist()}
        ancestors = self.label_space.hierarchy.ancestors
        return self.label_space.positions(
            i for i in concept_ids if not ancestors(i).isdisjoint(excluded)
        )

    def _chances(self, suggested: Mapping[str, float]) -> SparseRow:
        chances = {self.position[i]: p for i, p in suggested.items() if i in self.position}
        columns = np.array(sorted(chances), dtype=np.int32)
        values = np.array([chances[column] for column in columns.tolist()], dtype=np.float32)
        return SparseRow(columns, values)


class ReadElsewhereExplanation:
    """Why labels and finished documents speak for concepts, where another process has the text."""

    def __init__(
        self, suggester: ColdStartSuggester, reader: TextReader, document: Document
    ) -> None:
        self._suggester, self._reader, self._document = suggester, reader, document
        self._experience = suggester.experience()
        self._before, self._grounds = self._ranked(document)

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        position = self._suggester.position
        assignable_ids = [i for i in dict.fromkeys(concept_ids) if i in position]
        if not assignable_ids:
            return {}
        # Who reads for names knows no code.
        labels = dict.fromkeys(assignable_ids, Evidence((), {}))
        labels |= self._reader.labels(self._document, assignable_ids, self._experience.right)
        grounds = self._grounds(np.array([position[i] for i in assignable_ids], dtype=np.int64))
        return {
            i: replace(labels[i], grounds=of) for i, of in zip(assignable_ids, grounds, strict=True)
        }

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the vocabulary has no such concept.
        """
        column = self._suggester.label_space.column(concept_id)
        after, _ = self._ranked(without_spans(self._document, spans))
        return float(after.assigned[column]), float(self._before.assigned[column])

    def _ranked(self, document: Document) -> tuple[LabelScores, GroundsOf]:
        read = self._suggester.read(document)
        return self._suggester.ranked_with_grounds(read, self._experience)


def reader_of(hierarchy: Hierarchy | None, language: str) -> ColdStartSuggester:
    """Return what looks for labels of a vocabulary, or of none, and for what texts are about."""
    if hierarchy is not None:
        return ColdStartSuggester.of_vocabulary(hierarchy, language=language)
    return ColdStartSuggester.of_codes(Hierarchy([], vocabulary_id="", version=""))


def spoken(hierarchy: Hierarchy, language: str) -> str:
    """Return this language where labels are in it or a variety, or else the most frequent one.

    Labels that state no language may be in this one.
    """
    counts = Counter(tag for concept_id in hierarchy for tag in hierarchy[concept_id].pref_label)
    if any(tag and same_language(tag, language) for tag in counts):
        return language
    return max(sorted(counts), key=lambda tag: counts[tag], default="") or language

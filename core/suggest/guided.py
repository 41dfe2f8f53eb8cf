"""The guided suggester: an encoder or a small network with heads, run over windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import Bundle
from core.suggest.backends.protocol import Backend, Logits, Progress, WindowTerms
from core.suggest.branches import LabelScores
from core.suggest.calibration import Calibration, Scaling, Temperature
from core.suggest.evidence.explanation import Explained, WeightedAttribution
from core.suggest.evidence.spans import DocumentWords
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.windows import DocumentReader, JoinRule, Pieces, ReadDocument

Array = npt.NDArray[np.float32]

SOURCE = "guided"


class GuidedSuggester(LabelSuggester):
    """Joins and calibrates the logits of a document's windows.

    Args:
        calibration: of the joined logits.
    """

    def __init__(
        self,
        facts: BundleFacts,
        backend: Backend,
        *,
        reader: DocumentReader,
        join: JoinRule,
        calibration: Calibration,
    ) -> None:
        n_levels, objective = len(calibration.levels), calibration.objective
        super().__init__(facts, (SOURCE,), n_levels=n_levels, objective=objective)
        self.backend, self.reader = backend, reader
        self.join, self.calibration = join, calibration
        self.device, self.number_format = backend.device, backend.number_format

    @classmethod
    def from_bundle(
        cls,
        bundle: Bundle,
        facts: BundleFacts,
        calibration: Calibration,
        make_backend: Callable[[], Backend],
    ) -> GuidedSuggester:
        """Make the suggester of a bundle.

        Raises:
            BundleError: its model has no head for what is assigned.
        """
        model, tokenizer = bundle.guided
        if not model.shape.n_assigned:
            raise BundleError(
                f"The model bundle in {bundle.directory} has no head for what is assigned, "
                "so it cannot suggest; train one with model.assigned_head = true."
            )
        return cls(
            facts,
            make_backend(),
            reader=DocumentReader(tokenizer, facts.reading),
            join=JoinRule(**bundle.manifest["join"]),
            calibration=calibration,
        )

    def read(self, document: Document) -> Pieces:
        """Cut a document into windows."""
        return self.reader.read(document)

    def skipped(self, text: str) -> bytearray:
        """Return for each character and the end 1 where it is boilerplate that is not read."""
        return self.reader.skipped(text)

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the scores of documents, whose windows are sorted by length together."""
        pieces = [self._pieces(document) for document in documents]
        windows = [window for document in pieces for window in document.windows]
        logits = self.backend.logits(windows, batch_size=batch_size, on_progress=on_progress)
        start = 0
        for document in pieces:
            stop = start + document.n_windows
            yield self.calibrated(document, logits.rows(start, stop))
            start = stop

    def calibrated(self, document: ReadDocument, logits: Logits) -> LabelScores:
        """Return the scores of a document, from the logits of its windows, (windows, labels)."""
        joined = logits.map(self.join)
        assert joined.assigned is not None
        scaling = self.calibration.scaling(has_text=document.has_text)
        return self._scores(scaling(joined.assigned), self._level_probabilities(joined.levels))

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Read a document once for its scores and for what each of its words adds to the logits."""
        pieces = self._pieces(document)
        terms = self.backend.terms(pieces.windows)
        scaling = self.calibration.scaling(has_text=document.has_text)
        guided = GuidedWords(terms, pieces, words, join=self.join, scaling=scaling)
        scores = self.calibrated(document, terms.served)
        return Explained([WeightedAttribution(SOURCE, 1.0, guided)], scores)

    def uncalibrated(self) -> GuidedSuggester:
        """Return the same suggester without calibration."""
        changed = copy(self)
        changed.calibration = Calibration.identity(len(self.level_columns), self.objective)
        return changed

    def with_reader(self, reader: DocumentReader) -> GuidedSuggester:
        """Return the same suggester with documents cut into windows by another reader."""
        changed = copy(self)
        changed.reader = reader
        return changed

    def _pieces(self, document: ReadDocument) -> Pieces:
        return document if isinstance(document, Pieces) else self.read(document.document)

    def _level_probabilities(self, logits: Array | None) -> Array | None:
        if logits is None:
            return None
        sizes = np.cumsum([len(columns) for columns in self.level_columns])[:-1]
        by_level = zip(self.calibration.levels, np.split(logits, sizes), strict=True)
        return np.concatenate([platt(some) for platt, some in by_level])


# ---------------------------------------------------------------------- evidence

Columns = npt.NDArray[np.int64]

# The rule that joins windows reads the strongest alone, but where its words are taken away the next
# one counts: windows weaker by less than about this much (in logits) count as well.
_NEARLY_AS_STRONG = 1.0


class GuidedWords:
    """The terms of a document's word pieces, summed up by the words that they come from.

    Args:
        windows: the document as the back-end reads it.
        join: how windows become one row of logits.
        scaling: of these joined logits.
    """

    def __init__(
        self,
        windows: WindowTerms,
        pieces: Pieces,
        words: DocumentWords,
        *,
        join: JoinRule,
        scaling: Scaling,
    ) -> None:
        self.windows, self.pieces = windows, pieces
        self.join, self.scaling = join, scaling
        self.n_words = len(words)
        self.words_of_pieces = words.of_spans(pieces.spans)

    def terms(self, columns: Columns) -> Array:
        """Return each word's part in the joined logits, weighed by the attention that it gets.

        Shape (n_words + 1, concepts); the last row is of pieces that belong to no word.
        """
        summed = np.zeros((self.n_words + 1, len(columns)), dtype=np.float32)
        shares = window_shares(self.windows.logits(columns), self.join)
        for positions, (terms, attention), share in zip(
            self.pieces.positions, self.windows.terms(columns), shares, strict=True
        ):
            numbers = np.array(positions)
            has_word = numbers >= 0
            words = self.words_of_pieces[numbers[has_word]]
            np.add.at(summed, words, share * terms[has_word] * attention[has_word, None])
        return summed

    def logits(self, columns: Columns) -> Array:
        """Return the joined logits of these concepts, (concepts,)."""
        return self.join(self.windows.logits(columns))

    def bias(self, columns: Columns) -> Array:
        """Return the logits of a document that says nothing."""
        return self.windows.bias(columns)

    def probability(self, columns: Columns) -> Callable[[Array], Array]:
        """Return these concepts' probabilities as a function of their joined logits.

        Of a softmax that is how each moves with its own logit, all others as they are.
        """
        if isinstance(self.scaling, Temperature):
            assert self.windows.served.assigned is not None
            return self.scaling.beside(self.join(self.windows.served.assigned), columns)
        return self.scaling


def window_shares(logits: Array, join: JoinRule) -> Array:
    """Return how much each window counts for each concept; both (windows, concepts).

    The columns of what is returned sum to 1.
    """
    if len(logits) == 1:
        return np.ones_like(logits)
    strength = np.exp((logits[1:] - logits[1:].max(axis=0)) / _NEARLY_AS_STRONG)
    strongest = strength / strength.sum(axis=0)
    text = join.max_share * strongest + (1 - join.max_share) / (len(logits) - 1)
    title = np.full((1, logits.shape[1]), join.title_weight)
    shares = np.concatenate([title, (1 - join.title_weight) * text])
    return np.asarray(shares, dtype=np.float32)

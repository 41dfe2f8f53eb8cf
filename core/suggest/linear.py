"""The linear suggester: weighted words and pairs of words, without an encoder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.bundle import Bundle
from core.model.sparse_linear import SparseLinear
from core.model.terms import count_words, end_of_word
from core.suggest.backends.protocol import Backend, Progress
from core.suggest.branches import BranchUnion, LabelScores
from core.suggest.calibration import Calibration, Scaling, Temperature, logits
from core.suggest.evidence.explanation import Explained, WeightedAttribution
from core.suggest.evidence.spans import DocumentWords
from core.suggest.label_suggester import BundleFacts, LabelSuggester
from core.suggest.windows import ReadDocument

Array = npt.NDArray[np.float32]

SOURCE = "linear"


class LinearSuggester(LabelSuggester):
    """Calibrates the margins of a linear classifier; it knows nothing of the tree.

    The probability of a branch is that of at least one concept in it, as if they were assigned
    independently of each other.

    Args:
        calibration: of margins, and of the branches' logits.
    """

    def __init__(self, facts: BundleFacts, model: SparseLinear, calibration: Calibration) -> None:
        n_levels, objective = len(calibration.levels), calibration.objective
        super().__init__(facts, (SOURCE,), n_levels=n_levels, objective=objective)
        self.model, self.calibration = model, calibration
        # A ranker asks for the vector of the document that was just scored.
        self._vector = lru_cache(maxsize=2)(model.vector)

    @classmethod
    def from_bundle(
        cls,
        bundle: Bundle,
        facts: BundleFacts,
        calibration: Calibration,
        make_backend: Callable[[], Backend],
    ) -> LinearSuggester:
        """Make the suggester of a bundle; it needs no back-end.

        Raises:
            BundleError: the bundle has no linear classifier.
        """
        if bundle.linear is None:
            raise BundleError(f"The model bundle in {bundle.directory} has no linear suggester.")
        return cls(facts, bundle.linear, calibration)

    def read(self, document: Document) -> ReadDocument:
        """Find how much of a document is read: all but the words beyond the cap."""
        in_title, in_text = count_words(document.title), count_words(document.text)
        read = min(in_text, max(self.max_tokens - in_title, 0))
        is_whole = read == in_text
        return ReadDocument(
            document=document,
            n_tokens=in_title + in_text,
            n_tokens_read=min(in_title, self.max_tokens) + read,
            n_characters_read=len(document.text) if is_whole else end_of_word(document.text, read),
            n_windows=2 if read else 1,
        )

    def score(
        self,
        documents: Sequence[ReadDocument],
        *,
        batch_size: int = 16,
        on_progress: Progress | None = None,
    ) -> Iterator[LabelScores]:
        """Yield the scores of documents, which are read one by one."""
        n_windows, done = sum(document.n_windows for document in documents), 0
        for document in documents:
            yield self._score(document)
            done += document.n_windows
            if on_progress:
                on_progress(done, n_windows)

    def explained(self, document: ReadDocument, words: DocumentWords) -> Explained:
        """Find what each word of a document adds to the margins."""
        scaling = self.calibration.scaling(has_text=document.has_text)
        linear = LinearWords(self.model, words, scaling)
        return Explained([WeightedAttribution(SOURCE, 1.0, linear)], self._score(document))

    def uncalibrated(self) -> LinearSuggester:
        """Return the same suggester without calibration."""
        changed = copy(self)
        changed.calibration = Calibration.identity(len(self.level_columns), self.objective)
        return changed

    def vector(self, title: str, text: str) -> sp.csr_matrix:
        """Return the weighted terms of a document, (1, n_terms); documents are compared by them."""
        return self._vector(title, text)

    @cached_property
    def _union(self) -> BranchUnion:
        return BranchUnion(self.label_space)

    def _score(self, document: ReadDocument) -> LabelScores:
        text = document.document.text[: document.n_characters_read]
        margins = self.model.margins_of(self.vector(document.document.title, text))[0]
        scaling = self.calibration.scaling(has_text=document.has_text)
        scores = self._scores(scaling(margins), None)
        if self.level_columns:
            branches = logits(self._union(scores.assigned[None])[0])
            for platt, columns in zip(self.calibration.levels, self.level_columns, strict=True):
                scores.levels[columns] = platt(branches[columns])
        return scores


# ---------------------------------------------------------------------- evidence

Occurrences = dict[int, list[tuple[int, ...]]]


class LinearWords:
    """The terms of a document's TF-IDF vector, mapped back to the words that they come from.

    A margin is an exact sum: of every term's weight in the vector times the concept's weight for
    it, and the bias. A term's part is shared out equally among the places where it occurs, a pair's
    among its two words.
    """

    def __init__(self, linear: SparseLinear, words: DocumentWords, scaling: Scaling) -> None:
        self.linear, self.scaling = linear, scaling
        self.words = words
        self._fields = self._weighted_fields()
        self._parts = self._in_words()

    def logits(self, columns: npt.NDArray[np.int64]) -> Array:
        """Return the margins of these concepts: how strongly the document supports each."""
        margins: Array = self.linear.margins_of(sum(self._fields.values()))[0][columns]
        return margins

    def bias(self, columns: npt.NDArray[np.int64]) -> Array:
        """Return the margins of a document that says nothing."""
        bias: Array = self.linear.bias[columns]
        return bias

    def probability(self, columns: npt.NDArray[np.int64]) -> Callable[[Array], Array]:
        """Return these concepts' probabilities as a function of their margins."""
        if isinstance(self.scaling, Temperature):
            return self.scaling.beside(self.logits(np.arange(len(self.linear.bias))), columns)
        return self.scaling

    def terms(self, columns: npt.NDArray[np.int64]) -> Array:
        """Each word's part of the margins, shape (n_words + 1, concepts); the last row is of terms
        in boilerplate, which is no word of the document.
        """
        used = np.unique(self._parts.indices)
        weights = self.linear.weights[used][:, columns]
        return np.asarray((self._parts[:, used] @ weights).toarray(), dtype=np.float32)

    def _weighted_fields(self) -> dict[str, sp.csr_matrix]:
        """Return the document's vector, taken apart into what its title and its text add to it."""
        share = {"title": self.linear.title_share, "text": 1 - self.linear.title_share}
        fields = {f: share[f] * self.linear.vectors(text) for f, text in self.words.texts.items()}
        whole = sum(fields.values())
        length = float(np.sqrt(whole.multiply(whole).sum())) or 1.0
        return {field: sp.csr_matrix(vector / length) for field, vector in fields.items()}

    def _in_words(self) -> sp.csr_matrix:
        """Return how much of the vector's terms each word is, shape (n_words + 1, n_terms)."""
        entries: list[tuple[float, int, int]] = []
        for field, vector in self._fields.items():
            value = dict(zip(vector.indices.tolist(), vector.data.tolist(), strict=True))
            for column, places in self._occurrences(field).items():
                each = value[column] / len(places)
                entries += [(each / len(p), word, column) for p in places for word in p]
        values, rows, columns = zip(*entries, strict=True) if entries else ((), (), ())
        shape = (len(self.words) + 1, len(self.linear.vectors))
        return sp.csr_matrix((values, (rows, columns)), shape=shape, dtype=np.float32)

    def _occurrences(self, field: str) -> Occurrences:
        """Of each known term the words of its places, by column."""
        column_of = self.linear.vectors.column_of
        occurrences: Occurrences = defaultdict(list)
        # A place outside every word is boilerplate: it goes to the row past the last word.
        located = [
            (stem, self.words.at(field, start) % (len(self.words) + 1))
            for stem, start in self.linear.vectors.stems(self.words.texts[field])
        ]
        for stem, word in located:
            if (column := column_of(stem)) is not None:
                occurrences[column].append((word,))
        for (first, word), (second, next_word) in pairwise(located):
            if (column := column_of(f"{first} {second}")) is not None:
                occurrences[column].append((word, next_word))
        return occurrences

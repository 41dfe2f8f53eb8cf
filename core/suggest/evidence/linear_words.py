"""What each word of a document adds to the margins of the linear classifier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from core.model.sparse_linear import SparseLinear
from core.suggest.calibration import Scaling, Temperature
from core.suggest.evidence.words import DocumentWords

Array = npt.NDArray[np.float32]
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
        """Return the margins of these concepts: how strongly the document speaks for each."""
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
        """The document's vector, taken apart into what its title and its text add to it."""
        share = {"title": self.linear.title_share, "text": 1 - self.linear.title_share}
        fields = {f: share[f] * self.linear.vectors(text) for f, text in self.words.texts.items()}
        whole = sum(fields.values())
        length = float(np.sqrt(whole.multiply(whole).sum())) or 1.0
        return {field: sp.csr_matrix(vector / length) for field, vector in fields.items()}

    def _in_words(self) -> sp.csr_matrix:
        """How much of the vector's terms each word is, shape (n_words + 1, n_terms)."""
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
        found: Occurrences = defaultdict(list)
        # A place outside every word is boilerplate: it goes to the row past the last word.
        located = [
            (stem, self.words.at(field, start) % (len(self.words) + 1))
            for stem, start in self.linear.vectors.stems(self.words.texts[field])
        ]
        for stem, word in located:
            if (column := column_of(stem)) is not None:
                found[column].append((word,))
        for (first, word), (second, next_word) in pairwise(located):
            if (column := column_of(f"{first} {second}")) is not None:
                found[column].append((word, next_word))
        return found

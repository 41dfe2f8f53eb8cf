"""What each word of a document adds to the joined logits of its windows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.suggest.backends.protocol import WindowTerms
from core.suggest.calibration import Scaling, Temperature
from core.suggest.evidence.words import DocumentWords
from core.suggest.windows import JoinRule, Pieces

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]

# The rule that joins windows listens to the loudest only, but where its words are taken away the
# next speaks: windows less than about this much quieter (in logits) count as well.
_NEARLY_AS_LOUD = 1.0


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
            known = numbers >= 0
            words = self.words_of_pieces[numbers[known]]
            np.add.at(summed, words, share * terms[known] * attention[known, None])
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
            return self.scaling.beside(self.join(self.windows.all_logits()), columns)
        return self.scaling


def window_shares(logits: Array, join: JoinRule) -> Array:
    """Return how much each window counts for each concept; both (windows, concepts).

    The columns of what is returned sum to 1.
    """
    if len(logits) == 1:
        return np.ones_like(logits)
    loudness = np.exp((logits[1:] - logits[1:].max(axis=0)) / _NEARLY_AS_LOUD)
    loudest = loudness / loudness.sum(axis=0)
    text = join.max_share * loudest + (1 - join.max_share) / (len(logits) - 1)
    title = np.full((1, logits.shape[1]), join.title_weight)
    shares = np.concatenate([title, (1 - join.title_weight) * text])
    return np.asarray(shares, dtype=np.float32)

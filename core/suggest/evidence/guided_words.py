"""What each word of a document adds to a model's logits."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt
import torch

from core.model.precision import autocast
from core.model.token_terms import TokenStates, token_states
from core.suggest.evidence.words import DocumentWords
from core.suggest.scoring import JoinRule, WindowScorer, batches_by_length, padded
from core.suggest.windows import Pieces

Array = npt.NDArray[np.float32]

# The rule that joins windows listens to the loudest only, but where its words are taken away the
# next speaks: windows less than about this much quieter (in logits) count as well.
_NEARLY_AS_LOUD = 1.0


class WindowWords(ABC):
    """One reading of a document's windows, from which the terms of any concept can be had."""

    def __init__(self, pieces: Pieces, words: DocumentWords) -> None:
        self.pieces = pieces
        self.n_words = len(words)
        self.words_of_pieces = words.of_spans(pieces.spans)

    @abstractmethod
    def window_terms(self, columns: npt.NDArray[np.int64]) -> list[tuple[Array, Array]]:
        """For each window the terms of its pieces, (pieces, concepts), and the attention to them.

        The terms of a window and the bias add up to its `logits`.
        """

    @abstractmethod
    def logits(self, columns: npt.NDArray[np.int64]) -> Array:
        """Of each window, as they are served, (windows, concepts)."""

    @abstractmethod
    def bias(self, columns: npt.NDArray[np.int64]) -> Array:
        """The logit of a document that says nothing, for each of these concepts."""

    def terms(self, columns: npt.NDArray[np.int64], join: JoinRule) -> Array:
        """Each word's part in the joined logits, weighed by the attention that it gets.

        Shape (n_words + 1, concepts); the last row is of pieces that belong to no word.
        """
        by_window = self.window_terms(columns)
        summed = np.zeros((self.n_words + 1, len(columns)), dtype=np.float32)
        shares = window_shares(self.logits(columns), join)
        for positions, (terms, attention), share in zip(
            self.pieces.positions, by_window, shares, strict=True
        ):
            numbers = np.array(positions)
            known = numbers >= 0
            words = self.words_of_pieces[numbers[known]]
            np.add.at(summed, words, share * terms[known] * attention[known, None])
        return summed


class GuidedWords(WindowWords):
    """That of a classifier with a head for what is assigned.

    It runs the batches that the scorer runs for the document, since in bf16 a window's last digits
    depend on the windows beside it: so its logits are the served ones to the last bit.
    """

    def __init__(self, scorer: WindowScorer, pieces: Pieces, words: DocumentWords) -> None:
        super().__init__(pieces, words)
        assert scorer.model.assigned_head is not None
        self.head = scorer.model.assigned_head
        self._batches = [
            (windows, self._read(scorer, windows)) for windows in batches_by_length(pieces.windows)
        ]

    def _read(self, scorer: WindowScorer, windows: list[int]) -> TokenStates:
        input_ids, mask = padded([self.pieces.windows[i] for i in windows])
        with torch.inference_mode(), autocast(scorer.device, scorer.dtype):
            return token_states(scorer.model, input_ids.to(scorer.device), mask.to(scorer.device))

    def window_terms(self, columns: npt.NDArray[np.int64]) -> list[tuple[Array, Array]]:
        """Each piece's share of the vector that the head reads, times the concept's weights."""
        rows = torch.as_tensor(columns, device=self.head.weight.device)
        sums = self.logits(columns) - self.bias(columns)
        found: dict[int, tuple[Array, Array]] = {}
        for windows, states in self._batches:
            with torch.inference_mode():
                terms = states.terms(self.head, rows).cpu().numpy()
            for row, i in enumerate(windows):
                length = len(self.pieces.windows[i])
                attention = states.attention[row, :length].cpu().numpy()
                found[i] = without_rounding(terms[row, :length], sums[i]), attention
        return [found[i] for i in range(len(found))]

    def logits(self, columns: npt.NDArray[np.int64]) -> Array:
        """The head's, from the pass that gave the states."""
        found = np.empty((len(self.pieces.windows), len(columns)), dtype=np.float32)
        for windows, states in self._batches:
            found[windows] = states.logits.cpu().numpy()[:, columns]
        return found

    def bias(self, columns: npt.NDArray[np.int64]) -> Array:
        """The head's own."""
        bias: Array = self.head.bias.detach().cpu().numpy()[columns]
        return bias


def without_rounding(terms: Array, sums: Array) -> Array:
    """Terms that add up to given sums: what rounding left over is spread by the terms' sizes.

    A network that serves in bf16 splits its vector in other steps than it computes it.

    Args:
        terms: (pieces, concepts).
        sums: (concepts,).
    """
    sizes = np.abs(terms)
    total = sizes.sum(axis=0)
    shares = sizes / np.where(total > 0, total, 1)
    spread: Array = terms + shares * (sums - terms.sum(axis=0))
    return spread


def window_shares(logits: Array, join: JoinRule) -> Array:
    """How much each window counts for each concept; both (windows, concepts), columns sum to 1."""
    if len(logits) == 1:
        return np.ones_like(logits)
    loudness = np.exp((logits[1:] - logits[1:].max(axis=0)) / _NEARLY_AS_LOUD)
    loudest = loudness / loudness.sum(axis=0)
    text = join.max_share * loudest + (1 - join.max_share) / (len(logits) - 1)
    title = np.full((1, logits.shape[1]), join.title_weight)
    shares = np.concatenate([title, (1 - join.title_weight) * text])
    return np.asarray(shares, dtype=np.float32)

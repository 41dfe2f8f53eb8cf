"""What each word of a document adds to the logits of a model that generates labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from core.model.networks.label_beams import Found
from core.model.precision import autocast
from core.model.sequence_generator import SequenceGenerator
from core.suggest.evidence.guided_words import GuidedWords, WindowWords
from core.suggest.evidence.words import DocumentWords
from core.suggest.scoring import WindowScorer, padded
from core.suggest.windows import Pieces

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _WindowSteps:
    """What the beams found in one window.

    Attributes:
        logits: (labels,).
        probs: of every path and step, that the label comes next, (paths and steps, labels).
        attention: that this step pays to each piece, (paths and steps, pieces).
    """

    logits: Array
    probs: Array
    attention: Array

    def terms(self, columns: npt.NDArray[np.int64], bias: Array) -> Array:
        """What each piece adds to the logits of some labels, (pieces, labels).

        Of a label that came nowhere, as far as fp32 can tell, all steps count alike.
        """
        weights = self.probs[:, columns].astype(np.float64)
        weights[:, weights.sum(axis=0) == 0] = 1.0
        total = weights.sum(axis=0)
        shares = self.attention.T @ (weights / total)
        terms = shares / shares.sum(axis=0) * (self.logits[columns] - bias)
        return np.asarray(terms, dtype=np.float32)


class SequenceWords(WindowWords):
    """That of a sequence generation model.

    The decoder attends to the words at the step at which it names a label. These shares, over all
    paths that were followed and by how probable it is that the label comes there, split up by how
    much the window's logit is above that of a window without any words. No paper says how SGM
    explains itself; this is our choice.
    """

    def __init__(self, scorer: WindowScorer, pieces: Pieces, words: DocumentWords) -> None:
        super().__init__(pieces, words)
        self._windows = [_read(scorer, window) for window in pieces.windows]
        places = zip(pieces.windows[0], pieces.positions[0], strict=True)
        specials = [piece for piece, position in places if position < 0]
        self._empty = _read(scorer, specials or pieces.windows[0][:1]).logits

    def window_terms(self, columns: npt.NDArray[np.int64]) -> list[tuple[Array, Array]]:
        """The attention is in the terms already, so that each piece has that of 1 beside."""
        bias = self.bias(columns)
        terms = [window.terms(columns, bias) for window in self._windows]
        return [(part, np.ones(len(part), dtype=np.float32)) for part in terms]

    def logits(self, columns: npt.NDArray[np.int64]) -> Array:
        """Of the beams."""
        return np.stack([window.logits[columns] for window in self._windows])

    def bias(self, columns: npt.NDArray[np.int64]) -> Array:
        """The logits of a window of special tokens alone."""
        return np.asarray(self._empty[columns])


def words_of(scorer: WindowScorer, pieces: Pieces, words: DocumentWords) -> WindowWords:
    """A document as the scorer's model reads it, with its words' parts in every logit."""
    kind = SequenceWords if isinstance(scorer.model, SequenceGenerator) else GuidedWords
    return kind(scorer, pieces, words)


def _read(scorer: WindowScorer, window: tuple[int, ...] | list[int]) -> _WindowSteps:
    assert isinstance(scorer.model, SequenceGenerator)
    input_ids, mask = (tensor.to(scorer.device) for tensor in padded([window]))
    with torch.inference_mode(), autocast(scorer.device, scorer.dtype):
        found = scorer.model.search(input_ids, mask, keep_steps=True)
        return _steps(found, len(window))


def _steps(found: Found, n_pieces: int) -> _WindowSteps:
    probs = torch.cat([step.probs[0] for step in found.steps])
    attention = torch.cat([step.attention[0, :, :n_pieces] for step in found.steps])
    parts = (found.logits()[0], probs, attention)
    return _WindowSteps(*(part.float().cpu().numpy() for part in parts))

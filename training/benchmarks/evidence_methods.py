"""Methods that score how much each word of a document supports a concept, to compare with ours.

Each gives one score a word of `DocumentExplanation.words`, for one concept after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from core.errors import BundleError, ConfigError
from core.model.networks import Network
from core.model.precision import autocast
from core.suggest.backends.torch import HeadTerms, TorchBackend, padded
from core.suggest.calibration import Platt, Scaling
from core.suggest.evidence.explanation import DocumentExplanation
from core.suggest.guided import GuidedSuggester, GuidedWords
from core.suggest.label_suggester import LabelSuggester
from core.suggest.linear import LinearSuggester
from core.suggest.protocol import find_part

Array = npt.NDArray[np.float32]

Read = tuple[Tensor, Tensor]
"""Ids and attention mask, (windows, tokens)."""

IG_STEPS = 8
_WINDOWS_PER_BATCH = 8
_SURE = 1e-7


def attention_alone(explanation: DocumentExplanation) -> Array:
    """Return the attention that each word gets in the last layer, the same for every concept."""
    guided = encoder_words(explanation)
    summed = np.zeros(guided.n_words + 1, dtype=np.float32)
    for positions, (_, attention) in zip(
        guided.pieces.positions, guided.windows.terms(np.array([0])), strict=True
    ):
        numbers = np.array(positions)
        known = numbers >= 0
        np.add.at(summed, guided.words_of_pieces[numbers[known]], attention[known])
    return summed[:-1]


def word_embeddings(encoder: Any) -> Any:
    """Return the table of an encoder's or a network's words."""
    if isinstance(encoder, Network):
        return encoder.embeddings.word_embeddings
    return encoder.get_input_embeddings()


def pooled_from(network: Network, embedded: Tensor, read: Read) -> Tensor:
    """Return a network's vectors where its words have these embeddings, (windows, units).

    Not for several threads: while it lasts, the network reads nothing else.
    """
    input_ids, mask = read
    there = mask.unsqueeze(-1).to(embedded.dtype)
    handle = network.embeddings.register_forward_hook(lambda *_: embedded * there)
    try:
        vectors: Tensor = network(input_ids, mask)
    finally:
        handle.remove()
    return vectors


class IntegratedGradients:
    """Integrated gradients of the fused logit, from a text of [MASK]s without a known term.

    F(α) = ln p / (1 − p), where p is the fused probability of the guided logit of the embeddings
    m + α (e − m), with m the embedding of [MASK] in place of every word piece (special tokens and
    positions stay), and of the margin of α times the document's TF-IDF vector. A word's score is
    the sum over its pieces of (e − m) · ∂F/∂e and its share of the terms times ∂F/∂margin, both
    averaged over α = (k + ½) / 8. Source: Sundararajan, Taly and Yan (2017), equation 3.
    """

    def __init__(
        self, suggester: LabelSuggester, explanation: DocumentExplanation, *, steps: int = IG_STEPS
    ) -> None:
        self.suggester, self.explanation, self.steps = suggester, explanation, steps
        self.guided = encoder_words(explanation)
        part = find_part(suggester, GuidedSuggester)
        assert part is not None
        assert isinstance(part.backend, TorchBackend)
        self.backend = part.backend
        self.join, self.calibration = part.join, part.calibration
        self.model, self.pieces = part.backend.model, self.guided.pieces
        self.embeddings = word_embeddings(self.model.encoder)
        self.mask_id = part.reader.tokenizer.token_to_id("[MASK]")
        self.linear = find_part(suggester, LinearSuggester)
        self.linear_words = explanation.attribution("linear")

    def __call__(self, concept_ids: Sequence[str]) -> Array:
        """Return scores of every word for each concept, shape (n_words, concepts)."""
        columns = np.array([self.suggester.assigned_column(i) for i in concept_ids])
        n_words = len(self.explanation.words)
        scores = np.zeros((n_words + 1, len(columns)), dtype=np.float32)
        slopes = np.zeros(len(columns), dtype=np.float32)
        for alpha in ((np.arange(self.steps) + 0.5) / self.steps).tolist():
            logits = self._logits(alpha, columns)
            for i, column in enumerate(columns.tolist()):
                by_word, slope = self._step(alpha, column, logits[:, i])
                scores[:, i] += by_word / self.steps
                slopes[i] += slope / self.steps
        if self.linear_words is not None:
            scores += slopes * self.linear_words.terms(columns)
        return scores[:-1]

    def fused_logit(self, alpha: float, concept_id: str) -> float:
        """Return F(α) of the class's docstring."""
        column = self.suggester.assigned_column(concept_id)
        logits = self._logits(alpha, np.array([column]))[:, 0]
        read = torch.as_tensor(logits[self._windows_that_count(logits)])
        return float(self._fused_logit(read, torch.tensor(self._margin(alpha, column))))

    def _windows_that_count(self, logits: Array) -> list[int]:
        """Return the title's window and the text's highest; all where the rule averages them."""
        if len(logits) == 1:
            return [0]
        if self.join.max_share < 1:
            return list(range(len(logits)))
        return [0, 1 + int(logits[1:].argmax())]

    def _inputs(self, windows: Sequence[int], alpha: float) -> tuple[Tensor, Tensor, Read]:
        """Return embeddings on the path, their difference from [MASK]s, ids and attention mask."""
        input_ids, mask = padded([self.pieces.windows[i] for i in windows])
        longest = input_ids.shape[1]
        is_piece = torch.zeros(input_ids.shape)
        for row, i in enumerate(windows):
            positions = self.pieces.positions[i]
            is_piece[row, : min(len(positions), longest)] = torch.tensor(positions).ge(0).float()
        whole = self.embeddings(input_ids).detach()
        masked = self.embeddings(torch.tensor(self.mask_id)).detach()
        difference = (whole - masked) * is_piece.unsqueeze(-1)
        return whole - (1 - alpha) * difference, difference, (input_ids, mask)

    def _assigned(self, embedded: Tensor, read: Read, columns: Sequence[int]) -> Tensor:
        """Return logits of some columns, (windows, columns)."""
        head: Any = self.model.assigned_head
        rows = torch.as_tensor(np.asarray(columns))
        logits: Tensor = self._pooled(embedded, read) @ head.weight[rows].T + head.bias[rows]
        return logits

    def _pooled(self, embedded: Tensor, read: Read) -> Tensor:
        """Return the vectors that the head reads, (windows, units), from embeddings of words."""
        encoder, mask = self.model.encoder, read[1]
        with autocast(self.backend.device, self.backend.dtype):
            if isinstance(encoder, Network):
                return pooled_from(encoder, embedded, read).float()
            states = encoder(inputs_embeds=embedded, attention_mask=mask).last_hidden_state
        return self.model.pool(states.float(), mask)

    def _logits(self, alpha: float, columns: npt.NDArray[np.int64]) -> Array:
        """Return logits of every window, without gradients, to find the highest."""
        found = []
        with torch.inference_mode():
            for start in range(0, len(self.pieces.windows), _WINDOWS_PER_BATCH):
                windows = range(start, min(start + _WINDOWS_PER_BATCH, len(self.pieces.windows)))
                embedded, _, read = self._inputs(windows, alpha)
                found.append(self._assigned(embedded, read, columns.tolist()).numpy())
        return np.concatenate(found)

    def _step(self, alpha: float, column: int, logits: Array) -> tuple[Array, float]:
        """Return word scores of the guided part at one α, and ∂F/∂margin."""
        windows = self._windows_that_count(logits)
        embedded, difference, read = self._inputs(windows, alpha)
        embedded.requires_grad_(True)
        assigned = self._assigned(embedded, read, [column])[:, 0]
        margin = torch.tensor(self._margin(alpha, column), requires_grad=True)
        fused = self._fused_logit(assigned, margin)
        slopes = torch.autograd.grad(fused, [embedded, margin], materialize_grads=True)
        by_piece = (slopes[0] * difference).sum(dim=-1).numpy()
        return self._by_word(windows, by_piece), float(slopes[1])

    def _by_word(self, windows: Sequence[int], by_piece: Array) -> Array:
        guided = self.guided
        summed = np.zeros(guided.n_words + 1, dtype=np.float32)
        for row, i in enumerate(windows):
            numbers = np.array(self.pieces.positions[i])
            known = np.flatnonzero(numbers >= 0)
            np.add.at(summed, guided.words_of_pieces[numbers[known]], by_piece[row, known])
        return summed

    def _margin(self, alpha: float, column: int) -> float:
        if self.linear_words is None:
            return 0.0
        at = np.array([column])
        bias = float(self.linear_words.bias(at)[0])
        return bias + alpha * (float(self.linear_words.logits(at)[0]) - bias)

    def _fused_logit(self, read: Tensor, margin: Tensor) -> Tensor:
        """Return log-odds of the fused probability, from the logits of the windows that count."""
        join, has_text = self.join, self.explanation.read.has_text
        joined = read[0]
        if len(read) > 1:
            text = join.max_share * read[1:].max() + (1 - join.max_share) * read[1:].mean()
            joined = join.title_weight * read[0] + (1 - join.title_weight) * text
        p = _probability(self.calibration.scaling(has_text=has_text), joined)
        if self.linear is not None:
            weight, rest = (part.weight for part in self.explanation.attributions)
            scaling = self.linear.calibration.scaling(has_text=has_text)
            p = weight * p + rest * _probability(scaling, margin)
        return torch.logit(p.clamp(_SURE, 1 - _SURE))


def encoder_words(explanation: DocumentExplanation) -> GuidedWords:
    """Return the guided suggester's reading, for what looks into an encoder.

    Raises:
        BundleError: the bundle has a linear suggester alone, or generates labels.
    """
    words = explanation.attribution("guided")
    if not isinstance(words, GuidedWords) or not isinstance(words.windows, HeadTerms):
        what = "a linear suggester alone" if words is None else "a label decoder"
        raise BundleError(
            f"The bundle has {what}, and no encoder with a head to look into: name another bundle."
        )
    return words


def _probability(scaling: Scaling, logit: Tensor) -> Tensor:
    if not isinstance(scaling, Platt):
        raise ConfigError("Evidence is compared on models of several labels a document.")
    return torch.sigmoid(scaling.slope * logit + scaling.bias)

"""HAN: attention over the words of a sentence, and over the sentences of a text.

Source: Yang, Yang, Dyer, He, Smola and Hovy (2016), “Hierarchical attention networks for document
classification”, equations 1 to 10 (GRU, word attention, sentence attention).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.model.networks.network import Network, NetworkConfig


@dataclass(frozen=True, slots=True)
class Sentences:
    """Which sentence of a batch each token is in; tokens and sentences without padding, in order.

    Attributes:
        sentence: of each token, counted through the batch, shape (tokens,).
        place: of each token in its sentence, shape (tokens,).
        text: that each sentence is of, shape (sentences,).
    """

    sentence: Tensor
    place: Tensor
    text: Tensor

    @property
    def place_in_text(self) -> Tensor:
        """Of each sentence in its text, shape (sentences,)."""
        first = torch.searchsorted(self.text, self.text)
        return torch.arange(len(self.text), device=self.text.device) - first


class AttentiveGru(nn.Module):
    """States h_t of a bidirectional GRU, and α = softmax(uᵀ · tanh(W h_t + b)) over them.

    Source: Yang et al. (2016), equations 5 and 6 for words, 8 and 9 for sentences.
    """

    def __init__(self, vector_size: int, hidden_units: int) -> None:
        super().__init__()
        width = 2 * hidden_units
        self.gru = nn.GRU(vector_size, hidden_units, batch_first=True, bidirectional=True)
        self.projection = nn.Linear(width, width)
        self.context = nn.Linear(width, 1, bias=False)

    def forward(self, vectors: Tensor, row: Tensor, place: Tensor) -> tuple[Tensor, Tensor]:
        """Return states (rows, places, 2 · hidden units) and attention (rows, places), 0 at
        padding.

        Packed sequences serve more than twice as fast as padded ones, and train a little faster
        (190 sentences of 4 to 45 words, 50 units, one core: 0.023 s a batch, not 0.056 s).

        Args:
            vectors: (vectors, units), each with the row and the place in it that it belongs to.
        """
        lengths = torch.bincount(row)
        padded = vectors.new_zeros(len(lengths), int(lengths.max()), vectors.shape[1])
        padded = padded.index_put((row, place), vectors)
        packed = pack_padded_sequence(padded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        scores = self.context(self.projection(states).tanh()).squeeze(-1)
        places = torch.arange(states.shape[1], device=states.device)
        scores = scores.masked_fill(places >= lengths.unsqueeze(1), -torch.inf)
        return states, scores.softmax(dim=-1)


class Han(Network):
    """v = Σ α_i h_i over sentences i, whose vectors are s_i = Σ α_it h_it over their words."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.words = AttentiveGru(config.vector_size, config.hidden_units)
        self.sentences = AttentiveGru(2 * config.hidden_units, config.hidden_units)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, 2 · hidden units)."""
        there = attention_mask.bool()
        sentence_words = self.find_sentences(input_ids, there)
        vectors = self.embeddings(input_ids, attention_mask)[there]
        states, of_words = self.words(vectors, sentence_words.sentence, sentence_words.place)
        of_sentences = attended(states, of_words)
        return attended(
            *self.sentences(of_sentences, sentence_words.text, sentence_words.place_in_text)
        )

    def find_sentences(self, input_ids: Tensor, there: Tensor) -> Sentences:
        """Return each sentence, up to the last of its ends (“?!”) or the most tokens it may
        have.
        """
        ids, text = input_ids[there], there.nonzero()[:, 0]
        ends = torch.isin(ids, ids.new_tensor(self.config.sentence_ends))
        starts = torch.ones_like(ends)
        starts[1:] = (text[1:] != text[:-1]) | (ends[:-1] & ~ends[1:])
        index = torch.arange(len(ids), device=ids.device)
        place = index - torch.where(starts, index, 0).cummax(dim=0).values
        place = place % self.config.max_sentence_tokens
        return Sentences((place == 0).cumsum(dim=0) - 1, place, text[place == 0])


def attended(states: Tensor, attention: Tensor) -> Tensor:
    """Return Σ α_t h_t of each row (Yang et al. 2016, equations 7 and 10), (rows, units)."""
    return (attention.unsqueeze(1) @ states).squeeze(1)

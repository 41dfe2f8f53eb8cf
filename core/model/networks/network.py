"""What every small network is: word vectors, and one vector for a text of them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from core.model.networks.config import NetworkConfig

# Uniform in ±0.25, as the code of Kim (2014) and hedwig draw vectors, so that they have about the
# variance of word2vec's.
_SPREAD = 0.25


class WordVectors(nn.Module):
    """A vector for each word; in training some words of the vocabulary are left out of a step.

    Source: Merity, Keskar and Socher (2018), section 4.3 (dropout of whole words, the same in all
    places of a step, others scaled by 1/(1 - share)).
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.dropout = config.embedding_dropout
        self.word_embeddings = nn.Embedding(config.vocab_size, config.vector_size)
        nn.init.uniform_(self.word_embeddings.weight, -_SPREAD, _SPREAD)
        self.word_embeddings.weight.requires_grad_(config.train_vectors)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, tokens, units), zeros at padding."""
        kept = attention_mask.to(self.word_embeddings.weight.dtype)
        if self.training and self.dropout:
            kept = kept * self._kept_words()[input_ids]
        vectors: Tensor = self.word_embeddings(input_ids) * kept.unsqueeze(-1)
        return vectors

    def _kept_words(self) -> Tensor:
        """Of each word of the vocabulary 0, or what makes up for those left out."""
        share = 1 - self.dropout
        return torch.full_like(self.word_embeddings.weight[:, 0], share).bernoulli() / share

    def start_from(self, vectors: Tensor) -> None:
        """Take these (vocabulary, units) in the place of random ones."""
        with torch.no_grad():
            self.word_embeddings.weight.copy_(vectors)


class Network(nn.Module, ABC):
    """One vector a text, with padding left out; an encoder of one layer for the heads above."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.embeddings = WordVectors(config)

    @abstractmethod
    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, `config.hidden_size`) from ids and mask (batch, tokens), padded on the
        right.
        """

    def shares(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return what each token adds to the text's vector: (batch, tokens, `config.hidden_size`).

        They add up to the vector that is served, and are zeros at padding: evidence is made of
        them. A network that does not tell shares equally.
        """
        equal = attention_mask / attention_mask.sum(dim=1, keepdim=True)
        vectors: Tensor = self(input_ids, attention_mask)
        return equal.unsqueeze(-1) * vectors.unsqueeze(1)

"""The common base of the small networks: sizes, word vectors, and one vector a text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn

from core.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """The shape of a small network; what a kind has no use for, it does not read.

    Attributes:
        model_type: the kind, a key of `NETWORKS`.
        vocab_size: rows of the word vectors.
        vector_size: units of a word vector.
        hidden_units: of a recurrent layer, in each direction.
        channels: filters of each width.
        widths: words that a filter spans.
        pool: chunks of a text of which each gives its maximum (`xml_cnn`).
        bottleneck: units of the layer below the heads (`xml_cnn`).
        embedding_dropout: share of the words of the vocabulary that a training step does without.
        weight_drop: share of the hidden-to-hidden weights that a training step does without.
        sentence_ends: ids of the tokens that end a sentence (`han`).
        max_sentence_tokens: a sentence without an end is cut after so many (`han`).
    Raises:
        ConfigError: a size is below 1, or a share is not in [0, 1).
    """

    model_type: str
    vocab_size: int
    vector_size: int = 300
    hidden_units: int = 512
    channels: int = 100
    widths: tuple[int, ...] = (3, 4, 5)
    pool: int = 8
    bottleneck: int = 512
    embedding_dropout: float = 0.0
    weight_drop: float = 0.0
    sentence_ends: tuple[int, ...] = ()
    max_sentence_tokens: int = 60

    def __post_init__(self) -> None:
        for name in ("vocab_size", "vector_size", "hidden_units", "channels", "pool"):
            self._require(name, getattr(self, name) >= 1, "at least 1")
        for name in ("bottleneck", "max_sentence_tokens"):
            self._require(name, getattr(self, name) >= 1, "at least 1")
        for name in ("embedding_dropout", "weight_drop"):
            self._require(name, 0 <= getattr(self, name) < 1, "at least 0 and below 1")
        self._require("widths", bool(self.widths) and min(self.widths) >= 1, "all at least 1")

    def _require(self, name: str, fulfilled: bool, what: str) -> None:
        if not fulfilled:
            raise ConfigError(f"network.{name} is {getattr(self, name)}: it must be {what}.")

    @classmethod
    def from_dict(cls, settings: Mapping[str, Any]) -> NetworkConfig:
        """Return what `to_diff_dict` gave, read back; an unknown setting is a TypeError."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
        }
        return cls(**plain)

    def to_diff_dict(self) -> dict[str, Any]:
        """Return this as plain values, for a bundle's manifest; named as the encoders' own method
        is.
        """
        defaults = {f.name: f.default for f in fields(self)}
        settings = {k: v for k, v in asdict(self).items() if v != defaults[k]}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}

    @property
    def hidden_size(self) -> int:
        """Width of the text's vector, which the heads read."""
        by_kind = {
            "kim_cnn": len(self.widths) * self.channels,
            "xml_cnn": self.bottleneck,
        }
        return by_kind.get(self.model_type, 2 * self.hidden_units)

    @property
    def num_hidden_layers(self) -> int:
        """For the plans, a network is an encoder of one layer."""
        return 1

    @property
    def initializer_range(self) -> float:
        """Standard deviation of what is added to a network at random, such as label embeddings."""
        return 0.02


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

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, tokens, units), zeros at padding."""
        is_kept = attention_mask.to(self.word_embeddings.weight.dtype)
        if self.training and self.dropout:
            is_kept = is_kept * self._kept_words()[input_ids]
        vectors: Tensor = self.word_embeddings(input_ids) * is_kept.unsqueeze(-1)
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

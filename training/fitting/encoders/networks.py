"""The configured network, with its words and the vectors that it starts from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor

from core.errors import ConfigError
from core.model.guided import load_encoder
from core.model.networks import Network, NetworkConfig, build_network
from training.config import ModelConfig, NetworkSettings
from training.fitting.encoders.word_vectors import read_vectors, with_missing
from training.fitting.resume import shape_in

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""Ids from 0; what is no word. Padding is 0, as everywhere that inputs are padded."""


def word_tokenizer(texts: Iterable[str], *, max_words: int, min_count: int) -> Tokenizer:
    """Return a tokenizer of lower-cased words and punctuation marks between [CLS] and [SEP].

    The words are the most frequent ones; of two equally frequent, the first in the alphabet. It
    keeps the offsets of words, so that documents, bundles and evidence read it as they read word
    pieces.

    Raises:
        ConfigError: no word occurs often enough.
    """
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordLevelTrainer(
        vocab_size=max_words + len(SPECIAL),
        min_frequency=min_count,
        special_tokens=list(SPECIAL),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    if tokenizer.get_vocab_size() == len(SPECIAL):
        raise ConfigError(
            f"No word of the training documents occurs {min_count} times or more, so a network "
            "would know none; lower network.min_count, or train on more documents."
        )
    ids = tokenizer.get_vocab()
    frame = (("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    tokenizer.post_processor = processors.BertProcessing(*frame)
    return tokenizer


def sentence_ends(tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return ids of the tokens that end a sentence, as far as the tokenizer knows them."""
    found = (tokenizer.token_to_id(token) for token in (".", "!", "?", "。", "[SEP]"))
    return tuple(sorted(token_id for token_id in found if token_id is not None))


VECTORS = "encoder.embeddings.word_embeddings.weight"
"""Name of the word vectors among the weights of a run."""


def network_tokenizer(settings: NetworkSettings, texts: Iterable[str]) -> Tokenizer:
    """Return the tokenizer of the training documents' words, for a network with own vectors."""
    return word_tokenizer(texts, max_words=settings.max_words, min_count=settings.min_count)


def new_network(
    settings: NetworkSettings, model: ModelConfig, tokenizer: Tokenizer, *, seed: int
) -> Network:
    """Return the configured network with word vectors as configured, and all else random.

    Raises:
        ConfigError: the encoder or the file of word vectors is not there, or damaged.
    """
    vectors = _start_vectors(settings, model, tokenizer, seed)
    if vectors is None:
        rows, size = tokenizer.get_vocab_size(), settings.vector_size
        return build_network(network_config(settings, tokenizer, rows, size))
    network = build_network(network_config(settings, tokenizer, *vectors.shape))
    network.embeddings.start_from(vectors)
    return network


def trained_network(settings: NetworkSettings, tokenizer: Tokenizer, weights: Path) -> Network:
    """Return the network of a finished run, which needs no file of word vectors any more.

    Raises:
        ConfigError: the weights are gone or damaged.
    """
    vocab_size, vector_size = shape_in(weights, VECTORS)
    # An encoder may have more pieces than its tokenizer knows; words are as many as there are.
    rows = vocab_size if settings.vectors == "encoder" else tokenizer.get_vocab_size()
    return build_network(network_config(settings, tokenizer, rows, vector_size))


def network_config(
    settings: NetworkSettings, tokenizer: Tokenizer, vocab_size: int, vector_size: int
) -> NetworkConfig:
    """Return the sizes of the network's parts.

    Args:
        vocab_size: rows of the word vectors; an encoder may have more than its tokenizer knows.
    """
    sizes: dict[str, Any] = {
        name: getattr(settings, name)
        for name in (
            *("hidden_units", "channels", "bottleneck", "pool"),
            *("embedding_dropout", "weight_drop", "train_vectors"),
        )
    }
    return NetworkConfig(
        model_type=settings.kind,
        vocab_size=vocab_size,
        vector_size=vector_size,
        widths=tuple(map(int, settings.widths.split(","))),
        sentence_ends=sentence_ends(tokenizer) if settings.kind == "han" else (),
        **sizes,
    )


def _start_vectors(
    settings: NetworkSettings, model: ModelConfig, tokenizer: Tokenizer, seed: int
) -> Tensor | None:
    """Return rows by id of the tokenizer; None for those that a network draws itself."""
    if settings.vectors == "random":
        return None
    if settings.vectors == "encoder":
        return piece_vectors(model.encoder)
    vectors, known = read_vectors(Path(settings.vectors), tokenizer.get_vocab())
    return torch.from_numpy(with_missing(vectors, known, np.random.default_rng(seed)))


def piece_vectors(encoder: str) -> Tensor:
    """Return an encoder's embeddings of its word pieces, (pieces, units).

    Raises:
        ConfigError: there is no such encoder.
    """
    loaded: Any = load_encoder(encoder)
    weight: Tensor = loaded.get_input_embeddings().weight.detach().clone()
    return weight

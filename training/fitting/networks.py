"""The configured network with its words and vectors, and what of a configuration does not fit one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from core.errors import ConfigError
from core.model.guided import load_encoder
from core.model.networks import Network, NetworkConfig, build_network
from core.model.sequence_generator import check_generator
from training.config import ModelConfig, NetworkSettings, RunConfig
from training.fitting.resume import shape_in
from training.fitting.vocabulary import sentence_ends, word_tokenizer
from training.fitting.word_vectors import read_vectors, with_missing

VECTORS = "encoder.embeddings.word_embeddings.weight"
"""Name of the word vectors among the weights of a run."""


def check_network(config: RunConfig) -> None:
    """Refuse settings that a network has no use for, rather than pass them over.

    Raises:
        ConfigError: one of them is set.
    """
    kind, model = config.network.kind, config.model
    if kind == "none":
        return
    if kind == "sgm":
        check_generator(model, learns_assigned=model.assigned_head)
    for name, taken, why in _REFUSED:
        value = getattr(model, name)
        if value not in taken:
            raise ConfigError(
                f"A network ({kind}) {why}: set model.{name} = “{taken[0]}”, not “{value}”."
            )


_REFUSED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("plan", ("none", "flat"), "has one layer, so that all levels are learned on it"),
    ("auxiliary_plan", ("none", "flat"), "has one layer, so that all levels are learned on it"),
    ("pooling", ("cls",), "makes one vector of a text in its own way"),
    ("initialise_heads", ("zero",), "knows no names before it is trained"),
    ("label_embeddings", ("none",), "has no self-attention that labels could be embedded in"),
    ("guided_heads", ("none",), "has no attention heads that could be guided"),
    ("label_attention", ("none",), "gives one vector a text, and no pieces to attend to"),
    ("frozen", ("none",), "learns its word vectors, or not, by network.train_vectors"),
)
"""Setting of [model], what of it applies, and why no more does."""


def check_select(config: RunConfig) -> None:
    """Refuse to choose weights by what is not measured.

    Raises:
        ConfigError: micro-F1 is asked for, and there is no head for what is assigned.
    """
    if config.optim.select == "micro_f1" and not config.model.assigned_head:
        raise ConfigError(
            "optim.select = “micro_f1” chooses weights by what the assigned head says, and there "
            "is no head for what is assigned: set model.assigned_head = true, or take “loss”."
        )


def check_patience(config: RunConfig) -> None:
    """Refuse to choose among weights where none but the last are kept.

    A finished run may have been asked to: nothing was chosen, and its weights are good.

    Raises:
        ConfigError: micro-F1 is to choose, and there is no patience.
    """
    if config.optim.select == "micro_f1" and not config.optim.patience:
        raise ConfigError(
            "optim.select = “micro_f1” chooses the best weights, and without optim.patience the last "
            "ones are kept: set optim.patience to epochs that may pass without a better one, or "
            "leave out optim.select."
        )


def network_tokenizer(settings: NetworkSettings, texts: Iterable[str]) -> Tokenizer:
    """The words of the training documents as a network reads them; not for an encoder's vectors."""
    return word_tokenizer(texts, max_words=settings.max_words, min_count=settings.min_count)


def new_network(
    settings: NetworkSettings, model: ModelConfig, tokenizer: Tokenizer, *, seed: int
) -> Network:
    """The configured network with word vectors as configured, and all else random.

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
    """The network of a finished run, which needs no file of word vectors any more.

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
    """The sizes of the network's parts.

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
    """Rows by id of the tokenizer; None for those that a network draws itself."""
    if settings.vectors == "random":
        return None
    if settings.vectors == "encoder":
        return piece_vectors(model.encoder)
    vectors, known = read_vectors(Path(settings.vectors), tokenizer.get_vocab())
    return torch.from_numpy(with_missing(vectors, known, np.random.default_rng(seed)))


def piece_vectors(encoder: str) -> Tensor:
    """An encoder's embeddings of its word pieces, (pieces, units).

    Raises:
        ConfigError: there is no such encoder.
    """
    loaded: Any = load_encoder(encoder)
    weight: Tensor = loaded.get_input_embeddings().weight.detach().clone()
    return weight

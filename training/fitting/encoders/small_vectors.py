"""Word vectors for a small student: an encoder's embeddings of word pieces, in fewer dimensions.

The embeddings of a large encoder are the largest part of it, and of a student that takes them as they
are. Their first principal components keep most of what tells words apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from training.config import RunConfig
from training.corpora.sampling import training_documents
from training.fitting.encoders.networks import SPECIAL, network_tokenizer, piece_vectors
from training.fitting.inputs import text_limit
from training.fitting.run import load_tokenizer
from training.judging.folders import load_corpus

Array = npt.NDArray[np.float32]

_SPREAD = 0.25 / np.sqrt(3)
"""Standard deviation of random word vectors, uniform in ±0.25: those of an encoder get the same."""


def write_small_vectors(config: RunConfig, encoder: str, size: int, out: Path) -> Path:
    """Write the vectors of the training documents' words, for `network.vectors`.

    A word of several pieces gets the mean of theirs.

    Raises:
        ConfigError: the encoder is not there, or has fewer units than asked for.
    """
    words = _words(config)
    tokenizer = load_tokenizer(encoder)
    pieces = principal_components(piece_vectors(encoder).numpy(), size)
    ids = [tokenizer.encode(word, add_special_tokens=False).ids for word in words]
    vectors = np.stack([pieces[of_word].mean(axis=0) for of_word in ids])
    out.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{word} {_numbers(row)}\n" for word, row in zip(words, vectors, strict=True))
    out.write_text("".join(lines), encoding="utf-8")
    return out


def _words(config: RunConfig) -> list[str]:
    """What a network of this configuration knows, the special tokens left out."""
    corpus = load_corpus(config.data)
    rows = training_documents(corpus, config.data, config.seed)
    limit = text_limit(config.reading)
    texts: Iterable[str] = (
        text for row in rows for text in (row.document.title, row.document.text[:limit])
    )
    known = network_tokenizer(config.network, texts).get_vocab()
    return sorted(known.keys() - set(SPECIAL), key=known.__getitem__)


def principal_components(vectors: Array, size: int) -> Array:
    """The vectors on their first axes, scaled to the spread of random ones.

    Args:
        vectors: shape (pieces, units).
    Returns:
        Shape (pieces, size).
    Raises:
        ConfigError: there are fewer units than that.
    """
    if not 1 <= size <= vectors.shape[1]:
        raise ConfigError(
            f"The encoder's vectors have {vectors.shape[1]} units; take 1 to as many."
        )
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)  # ascending
    projected = centred @ axes[:, ::-1][:, :size]
    return np.asarray(projected * (_SPREAD / projected.std()), dtype=np.float32)


def _numbers(row: Array) -> str:
    return " ".join(f"{number:.4f}" for number in row)

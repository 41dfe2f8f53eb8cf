"""The vectors of an encoder's word pieces made smaller for a student.

The first principal components of an encoder's embeddings, which are the largest part of it, keep
most of what distinguishes words.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA

from core.errors import ConfigError
from training.config import RunConfig
from training.corpora.sampling import training_documents
from training.fitting.encoders.networks import SPECIAL, piece_vectors, word_tokenizer
from training.fitting.inputs import text_limit
from training.fitting.run import load_tokenizer
from training.judging.folders import load_corpus
from training.judging.recorded import write_text

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
    lines = (f"{word} {_numbers(row)}\n" for word, row in zip(words, vectors, strict=True))
    write_text(out, "".join(lines))
    return out


def _words(config: RunConfig) -> list[str]:
    corpus = load_corpus(config.data)
    rows = training_documents(corpus, config.data, config.seed)
    limit = text_limit(config.reading)
    texts: Iterable[str] = (
        text for row in rows for text in (row.document.title, row.document.text[:limit])
    )
    network = config.network
    vocabulary = word_tokenizer(
        texts, max_words=network.max_words, min_count=network.min_count
    ).get_vocab()
    return sorted(vocabulary.keys() - set(SPECIAL), key=vocabulary.__getitem__)


def principal_components(vectors: Array, size: int) -> Array:
    """Return the vectors on their first axes, scaled to the spread of random ones.

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
    pca = PCA(size, svd_solver="covariance_eigh")
    projected = pca.fit_transform(vectors.astype(np.float64))
    return np.asarray(projected * (_SPREAD / projected.std()), dtype=np.float32)


def _numbers(row: Array) -> str:
    return " ".join(f"{number:.4f}" for number in row)

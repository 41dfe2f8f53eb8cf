"""An encoder made deeper, and the vectors of its word pieces made smaller for a student.

Source, for deeper ones: Gong et al. (2019), Efficient Training of BERT by Progressively Stacking:
layer i of the shallow model initialises layers i and i + n of one twice as deep, which is then
trained on. The first principal components of an encoder's embeddings, which are the largest part of
it, keep most of what distinguishes words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from sklearn.decomposition import PCA
from torch import Tensor, nn
from transformers import AutoTokenizer, PreTrainedConfig

from core.errors import ConfigError
from core.model.guided import empty_encoder
from training.config import RunConfig
from training.corpora.sampling import training_documents
from training.fitting.encoders.networks import SPECIAL, piece_vectors, word_tokenizer
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.inputs import text_limit
from training.fitting.run import load_tokenizer
from training.judging.folders import load_corpus
from training.judging.recorded import write_text

Array = npt.NDArray[np.float32]

_SPREAD = 0.25 / np.sqrt(3)
"""Standard deviation of random word vectors, uniform in ±0.25: those of an encoder get the same."""


_LAYER = re.compile(r"^(?P<before>.*\blayers?\.)(?P<number>\d+)(?P<after>\..*)$")


def stack_encoder(source: str, out: Path, *, times: int = 2) -> Path:
    """Write the encoder `source` with its layers repeated `times` times, and its tokenizer.

    Args:
        source: hub id or folder.
        out: folder that `model.encoder` of a configuration can name.
    Raises:
        ConfigError: fewer than two times, or an encoder whose layers are not found.
    """
    if times < 2:
        raise ConfigError(f"An encoder is stacked two times or more often, not {times}.")
    stacked = stacked_encoder(load_encoder(source), times=times)
    out.mkdir(parents=True, exist_ok=True)
    stacked.save_pretrained(out)  # type: ignore[operator]
    AutoTokenizer.from_pretrained(source).save_pretrained(out)
    return out


def stacked_encoder(shallow: nn.Module, *, times: int) -> nn.Module:
    """Return a new encoder with the layers 1 … n of `shallow`, then 1 … n again, and so on.

    Raises:
        ConfigError: the parameters of its layers are not clear from their names.
    """
    config = shallow.config
    assert isinstance(config, PreTrainedConfig)
    n_layers: int = config.num_hidden_layers
    deeper = type(config).from_dict(config.to_dict() | {"num_hidden_layers": n_layers * times})
    encoder = empty_encoder(deeper)
    weights = shallow.state_dict()
    try:
        encoder.load_state_dict(
            {name: _source(name, weights, n_layers) for name in encoder.state_dict()}
        )
    except KeyError as error:
        raise ConfigError(f"The encoder has no parameter {error} to stack.") from error
    return encoder


def _source(name: str, weights: dict[str, Tensor], n_layers: int) -> Tensor:
    layer = _LAYER.match(name)
    if layer is None:
        return weights[name]
    number = int(layer["number"]) % n_layers
    return torch.clone(weights[f"{layer['before']}{number}{layer['after']}"])


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

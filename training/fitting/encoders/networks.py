"""The configured network, with its words and the vectors that it starts from."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor

from core.errors import ConfigError
from core.model.networks import Network, NetworkConfig, build_network
from training.config import ModelConfig, NetworkSettings
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.resume import shape_in
from training.networks import NETWORKS

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
    token_ids = (tokenizer.token_to_id(token) for token in (".", "!", "?", "。", "[SEP]"))
    return tuple(sorted(token_id for token_id in token_ids if token_id is not None))


VECTORS = "encoder.embeddings.word_embeddings.weight"
"""Name of the word vectors among the weights of a run."""


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
        return build_network(network_config(settings, tokenizer, rows, size), NETWORKS)
    network = build_network(network_config(settings, tokenizer, *vectors.shape), NETWORKS)
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
    return build_network(network_config(settings, tokenizer, rows, vector_size), NETWORKS)


def network_config(
    settings: NetworkSettings, tokenizer: Tokenizer, vocab_size: int, vector_size: int
) -> NetworkConfig:
    """Return the sizes of the network's parts.

    Args:
        vocab_size: rows of the word vectors; an encoder may have more than its tokenizer knows.
    """
    sizes: dict[str, Any] = {
        name: getattr(settings, name)
        for name in ("hidden_units", "embedding_dropout", "weight_drop")
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
    if settings.vectors == "random":
        return None
    if settings.vectors == "encoder":
        return piece_vectors(model.encoder)
    vectors, has_vector = read_vectors(Path(settings.vectors), tokenizer.get_vocab())
    return torch.from_numpy(with_missing(vectors, has_vector, np.random.default_rng(seed)))


def piece_vectors(encoder: str) -> Tensor:
    """Return an encoder's embeddings of its word pieces, (pieces, units).

    Raises:
        ConfigError: there is no such encoder.
    """
    loaded: Any = load_encoder(encoder)
    weight: Tensor = loaded.get_input_embeddings().weight.detach().clone()
    return weight


# ---------------------------------------------------------------------- word vectors from a file

Array = npt.NDArray[np.float32]

_FIRST_LINES = 100


def read_vectors(path: Path, vocabulary: Mapping[str, int]) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the vectors of known words, and which words the file has.

    The file holds a word and its numbers a line, with blanks between; word2vec's first line, which
    counts words and numbers, is passed over, and the name may end in `.gz`. How many numbers a line
    has, is what most of the first lines have; GloVe has words with blanks in them, such as
    “at name@domain.com”. Numbers of unknown words are not read. Of a word that comes twice, as
    “The” and “the” do when lower-cased, the first line counts: files are sorted by frequency.

    Args:
        vocabulary: word -> id, from 0 without gaps.
    Returns:
        Shape (words, units), zeros where the file has no vector, and shape (words,).
    Raises:
        ConfigError: the file cannot be read, is of another format, or has none of the words.
    """
    rows: dict[int, Array] = {}
    size = _size(path)
    for number, fields in _lines(path):
        word = " ".join(fields[:-size])
        if len(fields) <= size or (len(fields) > size + 1 and _is_number(fields[-size - 1])):
            raise _broken(path, number, f"has {len(fields) - 1} numbers and the others {size}")
        row = vocabulary.get(word.lower())
        if row is not None and row not in rows:
            rows[row] = _vector(path, number, fields[-size:])
    if not rows:
        raise ConfigError(
            f"{path} has a vector for none of the {len(vocabulary):,} words of the training "
            "documents: is it of another language?"
        )
    vectors = np.zeros((len(vocabulary), size), dtype=np.float32)
    vectors[list(rows)] = np.stack(list(rows.values()))
    has_vector = np.zeros(len(vocabulary), dtype=bool)
    has_vector[list(rows)] = True
    return vectors, has_vector


def with_missing(
    vectors: Array, has_vector: npt.NDArray[np.bool_], rng: np.random.Generator
) -> Array:
    """Return random vectors for the words that a file lacks, of the variance of those that it has.

    Uniform in ±a, where a² / 3 is that variance. Source: Kim (2014), section 4.3.
    """
    spread = float(np.sqrt(3 * vectors[has_vector].var()))
    drawn = rng.uniform(-spread, spread, size=vectors.shape).astype(np.float32)
    return np.where(has_vector[:, None], vectors, drawn)


def _size(path: Path) -> int:
    """Return how many numbers most of the first lines have; 1 where there is no line."""
    counts = Counter(len(fields) - 1 for _, fields in islice(_lines(path), _FIRST_LINES))
    return counts.most_common(1)[0][0] if counts else 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number, and word and numbers of each line, without word2vec's first."""
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                # No split at every blank: fastText has words that are blanks of other kinds.
                fields = line.rstrip("\r\n ").split(" ")
                is_header = number == 1 and len(fields) == 2
                if len(fields) > 1 and not is_header:
                    yield number, fields
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is no text: word2vec's binary files are to be written as text first, with a "
            "word and its numbers a line."
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigError(f"{path} cannot be read ({error}).") from error


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8", newline="\n")


def _vector(path: Path, number: int, numbers: list[str]) -> Array:
    try:
        vector = np.array(numbers, dtype=np.float32)
    except ValueError as error:
        raise _broken(path, number, f"holds what is no number ({error})") from error
    if not np.isfinite(vector).all():
        raise _broken(path, number, "holds a number that is not finite")
    return vector


def _broken(path: Path, number: int, what: str) -> ConfigError:
    return ConfigError(
        f"{path} is no file of word vectors: line {number} {what}. Each line is a word and its "
        "numbers, with blanks between, as word2vec and GloVe write text."
    )

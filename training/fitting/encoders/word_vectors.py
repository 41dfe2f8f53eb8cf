"""Word vectors from a file in the text format of word2vec, fastText or GloVe."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError

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
    found: dict[int, Array] = {}
    size = _size(path)
    for number, fields in _lines(path):
        word = " ".join(fields[:-size])
        if len(fields) <= size or (len(fields) > size + 1 and _is_number(fields[-size - 1])):
            raise _broken(path, number, f"has {len(fields) - 1} numbers and the others {size}")
        row = vocabulary.get(word.lower())
        if row is not None and row not in found:
            found[row] = _vector(path, number, fields[-size:])
    if not found:
        raise ConfigError(
            f"{path} has a vector for none of the {len(vocabulary):,} words of the training "
            "documents: is it of another language?"
        )
    vectors = np.zeros((len(vocabulary), size), dtype=np.float32)
    vectors[list(found)] = np.stack(list(found.values()))
    known = np.zeros(len(vocabulary), dtype=bool)
    known[list(found)] = True
    return vectors, known


def with_missing(vectors: Array, known: npt.NDArray[np.bool_], rng: np.random.Generator) -> Array:
    """Return random vectors for the words that a file lacks, of the variance of those that it has.

    Uniform in ±a, where a² / 3 is that variance. Source: Kim (2014), section 4.3.
    """
    spread = float(np.sqrt(3 * vectors[known].var()))
    drawn = rng.uniform(-spread, spread, size=vectors.shape).astype(np.float32)
    return np.where(known[:, None], vectors, drawn)


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

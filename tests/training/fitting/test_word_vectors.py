"""Word vectors from files: what is read of them, and what is said of those that are broken."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from training.fitting.encoders.networks import (
    read_vectors,
    sentence_ends,
    with_missing,
    word_tokenizer,
)

WORDS = {"[PAD]": 0, "bay": 1, "fish": 2}


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("header", ["", "2 2\n"])
def test_glove_and_word2vec_are_read_alike(tmp_path: Path, header: str) -> None:
    path = written(tmp_path, f"{header}Fish 1 -2.5\nship 0 0\nfish 9 9 \n")
    vectors, known = read_vectors(path, WORDS)
    assert vectors.tolist() == [[0, 0], [0, 0], [1, -2.5]]
    assert known.tolist() == [False, False, True]


def test_packed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress(b"bay 1 2 3\n"))
    assert read_vectors(path, WORDS)[0][1].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fish 1 2\nbay 1\n", "line 2 has 1 numbers and the others 2"),
        ("ship 1 2\nfish 1 2\nbay 1 2 3\n", "line 3 has 3 numbers and the others 2"),
        ("fish 1 two\n", "line 1 holds what is no number"),
        ("fish 1 nan\n", "not finite"),
        ("ship 1 2\n", "none of the 3 words"),
        ("", "none of the 3 words"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_vectors(written(tmp_path, text), WORDS)


def test_words_may_have_blanks_in_them(tmp_path: Path) -> None:
    text = "ship 1 2\n. . . 3 4\nat name@domain.com 5 6\nbay 7 8\n"
    vectors, known = read_vectors(written(tmp_path, text), WORDS)
    assert (vectors[1].tolist(), known.tolist()) == ([7, 8], [False, True, False])


def test_a_damaged_packed_file_is_said_to_be_none(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"bay 1 2 3\n" * 50))
    packed[10] = 0xFF  # a block of a kind that there is not
    (tmp_path / "vectors.txt.gz").write_bytes(packed)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_vectors(tmp_path / "vectors.txt.gz", WORDS)


def test_a_binary_file_is_told_from_text(tmp_path: Path) -> None:
    path = tmp_path / "vectors.bin"
    path.write_bytes(b"2 2\nfish \x80\x3f\xff\xfe")
    with pytest.raises(ConfigError, match="binary files are to be written as text"):
        read_vectors(path, WORDS)


def test_words_without_a_vector_are_drawn_as_wide_as_the_others_are() -> None:
    rng = np.random.default_rng(1)
    vectors = np.zeros((2000, 10), dtype=np.float32)
    known = np.arange(2000) < 1000
    vectors[known] = rng.normal(scale=0.4, size=(1000, 10))
    filled = with_missing(vectors, known, rng)
    assert np.array_equal(filled[known], vectors[known])
    assert filled[~known].std() == pytest.approx(0.4, rel=0.05)


def test_the_most_frequent_words_are_known_in_the_order_of_the_alphabet() -> None:
    texts = ["Fish, fish and BAY.", "the bay and the sea"]
    tokenizer = word_tokenizer(texts, max_words=4, min_count=2)
    assert sorted(tokenizer.get_vocab(), key=tokenizer.token_to_id)[5:] == [
        *("and", "bay", "fish", "the"),
    ]
    encoding = tokenizer.encode("The Sea-Bay")
    assert encoding.tokens == ["[CLS]", "the", "[UNK]", "[UNK]", "bay", "[SEP]"]
    assert encoding.offsets[1:-1] == [(0, 3), (4, 7), (7, 8), (8, 11)]


def test_a_vocabulary_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"lower network\.min_count"):
        word_tokenizer(["one word each"], max_words=9, min_count=2)


def test_sentences_end_at_the_marks_that_are_known() -> None:
    tokenizer = word_tokenizer(["a . b . c ? d ?"], max_words=9, min_count=1)
    ends = {tokenizer.id_to_token(i) for i in sentence_ends(tokenizer)}
    assert ends == {".", "?", "[SEP]"}

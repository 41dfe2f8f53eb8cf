"""Score matrices: kept, read back, and picked by document."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from training.judging.scores import Scores


def some_scores() -> Scores:
    levels = np.array([[0.9, -np.inf], [0.2, 0.1]], dtype=np.float16)
    return Scores(("a", "b"), levels=levels, assigned=levels / 2)


def test_saved_scores_are_the_same_when_loaded(tmp_path: Path) -> None:
    scores = some_scores()
    scores.save(tmp_path / "deep" / "scores_dev.npz")
    loaded = Scores.load(tmp_path / "deep" / "scores_dev.npz")

    assert loaded.document_ids == ("a", "b")
    assert loaded.matrices().keys() == {"levels", "assigned"}
    for name, matrix in loaded.matrices().items():
        assert matrix.dtype == np.float16
        np.testing.assert_array_equal(matrix, scores.matrices()[name])
    assert not list(tmp_path.rglob("*.part"))


def test_rows_come_in_the_order_asked_for() -> None:
    picked = some_scores().rows(["b"])
    assert picked.document_ids == ("b",)
    assert picked.assigned is not None
    np.testing.assert_array_equal(picked.assigned, np.array([[0.1, 0.05]], dtype=np.float16))


def test_a_document_without_scores_is_named() -> None:
    with pytest.raises(ConfigError, match="1 documents have no scores, the first is c"):
        some_scores().rows(["a", "c"])


def test_matrices_must_fit_the_documents_and_each_other() -> None:
    with pytest.raises(ConfigError, match="at least one matrix"):
        Scores(("a",))
    with pytest.raises(ConfigError, match="must agree"):
        Scores(("a",), levels=np.zeros((2, 3), np.float16))
    with pytest.raises(ConfigError, match="must agree"):
        Scores(("a",), np.zeros((1, 3), np.float16), np.zeros((1, 2), np.float16))


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04broken"])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "scores.npz").write_bytes(content)
    with pytest.raises(ConfigError, match="not a file of scores"):
        Scores.load(tmp_path / "scores.npz")
    with pytest.raises(ConfigError, match="not a file of scores"):
        Scores.load(tmp_path / "missing.npz")

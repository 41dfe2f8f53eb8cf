"""The probe of an encoder: how vectors vary, and what a regression finds in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.models.workshop import make_workshop
from tests.support.places import TINY_SKOS
from training.__main__ import main
from training.fitting.encoders.probe import spread


def test_the_spread_is_variance_over_the_squared_mean() -> None:
    vectors = np.array([[1.0, 4.0], [3.0, 4.0]], dtype=np.float32)
    # Variances 1 and 0, means 2 and 4: (1 + 0) / 2 over (4 + 16) / 2.
    assert spread(vectors) == pytest.approx(0.05)
    assert spread(vectors + 100) < 1e-4


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.usefixtures("single_thread")
def test_every_layer_has_a_line(tmp_path: Path, capsys, pooling: str) -> None:
    folder = make_workshop(tmp_path)
    places = ["--data", str(folder / "corpus"), "--vocabulary", str(TINY_SKOS)]
    words = [
        "encoder",
        "probe",
        str(folder / "encoder"),
        "--documents",
        "36",
        "--pooling",
        pooling,
        *places,
    ]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "36 documents of train and 12 of dev are read" in said.err
    header, _, *lines = said.out.strip().splitlines()
    assert "| raw 1 | raw 2 |" in header and "| std 1 | std 2 |" in header
    assert [line.split()[1] for line in lines] == [str(n + 1) for n in range(len(lines))]
    assert all(0 <= float(cell) <= 100 for line in lines for cell in line.split("|")[3:6])


def test_what_is_missing_is_a_sentence(tmp_path: Path, capsys) -> None:
    folder = make_workshop(tmp_path)
    places = ["--data", str(folder / "corpus"), "--vocabulary", str(TINY_SKOS)]
    assert main(["encoder", "probe", str(tmp_path / "nothing"), *places]) == 1
    assert "There is no encoder folder" in capsys.readouterr().err

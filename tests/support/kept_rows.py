"""Rows that a file of rows loses, or that stand in it under another name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.judging.rows import place_of


def forget_row(path: Path) -> None:
    """Take a row out of the file of its study."""
    file, name = place_of(path)
    with np.load(file) as rows:
        left = {key: rows[key] for key in rows if not key.startswith(f"{name}/")}
        assert len(left) < len(rows)
    np.savez_compressed(file, **left)

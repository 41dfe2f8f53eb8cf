"""A sequence of labels with its probability."""

from __future__ import annotations

N_LABELS, UNITS = 4, 6


Path = tuple[int, ...]

"""Documents on which clients decide at random."""

from __future__ import annotations

NAMES = ("act", "other", "third")

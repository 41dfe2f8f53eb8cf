"""The six labels of toxic comments."""

from __future__ import annotations

TOXIC_LABELS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")

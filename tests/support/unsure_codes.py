"""Notes, and a model that is not sure of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.documents.document import Document
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.fakes import EmptySuggester

WORDS = [
    "cough",
    "and",
    "fever",
    "of",
    "two",
    "days",
    "with",
    "normal",
    "lungs",
    "no",
    "pneumonia",
    "seen",
    "on",
    "the",
    "film",
    "today",
]


def of_words(*words: str) -> Document:
    """Return a document of these words."""
    return Document.from_text("d", "", " ".join(words))


class UnsureSuggester(EmptySuggester):
    """Finds a cough improbable, and hypertension and pneumonia likely."""

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        nothing = super().suggest(document, limit=limit, threshold=threshold)
        given = (("I10", 0.9), ("J18.9", 0.8), ("J18.0", 0.6), ("R05", 0.1))
        made = [
            Suggestion(code, f"urn:{code}", code, code, p, p, rank)
            for rank, (code, p) in enumerate(given, start=1)
        ]
        return replace(nothing, suggestions=tuple(made), branch_probability={"X": 0.95})

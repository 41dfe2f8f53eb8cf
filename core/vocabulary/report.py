"""What a vocabulary holds, and what had to be mended, in figures."""

from __future__ import annotations

from typing import Any

from core.vocabulary.reading import VocabularyReading


def report(reading: VocabularyReading, *, seconds: float) -> dict[str, Any]:
    """Return the figures of a reading, ready for JSON."""
    hierarchy = reading.hierarchy
    return {
        "vocabulary_id": hierarchy.vocabulary_id,
        "version": hierarchy.version,
        "concepts": reading.n_concepts,
        "deprecated": reading.deprecated,
        "edges": reading.n_edges,
        "top_concepts": len(hierarchy.top_concepts),
        "levels": [len(level) for level in hierarchy.levels],
        "schemes": reading.schemes,
        "languages": list(reading.languages),
        "mended": [
            {"concept": m.concept, "problem": m.problem, "action": m.action} for m in reading.mended
        ],
        "seconds": round(seconds, 2),
        **reading.figures,
    }

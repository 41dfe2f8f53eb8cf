"""What a vocabulary holds, and what had to be mended, in figures."""

from __future__ import annotations

from typing import Any

from core.clinical.codes.icd9cm import level_table
from core.clinical.codes.reading import CodeReading
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import ICD9CM, conventions_of, is_code
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
        **_of_codes(reading),
    }


def _of_codes(reading: VocabularyReading) -> dict[str, Any]:
    """Return what is counted of a code system alone."""
    if not isinstance(reading, CodeReading):
        return {}
    hierarchy = reading.hierarchy
    assignable = sum(hierarchy[concept_id].assignable for concept_id in hierarchy)
    counts = {
        "assignable": assignable,
        "attached": len(reading.attached),
        "untitled": len(reading.untitled),
    }
    # Of a list of one's own: assigned in a project of its own, but beside a code system refused.
    categories = assignable - sum(is_code(concept_id, hierarchy) for concept_id in hierarchy)
    if categories and not conventions_of(hierarchy.vocabulary_id).leaves_only:
        counts["categories"] = categories
    return counts | ({"paper": _beside(hierarchy)} if hierarchy.vocabulary_id == ICD9CM else {})


def _beside(hierarchy: Hierarchy) -> list[dict[str, int]]:
    return [
        {"level": level, "here": here, "paper": paper}
        for level, here, paper in level_table(hierarchy)
    ]

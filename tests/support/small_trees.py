"""Concepts and hierarchies of single letters."""

from __future__ import annotations

from collections.abc import Iterable

from core.vocabulary.concepts import Concept, Hierarchy


def concept(concept_id: str, *broader: str, deprecated: bool = False, **labels: str) -> Concept:
    pref_label = {"en": f"label of {concept_id}", **labels}
    return Concept(
        concept_id,
        f"http://v.example/{concept_id}",
        None,
        pref_label,
        broader=broader,
        deprecated=deprecated,
    )


def hierarchy(concepts: Iterable[Concept]) -> Hierarchy:
    return Hierarchy(concepts, vocabulary_id="v", version="1")

"""Concepts as lines of JSON: in the label space of a bundle, and in the files of imported ones."""

from __future__ import annotations

from typing import Any

from core.vocabulary.concepts import Concept


def as_record(concept: Concept, *, level: int | None = None) -> dict[str, Any]:
    """Return a concept ready for JSON; beyond labels and links, empty fields are left out."""
    record: dict[str, Any] = {
        "concept_id": concept.concept_id,
        "uri": concept.uri,
        "notation": concept.notation,
        "pref_label": dict(concept.pref_label),
        "alt_labels": {k: list(labels) for k, labels in concept.alt_labels.items()},
        "broader": list(concept.broader),
    }
    if level is not None:
        record["level"] = level
    record["assignable"] = concept.assignable
    if concept.deprecated:
        record["deprecated"] = True
    if concept.related:
        record["related"] = list(concept.related)
    if concept.replaced_by:
        record["replaced_by"] = list(concept.replaced_by)
    if concept.hidden_labels:
        record["hidden_labels"] = {k: list(labels) for k, labels in concept.hidden_labels.items()}
    if concept.notes:
        record["notes"] = {
            kind: {language: list(texts) for language, texts in by_language.items()}
            for kind, by_language in concept.notes.items()
        }
    return record


def from_record(record: dict[str, Any]) -> Concept:
    """Return the concept of a record.

    Raises:
        KeyError, TypeError, AttributeError: it is no such record.
    """
    return Concept(
        concept_id=record["concept_id"],
        uri=record["uri"],
        notation=record["notation"],
        pref_label=record["pref_label"],
        alt_labels=_tuples(record["alt_labels"]),
        broader=tuple(record["broader"]),
        deprecated=record.get("deprecated", False),
        assignable=record["assignable"],
        notes={kind: _tuples(notes) for kind, notes in record.get("notes", {}).items()},
        related=tuple(record.get("related", ())),
        replaced_by=tuple(record.get("replaced_by", ())),
        hidden_labels=_tuples(record.get("hidden_labels", {})),
    )


def _tuples(by_language: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {language: tuple(texts) for language, texts in by_language.items()}

"""Concepts that came with the documents of a batch: by id, URI, notation or label."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text

SEPARATORS = re.compile(r"[;|\n\t]")
# Tried on what is not known as a whole: labels may have commas and spaces in them.
WEAK_SEPARATORS = (re.compile(r","), re.compile(r"\s+"))
NAMING_KEYS = ("id", "concept_id", "uri", "notation", "label", "pref_label")
MAX_VALUE_CHARACTERS = 100_000


@dataclass(frozen=True, slots=True)
class Assigned:
    """What a cell names.

    Attributes:
        concept_ids: those that the vocabulary has, each once, in the order of the cell.
        unknown: names that it does not have, or that are no concepts to be assigned.
    """

    concept_ids: tuple[str, ...]
    unknown: tuple[str, ...]


class ConceptNames:
    """Finds concepts by whatever a batch calls them."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._exact: dict[str, str | None] = {}
        self._labels: dict[str, str | None] = {}
        concepts = [hierarchy[i] for i in hierarchy if hierarchy[i].assignable]
        for concept in concepts:
            self._exact[concept.concept_id] = self._exact[concept.uri] = concept.concept_id
        for concept in concepts:
            if concept.notation:
                self._exact.setdefault(concept.notation, concept.concept_id)
            _note(self._labels, concept.pref_label.values(), concept.concept_id)
        alternative: dict[str, str | None] = {}
        for concept in concepts:
            for labels in (*concept.alt_labels.values(), *concept.hidden_labels.values()):
                _note(alternative, labels, concept.concept_id)
        self._labels = alternative | self._labels
        self._pointless: dict[str, str | None] = {}
        if conventions_of(hierarchy.vocabulary_id).system:
            for concept in concepts:
                _note(self._pointless, [concept.concept_id.replace(".", "")], concept.concept_id)

    def find(self, name: str) -> str | None:
        """Return the concept of this name; None where there is none, or more than one.

        Codes may be written without their point, unless they are two codes then: 9915 of ICD-9-CM.
        """
        name = name.strip().strip("<>")
        for candidate in (name, name.rpartition(":")[2], name.rstrip("/").rpartition("/")[2]):
            if found := self._exact.get(candidate):
                return found
        if self._pointless and (found := self._exact.get(name.upper())):
            return found
        return self._pointless.get(fold_text(name)) or self._labels.get(fold_text(name))

    def read(self, value: object) -> Assigned:
        """Return the concepts that a cell or JSON value names."""
        found: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for name in names_in(value):
            concept_ids = self._known(name)
            found.update(dict.fromkeys(concept_ids))
            if not concept_ids:
                unknown[name] = None
        return Assigned(tuple(found), tuple(unknown))

    def _known(self, name: str) -> list[str]:
        """One concept, or several where a name is a list without strong separators."""
        if concept_id := self.find(name):
            return [concept_id]
        for separator in WEAK_SEPARATORS:
            pieces = [piece for piece in separator.split(name) if piece.strip()]
            found = [self.find(piece) for piece in pieces]
            if len(found) > 1 and all(found):
                return [concept_id for concept_id in found if concept_id]
        return []


def names_in(value: object) -> list[str]:
    """Return the names in a value: text with ; or | between, or a list in JSON or Python."""
    if isinstance(value, str):
        text = value[:MAX_VALUE_CHARACTERS].strip()
        if text.startswith("[") and (listed := _listed(text)) is not None:
            return names_in(listed)
        return [name.strip() for name in SEPARATORS.split(text) if name.strip()]
    if isinstance(value, int) and not isinstance(value, bool):
        return [str(value)]
    if isinstance(value, Mapping):
        named = [value[key] for key in NAMING_KEYS if value.get(key)]
        return [str(named[0]).strip()] if named else []
    if isinstance(value, list | tuple):
        simple = [str(item).strip() if isinstance(item, str) else item for item in value]
        return [
            name
            for item in simple
            for name in ([item] if isinstance(item, str) else names_in(item))
            if name
        ]
    return []


def _listed(text: str) -> list[object] | None:
    """Return a list as JSON has it, or as data frames write it into a cell."""
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list):
            return value
    return None


def _note(names: dict[str, str | None], labels: Iterable[str], concept_id: str) -> None:
    """Keep what concept these labels name; a label of two names neither."""
    for label in map(fold_text, labels):
        names[label] = concept_id if names.get(label, concept_id) == concept_id else None

"""How an exported concept is called: its URI, notation, label and place in the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from core.export.gathering import ExportedDecision
from core.vocabulary.concepts import Hierarchy

LEVEL_SEPARATOR = " > "
PATH_SEPARATOR = " | "
MOST_PATHS = 20  # of one concept; where branches meet again and again, paths multiply


@dataclass(frozen=True, slots=True)
class ExportedConcept:
    """What a concept is called in a vocabulary.

    Attributes:
        path: from the top concept down to the concept itself, one for each branch that it stands
            in; empty for a concept that the vocabulary has lost.
    """

    uri: str
    notation: str | None
    label: str
    path: str = ""


class ConceptNaming:
    """Names of concepts, each looked up once however many documents have it.

    Args:
        language: of labels and paths.
    """

    def __init__(self, hierarchy: Hierarchy, language: str) -> None:
        self.hierarchy = hierarchy
        self.language = language
        self._known: dict[str, ExportedConcept | None] = {}

    def name(self, item: ExportedDecision) -> ExportedConcept:
        """Return what the vocabulary calls it, or else what it was called when it was shown."""
        concept_id = item.concept_id
        if concept_id not in self._known:
            self._known[concept_id] = self._look_up(concept_id)
        shown = ExportedConcept(item.uri or concept_id, item.notation, item.label or concept_id)
        return self._known[concept_id] or shown

    def _look_up(self, concept_id: str) -> ExportedConcept | None:
        hierarchy, language = self.hierarchy, self.language
        if concept_id not in hierarchy:
            old = hierarchy.deprecated.get(concept_id)
            return ExportedConcept(old.uri, old.notation, old.label(language)) if old else None
        concept = hierarchy[concept_id]
        paths = (
            LEVEL_SEPARATOR.join(hierarchy[step].label(language) for step in path)
            for path in hierarchy.paths(concept_id, limit=MOST_PATHS)
        )
        path = PATH_SEPARATOR.join(paths)
        return ExportedConcept(concept.uri, concept.notation, concept.label(language), path)

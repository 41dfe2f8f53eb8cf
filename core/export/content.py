"""What a format of exports has and is given, and how an exported concept is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from core.documents.document import Document
from core.export.gathering import ExportedDecision, ExportedDocument
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


Layout = Literal["rows", "lines", "document"]


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The chosen documents with their decisions, and where the rest of an export comes from.

    Attributes:
        documents: may be read from the store while they are gone through, which is done once.
        document: reads a document with its text by its id; None leaves all text out.
    """

    documents: Iterable[ExportedDocument]
    naming: ConceptNaming
    document: Callable[[str], Document] | None = None

    def text_of(self, exported: ExportedDocument) -> Document | None:
        """Return a document with its text, where that is asked for."""
        return None if self.document is None else self.document(exported.summary.document_id)

    def only(self, exported: ExportedDocument) -> ExportContent:
        """Return the same of one document."""
        return replace(self, documents=(exported,))


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format in which decisions are exported.

    Attributes:
        name: what a person chooses, and the key in the registry.
        suffix: of the file's name, without a point before it.
        write: makes the file, a piece at a time.
        layout: how the beginning is shown: as the rows of the table, as the objects of lines, or as
            the file of the first document.
        is_of_codes: whether only decisions on codes have this form.
        meaning: what a person should know of it; "" where there is nothing.
        preview_note: what to say below the file of the first document.
    """

    name: str
    suffix: str
    media_type: str
    write: Callable[[ExportContent], Iterator[bytes]]
    layout: Layout = "document"
    is_of_codes: bool = False
    meaning: str = ""
    preview_note: str = "The file of the first document."

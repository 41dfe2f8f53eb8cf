"""What a format of exports has and is given, and how an exported concept is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from core.clinical.encounters import with_class
from core.clinical.joined import is_companion, part_of
from core.clinical.stay import Stay
from core.documents.document import Document
from core.export.gathering import ExportedDocument
from core.review.reports.snapshot import ACCEPTED, GIVEN, ExportedDecision
from core.review.store.documents import fetch_document
from core.review.store.store import Store
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.full_titles import full_title

LEVEL_SEPARATOR = " > "
PATH_SEPARATOR = " | "
MOST_PATHS = 20  # of one concept; where branches meet again and again, paths multiply

PEOPLE_COLUMNS: Mapping[str, Callable[[ExportedDocument], str]] = {
    "review": lambda exported: exported.summary.judged,
    "finished_by": lambda exported: exported.sign_off.finished_by,
    "reviewed_by": lambda exported: exported.sign_off.reviewed_by,
}
"""Where people sign in: columns of both tables, and fields of JSON Lines."""


@dataclass(frozen=True, slots=True)
class ExportedConcept:
    """What a concept is called in a vocabulary.

    Attributes:
        path: from the top concept down to the concept itself, one for each branch that it stands
            in; empty for a concept that the vocabulary has lost.
        language: of the label; "" where none is known.
    """

    uri: str
    notation: str | None
    label: str
    path: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawnSubject:
    """A subject that the version in use does not offer any more, and what is to be used instead."""

    label: str
    instead: tuple[str, ...] = ()


class ConceptNaming:
    """Names of concepts, each looked up once however many documents have it.

    Args:
        language: of labels and paths.
    """

    def __init__(self, hierarchy: Hierarchy, language: str) -> None:
        self.hierarchy = hierarchy
        self.language = language
        self._names: dict[str, ExportedConcept | None] = {}

    def name(self, item: ExportedDecision) -> ExportedConcept:
        """Return the label of a concept in the vocabulary, or the label it had when shown."""
        concept_id = item.concept_id
        if concept_id not in self._names:
            self._names[concept_id] = self._look_up(concept_id)
        shown = ExportedConcept(item.uri or concept_id, item.notation, item.label or concept_id)
        return self._names[concept_id] or shown

    def withdrawn(self, item: ExportedDecision) -> WithdrawnSubject | None:
        """Return a concept that was offered before; None where it still is, or never was known."""
        hierarchy, concept_id = self.hierarchy, item.concept_id
        if concept_id in hierarchy or not len(hierarchy):  # of which none could be loaded
            return None
        if hierarchy.withdrawn(concept_id) is None and item.label is None:
            return None
        others = hierarchy.replacements(concept_id)
        instead = tuple(hierarchy[other].label(self.language) for other in others)
        return WithdrawnSubject(self.name(item).label, instead)

    def version(self, item: ExportedDecision) -> str | None:
        """Return the version of its vocabulary: of what was suggested, or of a companion in use.

        What a model has suggested is of the project's own vocabulary, and so is the version that
        its suggestions state.
        """
        part = part_of(item.concept_id, self.hierarchy)
        return part.version if is_companion(part, self.hierarchy) else item.vocabulary_version

    def _look_up(self, concept_id: str) -> ExportedConcept | None:
        hierarchy, language = self.hierarchy, self.language
        if concept_id not in hierarchy:
            old = hierarchy.withdrawn(concept_id)
            return self._named(old) if old else None
        concept = hierarchy[concept_id]
        paths = (
            LEVEL_SEPARATOR.join(hierarchy[step].label(language) for step in path)
            for path in hierarchy.paths(concept_id, limit=MOST_PATHS)
        )
        named = self._named(concept, PATH_SEPARATOR.join(paths))
        return replace(named, label=full_title(concept_id, hierarchy, language))

    def _named(self, concept: Concept, path: str = "") -> ExportedConcept:
        label, tag = concept.label(self.language), concept.label_language(self.language)
        return ExportedConcept(concept.uri, concept.notation, label, path, tag or "")


def subjects(exported: ExportedDocument) -> Iterator[ExportedDecision]:
    """Yield the subjects of a document: accepted concepts, then those exported undecided."""
    for decision in (ACCEPTED, GIVEN):
        yield from (item for item in exported.items if item.decision == decision)


Layout = Literal["rows", "table", "lines", "document"]
Vocabularies = Literal["all", "codes", "thesauri"]


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The chosen documents with their decisions, and where the rest of an export comes from.

    Attributes:
        documents: may be read from the store while they are gone through, which is done once.
        with_text: whether the text of the documents comes along.
        with_people: whether who has finished and judged them does, as where people sign in.
        names_people: whether records, in forms for other systems, say who decided.
    """

    documents: Iterable[ExportedDocument]
    naming: ConceptNaming
    store: Store
    with_text: bool = False
    with_people: bool = False
    names_people: bool = True

    @property
    def people_columns(self) -> Mapping[str, Callable[[ExportedDocument], str]]:
        """`PEOPLE_COLUMNS`, or none."""
        return PEOPLE_COLUMNS if self.with_people else {}

    def text_of(self, exported: ExportedDocument) -> Document | None:
        """Read a document with its text, where that is asked for."""
        document_id = exported.summary.document_id
        return fetch_document(self.store, document_id) if self.with_text else None

    def stay_of(self, exported: ExportedDocument) -> Stay:
        """Return the stay of an encounter, with the class that its notes suggest if none is stated."""
        is_coded = bool(conventions_of(self.naming.hierarchy.vocabulary_id).system)
        if not is_coded or exported.stay.encounter_class:
            return exported.stay
        return with_class(exported.stay, fetch_document(self.store, exported.summary.document_id))

    def only(self, exported: ExportedDocument) -> ExportContent:
        """Return the same of one document."""
        return replace(self, documents=(exported,))


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format in which decisions are exported.

    Attributes:
        name: the key in the registry.
        suffix: of the file's name, without a point before it.
        write: makes the file, a piece at a time.
        layout: how the beginning is shown: as the rows of decisions, as another table, as the objects of lines, or as
            the file of the first document.
        vocabularies: decisions on what can have this form.
        meaning: what a person should know of it; "" where there is nothing.
        preview_note: what to say below the file of the first document.
        title: what a person chooses; "" for the name in capitals.
        has_subjects: whether it holds what documents are about, and no other decisions.
        is_of_records: whether what it holds can be written into existing records as well.
        is_history: whether it holds events, whatever decisions are chosen.
        has_text: whether the text of the documents can come along.
        as_text: shows a file of this form to a person.
        syntax: of the shown text, as highlighters call it; None for none.
    """

    name: str
    suffix: str
    media_type: str
    write: Callable[[ExportContent], Iterator[bytes]]
    layout: Layout = "document"
    vocabularies: Vocabularies = "all"
    meaning: str = ""
    preview_note: str = "The file of the first document."
    title: str = ""
    has_subjects: bool = False
    is_of_records: bool = False
    is_history: bool = False
    has_text: bool = True
    as_text: Callable[[bytes], str] = bytes.decode
    syntax: str | None = "json"

    @property
    def label(self) -> str:
        """What a person chooses."""
        return self.title or self.name.upper()

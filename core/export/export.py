"""Decisions as a file of any format, and what its beginning will be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from core.clinical.formats import FHIR, n_codes
from core.errors import VocabularyError
from core.export import jsonl
from core.export.content import ConceptNaming, ExportContent, WithdrawnSubject, subjects
from core.export.decision_table import columns_of, rows
from core.export.formats import FORMATS, forms_of
from core.export.gathering import (
    ExportedDocument,
    Selection,
    count_chosen,
    gather,
    names_people,
)
from core.export.tables import Cells, cells_of
from core.review.people.accounts import has_accounts
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of


@dataclass(slots=True)
class Preview:
    """What an export will hold.

    Attributes:
        columns, rows: the first rows of its table, with cells as they will be written.
        lines: the first lines of its JSONL.
        n_rows: of the table: decisions and proposed terms.
        n_documents: all that were chosen, those without a row among them.
        bundle: FHIR of the first document with a code; "" of a vocabulary that is no code system.
        n_codes: how many codes all of its FHIR has.
        n_with_rows: of the documents, those with a decision or a term.
        n_subjects: how many decisions say what a document is about.
        withdrawn: of these, the concepts that the version in use does not offer any more, by id.
    """

    columns: Cells
    rows: list[Cells] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    n_rows: int = 0
    n_documents: int = 0
    bundle: str = ""
    n_codes: int = 0
    n_with_rows: int = 0
    n_subjects: int = 0
    withdrawn: dict[str, WithdrawnSubject] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Export:
    """The chosen decisions on documents of a vocabulary, to be written as files.

    Attributes:
        language: of labels and paths.
        with_text: in a table, the text stands in the last column of a document's first row; in
            JSONL, it is the document's `parts`; in FHIR, each note is a resource.
    """

    store: Store
    selection: Selection
    hierarchy: Hierarchy
    language: str = "en"
    with_text: bool = False

    def file(self, form: str, *, limit: int | None = None) -> bytes:
        """Return a whole file; see `pieces`."""
        return b"".join(self.pieces(form, limit=limit))

    def pieces(self, form: str, *, limit: int | None = None) -> Iterator[bytes]:
        """Yield a file in pieces, so that little of it is in memory at a time.

        Args:
            form: name of one of the `FORMATS`.
            limit: documents at most; None for all.
        Raises:
            StoreError: the store cannot be read.
            VocabularyError: decisions on this vocabulary have no such form.
        """
        if form not in forms_of(self.hierarchy.vocabulary_id):
            raise VocabularyError(
                "Only codes of ICD can be exported as FHIR, and only subjects of a thesaurus as "
                "MARC; choose another form for this vocabulary."
            )
        return FORMATS[form].write(self._content(limit))

    def count(self) -> int:
        """Return how many documents are chosen."""
        return count_chosen(self.store, self.selection, self.hierarchy)

    def preview(self, *, limit: int = 20) -> Preview:
        """Return the first rows and lines, at most `limit` of each, and how many there will be."""
        content = self._content()
        columns = columns_of(content)
        is_coded = FHIR.name in forms_of(self.hierarchy.vocabulary_id)
        shown = Preview(tuple(columns))
        for exported in content.documents:
            alone = content.only(exported)
            if shown.n_documents < limit:
                shown.lines.append(jsonl.line(exported, alone).decode().rstrip("\n"))
            if is_coded and not shown.n_codes:  # one of which nothing is decided has no file
                shown.bundle = _fhir(alone)
            first_rows = islice(rows(alone), limit - len(shown.rows))
            shown.rows += [cells_of(row, columns) for row in first_rows]
            shown.n_codes += n_codes(exported, self.hierarchy) if is_coded else 0
            _count(shown, exported, content.naming)
        if is_coded and not shown.n_documents:
            shown.bundle = _fhir(content)
        return shown

    def _content(self, limit: int | None = None) -> ExportContent:
        """Gather what an export is made of; texts are read one document at a time."""
        documents = gather(self.store, self.selection, self.hierarchy, limit=limit)
        if conventions_of(self.hierarchy.vocabulary_id).system and not self.with_text:
            documents = map(_without_names, documents)
        naming = ConceptNaming(self.hierarchy, self.language)
        with self.store.read() as connection:
            with_people = has_accounts(connection)
            names = names_people(connection, self.selection, self.hierarchy.vocabulary_id)
        return ExportContent(documents, naming, self.store, self.with_text, with_people, names)


def _count(shown: Preview, exported: ExportedDocument, naming: ConceptNaming) -> None:
    n_rows = len(exported.items) + len(exported.proposed_terms)
    shown.n_documents += 1
    shown.n_rows += n_rows
    shown.n_with_rows += n_rows > 0
    for item in subjects(exported):
        shown.n_subjects += 1
        if item.concept_id not in shown.withdrawn and (withdrawn := naming.withdrawn(item)):
            shown.withdrawn[item.concept_id] = withdrawn


def _fhir(content: ExportContent) -> str:
    return b"".join(FHIR.write(content)).decode()


def _without_names(exported: ExportedDocument) -> ExportedDocument:
    """Leave out the title of an encounter and the name of its upload, which may name a patient."""
    return replace(exported, summary=replace(exported.summary, title="", batch=None))

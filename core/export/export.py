"""Decisions as a file, and what its first rows will be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from core.clinical.formats import FHIR, n_codes
from core.documents.language import identify_language
from core.errors import VocabularyError
from core.export import jsonl, tables
from core.export.content import ConceptNaming, ExportContent, WithdrawnSubject, subjects
from core.export.formats import FORMATS, forms_of
from core.export.gathering import ACCEPTED, EXPLICIT, ExportedDocument, Selection, gather
from core.review.reports.history import read_history
from core.review.store.documents import fetch_beginning, fetch_document
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of


@dataclass(frozen=True, slots=True)
class Preview:
    """What an export will hold.

    Attributes:
        columns, rows: the first rows of its table, with cells as they will be written.
        lines: the first lines of its JSONL.
        n_rows: of the table: decisions and proposed terms.
        n_documents: all that were chosen, those without a row among them.
        bundle: FHIR of the first document; "" of a vocabulary that is no code system.
        n_codes: how many codes all of its FHIR has.
        n_with_rows: of the documents, those with a decision or a term.
        n_subjects: how many decisions say what a document is about.
        withdrawn: of these, the concepts that the version in use does not offer any more.
    """

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    lines: list[str]
    n_rows: int
    n_documents: int
    bundle: str = ""
    n_codes: int = 0
    n_with_rows: int = 0
    n_subjects: int = 0
    withdrawn: tuple[WithdrawnSubject, ...] = ()


def export(
    store: Store,
    selection: Selection,
    form: str,
    *,
    hierarchy: Hierarchy,
    language: str = "en",
    with_text: bool = False,
    limit: int | None = None,
) -> bytes:
    """Return the chosen decisions as a file, as `pieces` yields it."""
    made = pieces(
        store,
        selection,
        form,
        hierarchy=hierarchy,
        language=language,
        with_text=with_text,
        limit=limit,
    )
    return b"".join(made)


def pieces(
    store: Store,
    selection: Selection,
    form: str,
    *,
    hierarchy: Hierarchy,
    language: str = "en",
    with_text: bool = False,
    limit: int | None = None,
) -> Iterator[bytes]:
    """Yield the chosen decisions as a file; little of it is in memory at a time.

    Args:
        form: name of one of the `FORMATS`.
        language: of labels and paths.
        with_text: in a table, the text stands in the last column of a document's first row; in
            JSONL, it is the document's `parts`; in FHIR, each note is a resource.
        limit: documents at most; None for all.
    Raises:
        StoreError: the store cannot be read.
        VocabularyError: decisions on this vocabulary have no such form.
    """
    if form not in forms_of(hierarchy.vocabulary_id):
        raise VocabularyError(
            "Only codes of ICD can be exported as FHIR, and only subjects of a thesaurus as MARC; "
            "choose another form for this vocabulary."
        )
    content = content_of(
        store, selection, hierarchy, language=language, with_text=with_text, limit=limit
    )
    return FORMATS[form].write(content)


def export_csv(
    store: Store,
    *,
    document_id: str | None,
    accepted_only: bool,
    hierarchy: Hierarchy,
    language: str = "en",
    project_id: int | None = None,
) -> bytes:
    """Return the decisions of one document, or of all of this vocabulary's project, as a table.

    Args:
        document_id: None for all documents that were not removed.
        accepted_only: leave the rejected and excluded out; otherwise all, but nothing undecided.
        language: of labels and paths.
        project_id: None for the vocabulary's oldest project.
    Returns:
        UTF-8 with a byte order mark, lines ended by CRLF, first line the names in
        `tables.COLUMNS`. `rank` and `probability` are as the person saw them, empty for what was
        added without being suggested (then `source` says where it was found, or "person");
        `decided_at` is in UTC.
    """
    decisions = (ACCEPTED,) if accepted_only else EXPLICIT
    ids = None if document_id is None else (document_id,)
    chosen = Selection(document_ids=ids, decisions=frozenset(decisions), project_id=project_id)
    return export(store, chosen, "csv", hierarchy=hierarchy, language=language)


def preview(
    store: Store,
    selection: Selection,
    *,
    hierarchy: Hierarchy,
    language: str = "en",
    with_text: bool = False,
    limit: int = 20,
) -> Preview:
    """Return the first rows of an export, and how many there will be."""
    content = content_of(store, selection, hierarchy, language=language, with_text=with_text)
    is_coded = FHIR.name in forms_of(hierarchy.vocabulary_id)
    names = tables.columns(hierarchy.vocabulary_id, with_text=with_text)
    rows: list[tuple[str, ...]] = []
    lines: list[str] = []
    withdrawn: dict[str, WithdrawnSubject] = {}
    bundle, n_rows, n_documents, n_coded, n_with_rows, n_subjects = "", 0, 0, 0, 0, 0
    for exported in content.documents:
        alone = content.only(exported)
        if n_documents < limit:
            lines.append(jsonl.line(exported, alone).decode().rstrip("\n"))
        if is_coded and not n_coded:  # one of which nothing is decided has no file
            bundle = _text(FHIR.write(alone))
        rows += islice(tables.rows(alone), limit - len(rows))
        n_documents += 1
        n_own = len(exported.items) + len(exported.proposed_terms)
        n_rows += n_own
        n_with_rows += n_own > 0
        for item in subjects(exported):
            n_subjects += 1
            if item.concept_id not in withdrawn and (lost := content.naming.withdrawn(item)):
                withdrawn[item.concept_id] = lost
        n_coded += n_codes(exported, hierarchy) if is_coded else 0
    if is_coded and not n_documents:
        bundle = _text(FHIR.write(content))
    return Preview(
        names,
        rows,
        lines,
        n_rows,
        n_documents,
        bundle,
        n_coded,
        n_with_rows,
        n_subjects,
        tuple(withdrawn.values()),
    )


def _text(pieces: Iterable[bytes]) -> str:
    return b"".join(pieces).decode()


def content_of(
    store: Store,
    selection: Selection,
    hierarchy: Hierarchy,
    *,
    language: str = "en",
    with_text: bool = False,
    limit: int | None = None,
) -> ExportContent:
    """Gather what an export is made of; texts are read one document at a time.

    Args:
        limit: documents at most; None for all.
    Raises:
        StoreError: the store cannot be read.
    """
    chosen = gather(store, selection, hierarchy, limit=limit)
    is_clinical = bool(conventions_of(hierarchy.vocabulary_id).system)
    return ExportContent(
        map(_without_names, chosen) if is_clinical and not with_text else chosen,
        ConceptNaming(hierarchy, language),
        partial(read_history, store),
        partial(_language, store),
        partial(fetch_document, store) if with_text else None,
    )


def _language(store: Store, document_id: str) -> str | None:
    return identify_language(fetch_beginning(store, document_id))


def _without_names(exported: ExportedDocument) -> ExportedDocument:
    """Return an encounter without its title and the name of its upload, which may name a patient."""
    return replace(exported, summary=replace(exported.summary, title="", batch=None))

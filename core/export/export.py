"""Decisions as a file, and what its first rows will be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Literal

from core.documents.document import Document
from core.errors import VocabularyError
from core.export import encounters, fhir, jsonl, tables
from core.export.gathering import ExportedDocument, gather
from core.export.naming import ConceptNaming
from core.export.selection import Selection
from core.review.store.documents import fetch_document
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

Form = Literal["csv", "tsv", "jsonl", "fhir"]
FORMS: tuple[Form, ...] = ("csv", "tsv", "jsonl")  # of any vocabulary
SUFFIXES = {"csv": "csv", "tsv": "tsv", "jsonl": "jsonl", "fhir": "fhir.json"}
MEDIA_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
    "fhir": "application/fhir+json",
}
# Versions of a code system: a release, or the year or day from which it holds. Others, such as the
# checksum of a file, say only what was imported here.
RELEASE = re.compile(r"v\d{1,2}|\d{4}(?:-\d{2}-\d{2})?")


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
    """

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    lines: list[str]
    n_rows: int
    n_documents: int
    bundle: str = ""
    n_codes: int = 0


def forms_of(vocabulary_id: str) -> tuple[Form, ...]:
    """The forms that decisions of a vocabulary can have; FHIR only of a code system."""
    return (*FORMS, "fhir") if conventions_of(vocabulary_id).system else FORMS


def export(
    store: Store,
    selection: Selection,
    form: Form,
    *,
    hierarchy: Hierarchy,
    language: str = "en",
    with_text: bool = False,
) -> bytes:
    """The chosen decisions as a file.

    Args:
        language: of labels and paths.
        with_text: in a table, the text stands in the last column of a document's first row; in
            JSONL, it is the document's `parts`; in FHIR, each note is a resource.
    Raises:
        StoreError: the store cannot be read.
        VocabularyError: FHIR is asked for, and the vocabulary is no code system.
    """
    if form not in forms_of(hierarchy.vocabulary_id):
        raise VocabularyError(
            "Only codes of ICD can be exported as FHIR; choose another form for this vocabulary."
        )
    documents, naming = gather(store, selection, hierarchy), ConceptNaming(hierarchy, language)
    if form == "fhir":
        return _fhir(store, documents, naming, with_text)
    if form == "jsonl":
        lines = (jsonl.line(one, naming, texts=texts(store, [one], with_text)) for one in documents)
        return b"".join(lines)
    cells = _cells(store, documents, naming, with_text)
    names = tables.columns(hierarchy.vocabulary_id, with_text=with_text)
    return tables.write(cells, form, names=names)


def preview(
    store: Store,
    selection: Selection,
    *,
    hierarchy: Hierarchy,
    language: str = "en",
    with_text: bool = False,
    limit: int = 20,
) -> Preview:
    """The first rows of an export, and how many there will be."""
    documents = gather(store, selection, hierarchy)
    naming = ConceptNaming(hierarchy, language)
    told = (one for one in documents if one.items or one.proposed_terms)
    first = documents[:limit]
    is_coded = "fhir" in forms_of(hierarchy.vocabulary_id)
    return Preview(
        tables.columns(hierarchy.vocabulary_id, with_text=with_text),
        list(islice(_cells(store, told, naming, with_text), limit)),
        [
            jsonl.line(one, naming, texts=texts(store, [one], with_text)).decode().rstrip("\n")
            for one in first
        ],
        sum(len(one.items) + len(one.proposed_terms) for one in documents),
        len(documents),
        _fhir(store, documents[:1], naming, with_text).decode() if is_coded else "",
        sum(encounters.n_codes(one, hierarchy) for one in documents) if is_coded else 0,
    )


def texts(
    store: Store, documents: list[ExportedDocument], with_text: bool
) -> dict[str, Document] | None:
    """The documents themselves, by id; None where no text is asked for."""
    if not with_text:
        return None
    ids = [one.summary.document_id for one in documents]
    return {document_id: fetch_document(store, document_id) for document_id in ids}


def _fhir(
    store: Store, documents: Iterable[ExportedDocument], naming: ConceptNaming, with_text: bool
) -> bytes:
    """A bundle of these documents, with the codes in the system of their vocabulary."""
    hierarchy = naming.hierarchy
    version = hierarchy.version if RELEASE.fullmatch(hierarchy.version) else ""
    system = fhir.CodeSystem(conventions_of(hierarchy.vocabulary_id).system, version)
    coded = (
        encounters.coded(one, naming, texts=texts(store, [one], with_text)) for one in documents
    )
    return fhir.write(fhir.bundle(coded, system, made_at=datetime.now(UTC)))


def _cells(
    store: Store, documents: Iterable[ExportedDocument], naming: ConceptNaming, with_text: bool
) -> Iterator[tables.Cells]:
    """The rows of a table, with the text of one document at a time."""
    for one in documents:
        known = texts(store, [one], with_text)
        text = None if known is None else {i: document.text for i, document in known.items()}
        yield from tables.rows([one], naming, texts=text)

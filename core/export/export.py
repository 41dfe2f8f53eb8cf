"""Decisions as a file, and what its first rows will be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from core.documents.document import Document
from core.export import jsonl, tables
from core.export.gathering import ExportedDocument, gather
from core.export.naming import Naming
from core.export.selection import Selection
from core.review.store import Store
from core.vocabulary.concepts import Hierarchy

Form = Literal["csv", "tsv", "jsonl"]
FORMS: tuple[Form, ...] = ("csv", "tsv", "jsonl")
MEDIA_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
}


@dataclass(frozen=True, slots=True)
class Preview:
    """What an export will hold.

    Attributes:
        columns, rows: the first rows of its table, with cells as they will be written.
        lines: the first lines of its JSONL.
        n_rows: of the table: decisions and proposed terms.
        n_documents: all that were chosen, those without a row among them.
    """

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    lines: list[str]
    n_rows: int
    n_documents: int


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
            JSONL, it is the document's `parts`.
    Raises:
        StoreError: the store cannot be read.
    """
    documents, naming = gather(store, selection, hierarchy), Naming(hierarchy, language)
    if form == "jsonl":
        lines = (jsonl.line(one, naming, texts=texts(store, [one], with_text)) for one in documents)
        return b"".join(lines)
    cells = _cells(store, documents, naming, with_text)
    return tables.write(cells, form, with_text=with_text)


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
    naming = Naming(hierarchy, language)
    told = (one for one in documents if one.items or one.proposed_terms)
    first = documents[:limit]
    return Preview(
        tables.columns(with_text=with_text),
        list(islice(_cells(store, told, naming, with_text), limit)),
        [
            jsonl.line(one, naming, texts=texts(store, [one], with_text)).decode().rstrip("\n")
            for one in first
        ],
        sum(len(one.items) + len(one.proposed_terms) for one in documents),
        len(documents),
    )


def texts(
    store: Store, documents: list[ExportedDocument], with_text: bool
) -> dict[str, Document] | None:
    """The documents themselves, by id; None where no text is asked for."""
    if not with_text:
        return None
    ids = [one.summary.document_id for one in documents]
    return {document_id: store.document(document_id) for document_id in ids}


def _cells(
    store: Store, documents: Iterable[ExportedDocument], naming: Naming, with_text: bool
) -> Iterator[tables.Cells]:
    """The rows of a table, with the text of one document at a time."""
    for one in documents:
        known = texts(store, [one], with_text)
        text = None if known is None else {i: document.text for i, document in known.items()}
        yield from tables.rows([one], naming, texts=text)

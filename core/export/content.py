"""What a format of exports has and is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from core.documents.document import Document
from core.export.gathering import ExportedDocument
from core.export.naming import ConceptNaming

Layout = Literal["rows", "lines", "document"]


@dataclass(frozen=True, slots=True)
class ExportContent:
    """The chosen documents with their decisions, and where the rest of an export comes from.

    Attributes:
        document: reads a document with its text by its id; None leaves all text out.
    """

    documents: Sequence[ExportedDocument]
    naming: ConceptNaming
    document: Callable[[str], Document] | None = None

    def text_of(self, exported: ExportedDocument) -> Document | None:
        """Return a document with its text, where that is asked for."""
        return None if self.document is None else self.document(exported.summary.document_id)

    def first(self, limit: int | None) -> ExportContent:
        """Return the same of so many documents at most; None for all."""
        return replace(self, documents=self.documents[:limit])


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format in which decisions are exported.

    Attributes:
        name: what a person chooses, and the key in the registry.
        suffix: of the file's name, without a point before it.
        write: makes the file.
        layout: how the beginning is shown: as the rows of the table, as the objects of lines, or as
            the file of the first document.
        is_of_codes: whether only decisions on codes have this form.
        meaning: what a person should know of it; "" where there is nothing.
        preview_note: what to say below the file of the first document.
    """

    name: str
    suffix: str
    media_type: str
    write: Callable[[ExportContent], bytes]
    layout: Layout = "document"
    is_of_codes: bool = False
    meaning: str = ""
    preview_note: str = "The file of the first document."

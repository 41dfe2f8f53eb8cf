"""A file of many documents, and a document of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.documents.batches.columns import ColumnMapping
from core.documents.document import Document
from core.documents.rows.records import BadLine


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """A file of documents that was looked at, and is not taken in yet.

    Attributes:
        columns: empty where the file is a ZIP of documents, which need no mapping.
        preview: the first rows.
        n_rows: documents that it may hold, the bad rows among them.
        encounters: whether what is in it becomes encounters: a text, its one note; the files of a
            folder, the notes of one.
        is_flat: whether it is a ZIP of several texts in one folder, which may be of one encounter.
        together: whether a person said that they are.
    """

    name: str
    content: bytes
    kind: str
    columns: tuple[str, ...]
    preview: tuple[Mapping[str, object], ...]
    n_rows: int
    guessed: ColumnMapping
    encounters: bool = False
    is_flat: bool = False
    together: bool = False


@dataclass(frozen=True, slots=True)
class BatchDocument:
    """A document of a batch.

    Attributes:
        given: ids of the concepts that came with it as assigned.
        unknown: names of concepts that the vocabulary does not have.
        left_out: notes that it came without, and why.
    """

    where: str
    document: Document
    given: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    left_out: tuple[BadLine, ...] = ()

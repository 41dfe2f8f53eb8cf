"""A file of many documents, and a document of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.documents.document import Document
from core.documents.rows.packed_rows import PackedRows
from core.documents.rows.records import BadLine

# ---------------------------------------------------------------------- columns

NO_WORD = re.compile(r"[^a-z0-9]+")
# What columns are called, the surest first; only small letters from a to z and digits are compared.
ID_NAMES = (
    "id",
    "celexid",
    "celexnumber",
    "celex",
    "documentid",
    "docid",
    "identifier",
    "key",
    "uri",
    "number",
    "nr",
)
TITLE_NAMES = ("title", "titel", "titre", "titolo", "name", "heading", "headline", "subjectline")
TEXT_NAMES = (
    "text",
    "fulltext",
    "body",
    "content",
    "document",
    "abstract",
    "description",
    "summary",
    "volltext",
    "texte",
    "testo",
    "texto",
)
CONCEPT_NAMES = (
    "eurovocconcepts", "eurovocdescriptors", "eurovoc", "concepts", "conceptids", "concept",
    "descriptors", "subjects", "subject", "keywords", "topics", "labels", "codes", "tags",
    "assigned", "assignedconcepts", "assignedcodes", "assigneddescriptors",
    "schlagworte", "schlagwrter", "deskriptoren", "descripteurs", "motscls", "motscles",
    "eurovocdescriptor", "descriptor", "keyword", "icdcodes", "icd9codes", "icd10codes",
)  # fmt: skip
NOTES_NAME = "notes"  # of an encounter: a list
MIN_TEXT_CHARACTERS = 200  # a column of longer cells is taken for the text, whatever its name


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Which columns hold what; None where none does.

    Attributes:
        concepts: those already assigned.
        notes: the notes of an encounter, in place of one text.
    """

    document_id: str | None
    title: str | None
    text: str | None
    concepts: str | None
    notes: str | None = None


def guess_columns(
    columns: Sequence[str], rows: Sequence[Mapping[str, object]], *, encounters: bool = False
) -> ColumnMapping:
    """Return the likeliest mapping of columns, from their names and some rows.

    Args:
        encounters: whether the rows are clinical, so that notes count beside a text as well.
    """
    free = list(columns)
    document_id = _taken(free, ID_NAMES)
    concepts = _taken(free, CONCEPT_NAMES)
    title, text = _taken(free, TITLE_NAMES), _taken(free, TEXT_NAMES)
    without_text = [row for row in rows if encounters or text is None or not row.get(text)]
    notes = _notes_column(free, without_text)
    if text is None and free and notes is None:
        longest = max(free, key=lambda column: _length(column, rows))
        text = longest if _length(longest, rows) >= MIN_TEXT_CHARACTERS else None
    return ColumnMapping(document_id, title, text, concepts, notes)


def _notes_column(free: Sequence[str], rows: Sequence[Mapping[str, object]]) -> str | None:
    """Return the column that holds lists of notes, which only JSON can."""
    has_lists = any(isinstance(row.get(NOTES_NAME), list) for row in rows)
    return NOTES_NAME if NOTES_NAME in free and has_lists else None


def _taken(free: list[str], names: Sequence[str]) -> str | None:
    """Return the column with the first of these names, which is free no more."""
    plain = {NO_WORD.sub("", column.lower()): column for column in reversed(free)}
    for name in names:
        if name in plain:
            free.remove(plain[name])
            return plain[name]
    return None


def _length(column: str, rows: Sequence[Mapping[str, object]]) -> float:
    lengths = [len(value) for row in rows if isinstance(value := row.get(column), str)]
    return sum(lengths) / len(lengths) if lengths else 0.0


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """A file of documents that was looked at, and is not taken in yet.

    Attributes:
        columns: empty where the file is a ZIP of documents, which need no mapping.
        preview: the first rows.
        n_rows: documents that it may hold, the bad rows among them.
        n_unread: files of a ZIP besides, whose names say already that they make none.
        encounters: whether what is in it becomes encounters: a text, its one note; the files of a
            folder, the notes of one.
        is_flat: whether it is a ZIP of several texts in one folder, which may be of one encounter.
        together: whether a person said that they are.
        is_export: whether Strata has exported its documents, so that nobody need say what is what.
        rows: of a table, read once; of a ZIP of documents, none.
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
    n_unread: int = 0
    is_export: bool = False
    rows: PackedRows | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class BatchDocument:
    """A document of a batch.

    Attributes:
        given: ids of the concepts that came with it as assigned.
        unknown: names of concepts that the vocabulary does not have.
        left_out: notes that it came without, and why.
        said: sentences that the person should read, as those of an `Intake`.
        comment: that it came with.
    """

    where: str
    document: Document
    given: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    left_out: tuple[BadLine, ...] = ()
    said: tuple[str, ...] = ()
    comment: str = ""

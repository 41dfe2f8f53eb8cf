"""Many documents in one file: a CSV, JSON lines, or a ZIP of these or of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import islice, takewhile
from pathlib import PurePosixPath

from core.clinical.encounters import (
    NOTES_FIELD,
    Note,
    encounter,
    note_file,
    whole_text,
    with_sections,
)
from core.clinical.stay import STAY_FIELDS, stay_of
from core.documents.acts import FIRST_LINE_TITLE
from core.documents.archives import documents_in, opened
from core.documents.batches.assigned_concepts import ConceptNames
from core.documents.batches.document_batch import (
    NOTES_NAME,
    BatchDocument,
    ColumnMapping,
    DocumentBatch,
    guess_columns,
)
from core.documents.intake import Intake, read_pasted
from core.documents.kinds import BATCHES, ZIP, names_document
from core.documents.rows.exported import COMMENT_FIELD, TABLE_COLUMNS, exported_rows
from core.documents.rows.files import ROW_FORMATS
from core.documents.rows.packed_rows import PackedRows
from core.documents.rows.records import BadLine, Record, Records
from core.documents.rows.row_documents import PARTS_FIELD, InputDocument, document_of
from core.documents.rows.spreadsheet_cells import LONGEST_CELL, is_cut
from core.documents.uploads import PARSER, checked_kind, read_upload
from core.errors import DocumentError

CUT_BY_SPREADSHEET = (
    f"A text has {LONGEST_CELL:,} characters, after which spreadsheets cut a cell. If its end is missing, "
    "add the file as it was before it was saved in one."
)
NO_COLUMNS = ColumnMapping(None, None, None, None)
PREVIEW_ROWS = 5
SAMPLED_ROWS = 50  # from which the columns are known, and guessed


def is_batch(name: str, content: bytes) -> bool:
    """Return whether a file holds several documents, so that columns may have to be named.

    Raises:
        DocumentError: it is of no kind that can be read.
    """
    return checked_kind(name, content) in BATCHES


def open_batch(name: str, content: bytes, *, encounters: bool = False) -> DocumentBatch:
    """Look at a batch: its columns, its first rows, and how many there are.

    Args:
        encounters: whether the documents are clinical ones.
    Raises:
        DocumentError: it cannot be unpacked, or holds nothing.
    """
    kind = checked_kind(name, content)
    if kind == ZIP and not _holds_tables(name, content):
        groups, unread = grouped_files(name, content, encounters=encounters)
        if not groups and not unread:
            raise DocumentError(f"{name} is empty: there is no file in it.")
        is_flat = len(groups) > 1 and len({PurePosixPath(path).parent for path in groups}) == 1
        is_flat = is_flat and all(members == [where] for where, members in groups.items())
        return DocumentBatch(
            name, content, kind, (), (), len(groups), NO_COLUMNS, encounters, is_flat,
            n_unread=len(unread),
        )  # fmt: skip
    packed = PARSER.rows(kind, name, content)
    sample = list(islice(_records(packed, kind), SAMPLED_ROWS))
    rows = [record.fields for record in sample if isinstance(record, Record)]
    if not rows:
        bad = [f" ({row.where}: {row.reason})" for row in sample if isinstance(row, BadLine)]
        raise DocumentError(f"{name} holds no row that can be read{''.join(bad[:1])}.")
    columns = tuple(dict.fromkeys(column for fields in rows for column in fields if column))
    preview = tuple(rows[:PREVIEW_ROWS])
    guessed = guess_columns(columns, rows, encounters=encounters)
    is_export = any(record.is_export for record in sample if isinstance(record, Record))
    return DocumentBatch(
        name, content, kind, columns, preview,
        sum(1 for _ in _records(packed, kind)) if is_export else len(packed),
        guessed, encounters, is_export=is_export, rows=packed,
    )  # fmt: skip


def as_one_encounter(batch: DocumentBatch) -> DocumentBatch:
    """Return a flat ZIP as the notes of one encounter, called by their folder or the ZIP."""
    return replace(batch, encounters=True, together=True, n_rows=1)


def first_problem(batch: DocumentBatch, mapping: ColumnMapping) -> BadLine | None:
    """Return why the first row cannot be read; None where any row can be read."""
    first = None
    for row in documents_of(batch, mapping):
        if isinstance(row, BatchDocument):
            return None
        first = first or row
    return first


def documents_of(
    batch: DocumentBatch, mapping: ColumnMapping, names: ConceptNames | None = None
) -> Iterator[BatchDocument | BadLine]:
    """Yield the documents of a batch, one at a time, or in their place what is wrong with a row.

    Args:
        names: of the vocabulary, for concepts that came with the documents.
    """
    if not batch.columns:
        yield from packed_documents(batch)
        return
    for record in _records(batch.rows, batch.kind) if batch.rows else ():
        if isinstance(record, BadLine):
            yield record
            continue
        yield _document(record, mapping, names, encounters=batch.encounters)


def _document(
    record: Record, mapping: ColumnMapping, names: ConceptNames | None, *, encounters: bool
) -> BatchDocument | BadLine:
    parts = record.fields.get(PARTS_FIELD) if record.is_export else None
    text, notes = _reading_matter(record, mapping, encounters=encounters)
    if isinstance(parts, list) and encounters:  # of acts: an encounter has notes
        notes, parts = [_unnamed(part) for part in parts], None
    fields = {
        "id": _id(_cell(record, mapping.document_id)),
        "title": _cell(record, mapping.title),
        "text": text,
        NOTES_FIELD: notes,
        PARTS_FIELD: parts,
    }
    if encounters or record.is_export:
        fields |= {name: record.fields.get(name) for name in STAY_FIELDS}
    read = document_of(fields, default_id=record.number, where=record.where)
    if isinstance(read, BadLine):
        return read
    document_id = "" if fields["id"] is None else str(read.given_id)
    remarks = (*((record.said,) if record.said else ()), *read.said, *_cut(record))
    if notes is not None or parts:
        document = replace(read.document, document_id=document_id)
    else:
        intake = _tidied(read, record.where)
        if isinstance(intake, BadLine):
            return intake
        document = intake.document(document_id)
        if encounters:
            document = with_sections(document)
            try:
                document = replace(document, stay=stay_of(record.fields))
            except DocumentError as error:
                return BadLine(record.where, str(error))
        remarks = (*remarks, *(() if encounters else _said(read, intake)))
    comment = str(record.fields.get(COMMENT_FIELD) or "") if record.is_export else ""
    batch_document = BatchDocument(record.where, document, said=remarks, comment=comment)
    if names is None or mapping.concepts is None:
        return batch_document
    assigned = names.read(_cell(record, mapping.concepts))
    return replace(batch_document, given=assigned.concept_ids, unknown=assigned.unknown)


def _reading_matter(
    record: Record, mapping: ColumnMapping, *, encounters: bool
) -> tuple[object, object]:
    """Return the text of a row, or notes in its place; in an encounter, the text is the first note.

    Rows of one file differ: a list of notes is found whether those before it had one or not.
    """
    text, notes = _cell(record, mapping.text), _cell(record, mapping.notes)
    if mapping.notes is None and isinstance(listed := record.fields.get(NOTES_NAME), list):
        notes = listed or None
    has_text = bool(text.strip()) if isinstance(text, str) else text is not None
    if has_text and (not notes or not encounters):
        return text, None
    if has_text and isinstance(notes, list):
        return None, [text, *notes]
    return (text, None) if notes is None else (None, notes)


def _unnamed(part: object) -> object:
    return {**part, "kind": "", "title": ""} if isinstance(part, Mapping) else part


def _tidied(read: InputDocument, where: str) -> Intake | BadLine:
    try:
        return read_pasted(read.document.title, read.document.text)
    except DocumentError as error:
        return BadLine(where, str(error))


def _cut(record: Record) -> tuple[str, ...]:
    cells = (cell for cell in record.fields.values() if isinstance(cell, str))
    return (CUT_BY_SPREADSHEET,) if any(map(is_cut, cells)) else ()


def _said(read: InputDocument, intake: Intake) -> tuple[str, ...]:
    return (*intake.notes, *((FIRST_LINE_TITLE,) if read.is_first_line else ()))


def _cell(record: Record, column: str | None) -> object:
    return None if column is None else record.fields.get(column)


def _id(value: object) -> object:
    """Return an id without spaces around it; an empty one is none."""
    return value.strip() or None if isinstance(value, str) else value


def _holds_tables(name: str, content: bytes) -> bool:
    with opened(name, content) as archive:
        files = documents_in(archive)
    return bool(files) and all(PurePosixPath(file).suffix.lower() in ROW_FORMATS for file in files)


def _records(rows: PackedRows, kind: str) -> Records:
    """Return the rows of a table, or of all tables in a ZIP, those of an export a document each."""
    columns = rows.columns
    if kind == ZIP:
        first = next((row.fields for row in rows if isinstance(row, Record)), {})
        columns = list(first) if first.keys() >= TABLE_COLUMNS else None
    return exported_rows(columns, iter(rows), at_once=True)


# ---------------------------------------------------------------------- ZIP files

EMPTY_NOTE = "the file is empty; its encounter came in without it"


def packed_documents(batch: DocumentBatch) -> Iterator[BatchDocument | BadLine]:
    """Yield the documents in a ZIP, each under its name without the ending, or its folder's.

    The names of patients stand in those of files, so encounters have no id yet.
    """
    groups, unread = grouped_files(batch.name, batch.content, encounters=batch.encounters)
    if batch.together:
        folder = PurePosixPath(next(iter(groups))).parent.name or PurePosixPath(batch.name).stem
        groups = {folder: list(groups)}
    names = _names(groups) | {file: PurePosixPath(file).stem for file in unread}
    groups |= {file: [file] for file in unread}  # each is refused with what to do instead
    for where, members in groups.items():
        try:
            if members != [where]:
                yield _folder(batch, where, members, names[where])
            else:
                yield _file(batch, where, names[where])
        except DocumentError as error:
            yield BadLine(where, str(error))


def _file(batch: DocumentBatch, member: str, name: str) -> BatchDocument:
    """Return a file as a document, which is called by it, or as an encounter of one note."""
    stem = PurePosixPath(member).stem
    content = PARSER.member(batch.name, batch.content, member)
    intake = read_upload(PurePosixPath(member).name, content)
    if batch.encounters:
        document = with_sections(intake.document(), name)
        return BatchDocument(member, document, said=intake.encounter_notes)
    return BatchDocument(member, intake.document(stem), said=intake.notes)


def _folder(batch: DocumentBatch, where: str, members: Sequence[str], title: str) -> BatchDocument:
    """Return the files of a folder as the notes of an encounter, and name the empty ones."""
    contents = {member: PARSER.member(batch.name, batch.content, member) for member in members}
    empty = [member for member, content in contents.items() if not content.strip()]
    if len(empty) == len(members):
        raise DocumentError(f"{where} holds empty files alone: there is no text in it to index.")
    notes: list[Note] = []
    said: dict[str, None] = {}
    for member, content in contents.items():
        if member not in empty:
            read = read_upload(PurePosixPath(member).name, content)
            said |= dict.fromkeys(read.encounter_notes)
            notes.append(note_file(member, whole_text(read.title, read.text)))
    notes.sort(key=lambda note: note.date or date.max)
    left_out = tuple(BadLine(member, EMPTY_NOTE) for member in empty)
    return BatchDocument(where, encounter("", title, notes), left_out=left_out, said=tuple(said))


def grouped_files(
    name: str, content: bytes, *, encounters: bool
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the files of a ZIP by the document that they make, and those that make none.

    Each makes one, or all of a folder one; by their names, tables and what is not read make none.
    Only folders beside others separate encounters: the folder that holds everything is the one
    that was packed, and texts straight in it are of as many patients.
    """
    with opened(name, content) as archive:
        everything = documents_in(archive)
    files = [file for file in everything if names_document(file)]
    packed = _shared_folder(files)
    groups: dict[str, list[str]] = {}
    for file in files:
        folder = str(PurePosixPath(file).parent)
        groups.setdefault(folder if encounters and folder != packed else file, []).append(file)
    return groups, [file for file in everything if not names_document(file)]


def _shared_folder(files: Sequence[str]) -> str:
    """Return the innermost folder that holds all these files, "." where that is the ZIP itself."""
    folders = [PurePosixPath(file).parent.parts for file in files]
    alike = takewhile(lambda parts: len({*parts}) == 1, zip(*folders, strict=False))
    return str(PurePosixPath(*(parts[0] for parts in alike)))


def _names(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the name of each document: its file or folder, with its path where two agree."""
    packed = _shared_folder([file for files in groups.values() for file in files])
    paths = {
        where: PurePosixPath(where).with_suffix("") if files == [where] else PurePosixPath(where)
        for where, files in groups.items()
    }
    taken = Counter(path.name for path in paths.values())
    return {
        where: path.name if taken[path.name] == 1 else str(path.relative_to(packed))
        for where, path in paths.items()
    }

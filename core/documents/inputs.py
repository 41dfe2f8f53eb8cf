"""Documents from files, for a batch: JSON lines, CSV, a document, or a folder of documents.

One bad line never stops a batch: it becomes a `BadLine` that says where and why, and reading goes
on behind it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path, PurePath
from typing import BinaryIO

from core.boundaries import system_reason
from core.clinical.encounters import whole_text
from core.clinical.sections import sections
from core.documents.acts import FIRST_LINE_TITLE
from core.documents.archives import is_litter
from core.documents.document import PART_BREAK, Document
from core.documents.intake import MARKDOWN
from core.documents.kinds import (
    LONGEST_MAGIC,
    MAGICS,
    PARSED,
    ZIP_SUFFIX,
    kind_of,
    names_document,
)
from core.documents.plain_text import decode_text
from core.documents.rows.exported import exported_rows
from core.documents.rows.files import (
    DEFAULT_FORMAT,
    ROW_FORMATS,
    UNPACKING_ERRORS,
    RowReader,
    suffix_of,
    unpacked,
)
from core.documents.rows.records import BadLine, Record, Records, damaged, not_utf_8
from core.documents.rows.row_documents import (
    ID_FIELDS,
    InputDocument,
    document_of,
    without_lone_surrogates,
)
from core.documents.uploads import read_upload
from core.encoding import UTF_8, marked_encoding
from core.errors import ConfigError, DocumentError

__all__ = [
    "BadLine",
    "InputDocument",
    "Inputs",
    "document_in",
    "file_document",
    "read_inputs",
    "records_in",
]

TEXT_SUFFIX = ".txt"
NO_DOCUMENT = "is no document of a kind that is read, nor looked at for rows in a folder"
NO_FILE = "is a folder in the folder, and not looked at"
NEEDED_COLUMNS = {"title", "text"}

Inputs = Iterator[InputDocument | BadLine]


def read_inputs(path: Path) -> Inputs:
    """Return all documents of a file or folder, one at a time, in order.

    What Strata has exported with texts is read as it was. JSON Lines and arrays have `id` or `document_id`, `title`, `text`; CSV files have columns of
    these names, in any case, with whatever delimiter, in UTF-8, UTF-16 or Windows-1252; of a document
    (text, PDF, Word, OpenDocument, HTML), the name without its ending is the id. A missing id is the
    number of its line or row. Without a title, that of an act's heading is taken, or else the first
    line. Any of these but a document may end in `.gz`.

    Raises:
        ConfigError: there is no such file or folder, it cannot be read, or a CSV file has
            neither a title nor a text column.
    """
    if not path.exists():
        raise ConfigError(f"There is no file or folder {path}.")
    return _checked(path)


def _checked(path: Path) -> Inputs:
    """Yield the documents; errors of the system become sentences."""
    try:
        yield from _read_folder(path) if path.is_dir() else _read_file(path)
    except UNPACKING_ERRORS as error:
        yield BadLine(path.name, damaged(error))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from error


def _read_folder(path: Path) -> Inputs:
    """Yield every document of a folder by name; what is below in other folders is not looked at."""
    files = [file for file in sorted(path.iterdir()) if not is_litter(file)]
    if not any(names_document(file.name) and not file.is_dir() for file in files):
        raise ConfigError(
            f"The folder {path} holds no text, PDF, Word, OpenDocument or HTML file; folders in it "
            "are not looked at."
        )
    for file in files:
        if file.is_dir():
            yield BadLine(file.name, NO_FILE)
        elif names_document(file.name):
            try:
                yield _read_document(file)
            except OSError as error:
                yield BadLine(file.name, f"cannot be read: {system_reason(error)}")
        else:
            yield BadLine(file.name, NO_DOCUMENT)


def _read_document(path: Path) -> InputDocument | BadLine:
    return file_document(without_lone_surrogates(path.name), path.read_bytes())


def _read_file(path: Path) -> Inputs:
    """Read a file by the ending of its name; one of an unknown ending is read as JSON Lines."""
    if names_document(path.name):
        yield _read_document(path)
        return
    with unpacked(path) as file:
        for record in records_in(str(path), file):
            yield document_in(record)


def records_in(
    name: str, file: BinaryIO, formats: Mapping[str, RowReader] = ROW_FORMATS
) -> Records:
    """Yield the rows of an open file with the names of their fields as documents have them.

    Args:
        formats: by the ending of a name; one of another ending is read as JSON Lines.
    Raises:
        ConfigError: a table has neither a title nor a text column, or it is no file of rows.
    """
    if suffix_of(name) == ZIP_SUFFIX:
        raise ConfigError(
            f"{name} is read on the Start page alone: here give JSON Lines, a JSON array, a CSV, a document, "
            "or a folder of documents."
        )
    if suffix_of(name) not in formats and (reason := _why_no_rows(PurePath(name).name, file)):
        yield BadLine(PurePath(name).name, reason)
        return
    columns, records = formats.get(suffix_of(name), formats[DEFAULT_FORMAT])(file)
    if columns is not None and not NEEDED_COLUMNS & {column.lower() for column in columns}:
        raise ConfigError(
            f"{name} needs a first row that names its columns: at least title or text, and id if "
            "the documents have ids."
        )
    for record in exported_rows(columns, records):
        yield _of_table(record) if columns is not None and isinstance(record, Record) else record


def _why_no_rows(name: str, file: BinaryIO) -> str:
    """Return what to do with a file of another kind, such as an old Word one; "" of what may be text."""
    if not file.seekable():  # as what another program writes
        return ""
    start = file.read(LONGEST_MAGIC)
    file.seek(0)
    if start.startswith(MAGICS):
        try:
            kind_of(name, file.read())
        except DocumentError as error:
            return str(error).removeprefix(f"{name} ")
    return ""


def document_in(record: Record | BadLine) -> InputDocument | BadLine:
    """Return the document of a row, or what is wrong with it."""
    if isinstance(record, BadLine):
        return record
    return document_of(record.fields, default_id=record.number, where=record.where)


def file_document(name: str, content: bytes) -> InputDocument | BadLine:
    """Return the document of a file; its name without the ending is the id."""
    document_id = Path(name).stem
    try:
        if suffix_of(name) == TEXT_SUFFIX and kind_of(name, content) not in PARSED:
            return document_of({"text": _decoded(content)}, default_id=document_id, where=name)
        intake = read_upload(name, content)
    except UnicodeDecodeError as error:
        return BadLine(name, not_utf_8(error))
    except DocumentError as error:
        return BadLine(name, str(error).removeprefix(f"{name} "))
    document, is_first_line = intake.document(document_id), FIRST_LINE_TITLE in intake.notes
    if is_first_line and sections(document.title):  # of a note, as in `document_of`
        between = "\n" if suffix_of(name) == MARKDOWN else PART_BREAK
        text = whole_text(document.title, document.text, between)
        document = Document.from_text(document_id, document.title, text)
    return InputDocument(document_id, document, is_first_line, intake.encounter_notes)


def _decoded(content: bytes) -> str:
    """Return text in UTF-16 or UTF-8, or as old Windows programs wrote it.

    Raises:
        UnicodeDecodeError: it is none of these, as anything with a NUL in it.
    """
    if b"\0" in content:
        return content.decode(marked_encoding(BytesIO(content)) or UTF_8)
    return decode_text(content)[0]


def _of_table(record: Record) -> Record:
    """Columns may be named in any case; an empty id is none."""
    if record.is_export:
        return record
    fields = {name.lower(): value for name, value in record.fields.items()}
    for name in ID_FIELDS:
        fields[name] = str(fields.get(name, "")).strip() or None
    return Record(record.where, record.number, fields)

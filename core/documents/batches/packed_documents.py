"""The documents in a ZIP: each of its files, or each folder as the notes of an encounter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import takewhile
from pathlib import PurePosixPath
from zipfile import ZipFile

from core.documents.archives import documents_in, opened, read_member
from core.documents.batches.document_batch import BatchDocument, DocumentBatch
from core.documents.clinical.encounters import encounter, note_file, whole_text, with_sections
from core.documents.document import Document
from core.documents.rows.records import BadLine
from core.documents.uploads import read_upload
from core.errors import DocumentError

EMPTY_NOTE = "the file is empty; its encounter came in without it"


def packed_documents(batch: DocumentBatch) -> Iterator[BatchDocument | BadLine]:
    """Yield the documents in a ZIP, each under its name without the ending, or its folder's."""
    groups = grouped_files(batch.name, batch.content, encounters=batch.encounters)
    if batch.together:
        folder = PurePosixPath(next(iter(groups))).parent.name or PurePosixPath(batch.name).stem
        groups = {folder: list(groups)}
    names = _names(groups)
    with opened(batch.name, batch.content) as archive:
        for where, members in groups.items():
            try:
                if members != [where]:
                    yield _folder(batch.name, archive, where, members, names[where])
                else:
                    yield BatchDocument(where, _file(batch, archive, where, names[where]))
            except DocumentError as error:
                yield BadLine(where, str(error))


def _file(batch: DocumentBatch, archive: ZipFile, member: str, name: str) -> Document:
    """Return a file as a document, which is called by it, or as an encounter of one note."""
    stem = PurePosixPath(member).stem
    content = read_member(batch.name, archive, member)
    document = read_upload(PurePosixPath(member).name, content).document(stem)
    return with_sections(document, name) if batch.encounters else document


def _folder(
    name: str, archive: ZipFile, where: str, members: Sequence[str], title: str
) -> BatchDocument:
    """Return the files of a folder as the notes of an encounter, and name the empty ones."""
    contents = {member: read_member(name, archive, member) for member in members}
    empty = [member for member, content in contents.items() if not content.strip()]
    if len(empty) == len(members):
        raise DocumentError(f"{where} holds empty files alone: there is no text in it to index.")
    notes = []
    for member, content in contents.items():
        if member not in empty:
            read = read_upload(PurePosixPath(member).name, content)
            notes.append(note_file(member, whole_text(read.title, read.text)))
    notes.sort(key=lambda note: note.date or date.max)
    left_out = tuple(BadLine(member, EMPTY_NOTE) for member in empty)
    return BatchDocument(where, encounter(title, title, notes), left_out=left_out)


def grouped_files(name: str, content: bytes, *, encounters: bool) -> dict[str, list[str]]:
    """Return the files of a ZIP by the document that they make: each one, or all of a folder one.

    Only folders beside others separate encounters: the folder that holds everything is the one
    that was packed, and texts straight in it are of as many patients.
    """
    with opened(name, content) as archive:
        files = documents_in(archive)
    packed = _shared_folder(files)
    groups: dict[str, list[str]] = {}
    for file in files:
        folder = str(PurePosixPath(file).parent)
        groups.setdefault(folder if encounters and folder != packed else file, []).append(file)
    return groups


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

"""ZIP files, looked at before anything in them is unpacked: counts, sizes, passwords."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import PurePath, PurePosixPath
from zipfile import ZipFile, ZipInfo

from core.boundaries import DOCUMENT_ARCHIVES
from core.errors import DocumentError

MAX_ENTRIES = 20_000
MAX_EXPANDED_BYTES = 200_000_000
MAX_MEMBER_BYTES = 50_000_000
MAX_NESTED_ENTRIES = 100_000
LISTED_ENTRY = b"PK\x01\x02"
ENCRYPTED_FLAG = 0x1
MADE_ON_WINDOWS = 0  # or under DOS
LITTER = frozenset({"thumbs.db", "desktop.ini"})
END_RECORD = b"PK\x05\x06"
END_RECORD_SEARCHED_BYTES = 65_557  # its own 22 bytes and the longest comment
ENTRIES_OFFSET = 10


def member_names(name: str, content: bytes) -> frozenset[str]:
    """Return the names of all files in a ZIP.

    Raises:
        DocumentError: it is damaged, or is not to be unpacked.
    """
    with opened(name, content) as archive:
        return frozenset(archive.namelist())


@contextmanager
def opened(name: str, content: bytes) -> Iterator[ZipFile]:
    """The archive, after its size when unpacked and its number of files were checked.

    Raises:
        DocumentError: it is damaged, or has more in it than is unpacked.
    """
    _refuse_many(name, content)
    damaged = "{name} is damaged and cannot be unpacked ({reason})."
    with DOCUMENT_ARCHIVES.translated(damaged, name=name), _archive(content) as archive:
        _refuse_large(name, archive.infolist())
        _name_folders(archive)
        yield archive


def _archive(content: bytes) -> ZipFile:
    """Return an archive, with names in UTF-8 wherever they are, as macOS does not say it of them."""
    try:
        return ZipFile(BytesIO(content), metadata_encoding="utf-8")
    except UnicodeDecodeError:
        return ZipFile(BytesIO(content))


def _name_folders(archive: ZipFile) -> None:
    """Put slashes into names that Windows has written with backslashes, as PowerShell does."""
    for info in archive.infolist():
        if info.create_system == MADE_ON_WINDOWS and "\\" in info.filename:
            info.filename = info.filename.replace("\\", "/")
            archive.NameToInfo[info.filename] = info


def read_member(name: str, archive: ZipFile, member: str) -> bytes:
    """One file of an archive that `opened` gave.

    Raises:
        DocumentError: it is too large, or protected by a password.
    """
    info = archive.getinfo(member)
    if info.flag_bits & ENCRYPTED_FLAG:
        raise DocumentError(
            f"{name} is protected by a password. Save a copy without it, and add that."
        )
    if info.file_size > MAX_MEMBER_BYTES:
        raise DocumentError(
            f"{member} in {name} has {info.file_size / 1e6:,.0f} MB when unpacked; "
            f"{MAX_MEMBER_BYTES / 1e6:.0f} MB is the most that is read."
        )
    return archive.read(info)


def documents_in(archive: ZipFile) -> list[str]:
    """Return the names of the files that a person put in, without folders and a system's own."""
    return sorted(
        {
            info.filename
            for info in archive.infolist()
            if not info.is_dir() and not is_litter(PurePosixPath(info.filename))
        }
    )


def is_litter(path: PurePath) -> bool:
    """Return whether a system or a word processor put a file there, and no person."""
    is_hidden = "__MACOSX" in path.parts or path.name.startswith((".", "~$"))
    return is_hidden or path.name.lower() in LITTER


def _refuse_many(name: str, content: bytes) -> None:
    """Refuse by the number of entries that the archive states, before they are listed."""
    tail = content[-END_RECORD_SEARCHED_BYTES:]
    start = tail.rfind(END_RECORD)
    if start < 0 or len(tail) < start + ENTRIES_OFFSET + 2:
        raise DocumentError(f"{name} is damaged: the end of the file is missing.")
    (n_entries,) = struct.unpack_from("<H", tail, start + ENTRIES_OFFSET)
    # The number is what the file says of itself, and is not what decides how many are listed; files
    # that are archives themselves may be stored as they are.
    n_listed = content.count(LISTED_ENTRY)
    if n_entries > MAX_ENTRIES or n_listed > MAX_NESTED_ENTRIES:
        raise _too_much(name, f"{max(n_entries, n_listed):,} files")


def _refuse_large(name: str, infos: list[ZipInfo]) -> None:
    if len(infos) > MAX_ENTRIES:
        raise _too_much(name, f"{len(infos):,} files")
    expanded = sum(info.file_size for info in infos)
    if expanded > MAX_EXPANDED_BYTES:
        raise _too_much(name, f"{expanded / 1e6:,.0f} MB")


def _too_much(name: str, size: str) -> DocumentError:
    most = f"{MAX_ENTRIES:,} files and {MAX_EXPANDED_BYTES / 1e6:.0f} MB"
    return DocumentError(f"{name} would unpack to {size}; {most} are the most. Split it.")

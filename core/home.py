"""The home folder on disk: private to its owner, and cleared of what a killed program left.

A program that works on a home holds `.lock` in it, shared with others. Who can have it alone knows
that nobody else works there, and that every unfinished copy is abandoned.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

PRIVATE_UMASK = 0o077
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
LOCK = ".lock"
STAGING = ".staging-"  # begins the names of folders in which a backup is made or read
IN_USE = "in-use"  # in such a folder, locked as long as somebody works there
ELSEWHERE = "elsewhere"  # likewise: names the unfinished file that is written outside the home
PART = ".part"  # ends the names of files that are being written
# What Strata writes into its home; nothing else there is touched.
OWN = (
    *(f"strata.sqlite{end}" for end in ("", "-wal", "-shm")),
    *("vocabularies", "search", "models", "backups", "retraining"),
    *("reading.json", "signed-out.json"),
    *("access-key", "bundle-key", "program-keys.json", "oidc-client-secret", "first-link"),
)
LEFTOVERS = (
    f"{STAGING}*",
    f"backups/*{PART}",
    f"reading.json{PART}",
    "search/*.new",
    f"program-keys.json{PART}",
    f"signed-out.json{PART}",
    "search/*.npz?*.npz",
    "vocabularies/*/.new-*",
)


class HomeLock:
    """The lock of a process on a home, as long as it works there; `close` gives it back."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    @classmethod
    def shared(cls, home: Path) -> HomeLock:
        """Hold the lock along with others; who wants it alone is waited for."""
        return cls._held(home, alone=False)

    @classmethod
    def _held(cls, home: Path, *, alone: bool) -> HomeLock:
        file = open_private(home / LOCK)
        try:
            lock_file(file, alone=alone, wait=not alone)
        except OSError:
            file.close()
            raise
        return cls(file)

    @classmethod
    def alone(cls, home: Path) -> HomeLock | None:
        """Hold the lock alone; None where somebody else works on this home, or on Windows."""
        if sys.platform == "win32":
            return None
        with suppress(OSError):
            return cls._held(home, alone=True)
        return None

    def close(self) -> None:
        """Give the lock back."""
        self._file.close()


def open_private(path: Path) -> IO[bytes]:
    """Open a file to read and write, made where there is none, for its owner alone."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE), "r+b")


def lock_file(file: IO[bytes], *, alone: bool = True, wait: bool = False) -> None:
    """Lock an open file until it is closed, by whatever way the program ends.

    Raises:
        OSError: another one has it, or there are no locks on this disk.
    """
    if sys.platform != "win32":  # which has no such locks
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        fcntl.flock(file, kind if wait else kind | fcntl.LOCK_NB)


# ---------------------------------------------------------------------- rights


def make_private(home: Path) -> None:
    """Make the home where there is none, and let nobody else read what Strata keeps in it.

    Raises:
        OSError: the folder cannot be made.
    """
    home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    for path in (home, *own_files(home)):
        _take_rights(path)


def own_files(home: Path) -> Iterator[Path]:
    """Yield what Strata keeps in a home, folders before what is in them; no links."""
    for path in (home / name for name in OWN):
        if path.is_symlink() or not path.exists():
            continue
        yield path
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if not file.is_symlink())


def is_private(path: Path) -> bool:
    """Return whether nobody but the owner can read or write it."""
    return not path.stat().st_mode & PRIVATE_UMASK


def _take_rights(path: Path) -> None:
    """Take the rights of others away; what belongs to somebody else stays as it is."""
    with suppress(OSError):
        status = path.stat()
        shared = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX  # such as /tmp
        if status.st_mode & PRIVATE_UMASK and not shared:
            path.chmod(stat.S_IMODE(status.st_mode) & ~PRIVATE_UMASK)


# ---------------------------------------------------------------------- what is being written


@contextmanager
def staging(home: Path) -> Iterator[Path]:
    """A folder in a home for files that somebody makes or reads, taken away at the end."""
    with working_on(home):
        folder = Path(tempfile.mkdtemp(prefix=STAGING, dir=home))
        try:
            with in_use(folder):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def working_on(home: Path) -> Iterator[None]:
    """Make the home where there is none, and let nobody clear meanwhile what is unfinished there."""
    home.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    with closing(HomeLock.shared(home)):
        yield


@contextmanager
def in_use(folder: Path) -> Iterator[None]:
    """Lock a folder, so that others see that somebody works there, from the first moment."""
    if sys.platform == "win32":  # which has no such locks
        yield
        return
    new = folder / f"{IN_USE}.new"
    with open_private(new) as file:
        lock_file(file)
        new.replace(folder / IN_USE)
        yield


def is_abandoned(folder: Path) -> bool:
    """Return whether the process that worked in a folder has ended."""
    try:
        with (folder / IN_USE).open("r+b") as file:
            lock_file(file)
    except OSError:
        return False
    return True


def leftovers(home: Path) -> list[Path]:
    """Return the unfinished files in a home folder, of killed and of running programs."""
    paths = {path for pattern in LEFTOVERS for path in home.glob(pattern)}
    return sorted(paths | {part for folder in paths for part in _parts_elsewhere(folder)})


def _parts_elsewhere(folder: Path) -> list[Path]:
    """The unfinished file outside the home that a folder names, where it is there."""
    try:
        part = Path((folder / ELSEWHERE).read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [part] if part.suffix == PART and part.is_file() and not part.is_symlink() else []


def clear_leftovers(home: Path) -> list[Path]:
    """Remove what a killed program left, and return it; nothing while others work on this home."""
    lock = HomeLock.alone(home) if home.is_dir() else None
    if lock is None:
        return []
    with closing(lock):
        paths = leftovers(home)
        _remove(paths)
        return paths


def clear_abandoned(home: Path, *, but_with: str) -> list[Path]:
    """Remove folders of killed programs, and what they wrote elsewhere, also while others work.

    Args:
        but_with: a file; a folder that has it stays, as it is still needed.
    """
    folders = [path for path in home.glob(f"{STAGING}*") if not (path / but_with).exists()]
    abandoned = [folder for folder in folders if is_abandoned(folder)]
    paths = [part for folder in abandoned for part in _parts_elsewhere(folder)] + abandoned
    _remove(paths)
    return paths


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


@contextmanager
def written_whole(target: Path, *, noted_in: Path | None = None) -> Iterator[Path]:
    """A path beside a file, which takes the file's place once it is on the disk; for one alone.

    Args:
        noted_in: a folder of `staging` that says where it is, should this program be killed.
    Raises:
        OSError: it cannot be written; then the file is as it was.
    """
    part = target.with_name(f"{target.name}{PART}")
    part.unlink(missing_ok=True)
    if noted_in is not None:
        (noted_in / ELSEWHERE).write_text(str(part.absolute()), "utf-8")
    open_private(part).close()
    try:
        yield part
        flush(part)
        part.replace(target)
        flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def file_version(file: Path | None) -> tuple[int, int] | None:
    """Return what changes with every new file of this name; None where there is no file."""
    try:
        status = file.stat() if file else None
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_ino) if status else None


@contextmanager
def written_beside(target: Path, *, suffix: str = "") -> Iterator[Path]:
    """A new file beside another one, whose place it takes; several may write the same one at once.

    Raises:
        OSError: it cannot be written; then the file is as it was.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=target.name, suffix=suffix, dir=target.parent)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)


def checksum_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def flush(path: Path) -> None:
    """Wait until the disk has a file, or what a folder lists."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

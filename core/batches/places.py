"""Files where fsspec finds them: on a disk, or in an object store such as `s3://bucket/folder`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from core.boundaries import Boundary, message, system_reason
from core.documents.archives import is_litter
from core.documents.rows.row_documents import without_lone_surrogates
from core.errors import ConfigError

# What a file system says where it cannot be reached, is not installed, or is not known.
PLACES = Boundary(ConfigError, {OSError: system_reason, ImportError: message, ValueError: message})
SCHEME, ON_DISK = "://", "file://"
PATTERN = "*?["


def is_url(name: str) -> bool:
    """Return whether a name has the scheme of a file system before it."""
    return SCHEME in name


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of an input.

    Attributes:
        name: its own, without folders, and with "?" for what is no text in it.
        url: with the scheme, so that every worker and every run calls it the same.
        n_bytes: as it is stored.
    """

    name: str
    url: str
    n_bytes: int

    def open(self) -> BinaryIO:
        """Open it to read bytes.

        Raises:
            OSError: it cannot be read.
        """
        file_system, path = _file_system(self.url)
        return cast("BinaryIO", file_system.open(path, "rb"))


def input_files(source: str, suffixes: tuple[str, ...]) -> list[InputFile]:
    """Return the files of an input, in the order of their paths.

    Args:
        source: a file, a folder (files in it with one of `suffixes`, not those of folders below;
            what is left out is counted on standard error), or a pattern such as
            `s3://bucket/acts-*.jsonl.gz`.
    Raises:
        ConfigError: there are none, or the place cannot be reached.
    """
    with PLACES.translated("The input {source} cannot be read: {reason}.", source=source):
        file_system, path = _file_system(source)
        listed = [_followed(file_system, facts) for facts in _listed(file_system, path, suffixes)]
        files = [_input_file(file_system, facts) for facts in listed if facts["type"] == "file"]
    if not files:
        endings = ", ".join(suffixes)
        raise ConfigError(f"There is no file {source}, and none below it that ends in {endings}.")
    return files


def _listed(file_system: Any, path: str, suffixes: tuple[str, ...]) -> list[dict[str, Any]]:
    if any(sign in path for sign in PATTERN) and not file_system.exists(path):
        return _put_there(file_system.glob(path, detail=True).values(), path)
    if not file_system.exists(path):
        return []
    if not file_system.isdir(path):
        return [file_system.info(path)]
    inside = _put_there(file_system.ls(path, detail=True), path)
    read = [facts for facts in inside if _is_read(facts, suffixes)]
    if left_out := [facts["name"] for facts in inside if not _is_read(facts, suffixes)]:
        first = PurePosixPath(left_out[0]).name
        sys.stderr.write(
            f"{len(left_out)} files and folders in {path} are left out, {first} first\n"
        )
    return read


def _put_there(found: Iterable[dict[str, Any]], asked: str) -> list[dict[str, Any]]:
    """Return what a person put there, by path; all of it where such names are asked for."""
    taken = is_litter(PurePosixPath(asked))
    return sorted(
        (facts for facts in found if taken or not is_litter(PurePosixPath(facts["name"]))),
        key=lambda facts: str(facts["name"]),
    )


def _is_read(facts: dict[str, Any], suffixes: tuple[str, ...]) -> bool:
    return facts["type"] != "directory" and str(facts["name"]).lower().endswith(suffixes)


def _followed(file_system: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a file; of a link, those of the file that it leads to."""
    if facts.get("islink") and file_system.isfile(facts["name"]):
        return dict(file_system.info(facts["name"]))
    return facts


def _input_file(file_system: Any, facts: dict[str, Any]) -> InputFile:
    path = str(facts["name"])
    url = str(file_system.unstrip_protocol(path))
    name = without_lone_surrogates(PurePosixPath(path).name)
    return InputFile(name, url, int(facts["size"] or 0))


def _file_system(name: str) -> tuple[Any, str]:
    try:
        from fsspec import filesystem
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ConfigError("Reading in parts needs fsspec: pip install fsspec.") from error
    if name.startswith(ON_DISK) or not is_url(name):  # a name on a disk may have :: in it
        on_disk = filesystem("file")
        return on_disk, str(on_disk._strip_protocol(name))
    file_system, path = url_to_fs(name)
    return file_system, str(path)


class OutputFolder:
    """A folder that results are written to, a whole file at a time.

    Args:
        url: of the folder, or its path; it is made where there is none.
    """

    def __init__(self, url: str) -> None:
        self.url = url if is_url(url) else str(Path(url).resolve())
        with PLACES.translated("The output {url} cannot be written: {reason}.", url=url):
            self._file_system, self._path = _file_system(self.url)
            self._file_system.makedirs(self._path, exist_ok=True)
        protocol = self._file_system.protocol
        self._is_local = "file" in ([protocol] if isinstance(protocol, str) else protocol)

    def __reduce__(self) -> tuple[type[OutputFolder], tuple[str]]:
        return OutputFolder, (self.url,)

    def names(self, folder: str) -> set[str]:
        """Return the names of the files in a folder; none where the folder does not exist."""
        with self._reading():
            place = f"{self._path}/{folder}"
            self._file_system.invalidate_cache()
            if not self._file_system.exists(place):
                return set()
            return {PurePosixPath(str(path)).name for path in self._file_system.ls(place, False)}

    def read(self, name: str) -> bytes | None:
        """Return what a file holds; None where there is none."""
        with self._reading():
            try:
                return bytes(self._file_system.cat_file(f"{self._path}/{name}"))
            except FileNotFoundError:
                return None

    @contextmanager
    def new_file(self, name: str) -> Iterator[IO[bytes]]:
        """A file to write, which is there as a whole at the end, or not at all.

        Raises:
            ConfigError: it cannot be written.
        """
        place = f"{self._path}/{name}"
        with PLACES.translated("The output {url} cannot be written: {reason}.", url=self.url):
            self._file_system.makedirs(place.rpartition("/")[0], exist_ok=True)
            beside = Path(place).parent if self._is_local else None
            handle, new = tempfile.mkstemp(prefix=".new-", dir=beside)
            try:
                with os.fdopen(handle, "w+b") as file:
                    yield file
                self._take(new, place)
            finally:
                Path(new).unlink(missing_ok=True)

    def _take(self, new: str, place: str) -> None:
        """Put a finished file in its place: by renaming, or as one object, which is whole or not."""
        if self._is_local:
            Path(new).replace(place)
        else:
            self._file_system.put_file(new, place)

    def _reading(self) -> Any:
        return PLACES.translated("The output {url} cannot be read: {reason}.", url=self.url)

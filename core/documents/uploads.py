"""An uploaded file of any format as a document, or a sentence with a remedy.

Files are parsed in processes of their own, which are killed when they take too long. There are two
of them: a file that takes all the time it may have keeps nobody else's from being read.
"""

from __future__ import annotations

import atexit
import json
import logging
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import date
from queue import LifoQueue
from typing import Any

from core.documents.document import Heading, Part
from core.documents.intake import Intake, read_text
from core.documents.kinds import BATCHES, PARSED, kind_of
from core.documents.rows.packed_rows import PackedRows
from core.documents.worker import MEMBER, READ, SIZES, TABLE
from core.errors import DocumentError
from core.processes import OUT_OF_TIME, killed_after, start_worker

_LOG = logging.getLogger(__name__)

MAX_FILE_BYTES = 20_000_000
TOO_MUCH_WORK = (
    "takes more work to read than a file of its size does. Save it in a simpler form, split it, or "
    "paste its text."
)
A_BATCH = "holds several documents. Add it by itself, and say which columns are which."
TIMEOUT_SECONDS = 60
# Of work, so that a busy machine changes nothing: a page takes some hundredths of a second.
PROCESSOR_SECONDS, PROCESSOR_SECONDS_PER_MEGABYTE = 8.0, 6.0
ALARM_MARGIN_SECONDS = 10
FILES_PER_PROCESS = 300
N_PROCESSES = 2
WORKER = "core.documents.worker"


class Parser(ABC):
    """Parses files elsewhere."""

    @abstractmethod
    def _answer(
        self, name: str, content: bytes, **asked: str
    ) -> tuple[dict[str, Any], tuple[bytes, ...]]: ...

    def read(self, kind: str, name: str, content: bytes) -> Intake:
        """Read a file of this kind.

        Raises:
            DocumentError: it cannot be read, or not within the limits.
        """
        answer, _ = self._answer(name, content, task=READ, kind=kind)
        return Intake(
            answer["title"],
            tuple(_part(fields) for fields in answer["parts"]),
            tuple(answer["notes"]),
        )

    def rows(self, kind: str, name: str, content: bytes) -> PackedRows:
        """Read the rows of a table, or of a ZIP of tables.

        Raises:
            DocumentError: as for `read`.
        """
        answer, pieces = self._answer(name, content, task=TABLE, kind=kind)
        return PackedRows(answer["columns"], answer["n_rows"], pieces)

    def member(self, name: str, content: bytes, member: str) -> bytes:
        """Unpack a file of a ZIP.

        Raises:
            DocumentError: as for `read`.
        """
        _, (unpacked,) = self._answer(name, content, task=MEMBER, member=member)
        return unpacked


class ParserProcess(Parser):
    """A process that parses one file at a time; threads wait for their turn.

    It stays warm: it is started at the first file, again after it died, and afresh after some
    hundreds of files, so that what a library leaks does not add up.
    """

    def __init__(self, timeout_seconds: int = TIMEOUT_SECONDS) -> None:
        self.timeout_seconds = timeout_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._n_files = 0
        self._content: bytes | None = None  # that the process has, where it is an archive
        self._turn = threading.Lock()

    def close(self) -> None:
        """End the process; the next file starts another."""
        process, self._process, self._content = self._process, None, None
        if process is not None:
            process.kill()
            process.communicate()

    def _answer(
        self, name: str, content: bytes, **asked: str
    ) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        with self._turn:
            answer, pieces = self._ask(name, content, asked)
        if "problem" in answer:
            raise DocumentError(answer["problem"])
        return answer, pieces

    def _ask(
        self, name: str, content: bytes, asked: Mapping[str, str]
    ) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        process = self._running()
        with killed_after(process, self.timeout_seconds) as overdue:
            answer, pieces = self._exchange(process, name, content, asked)
        if answer is not None:
            return answer, pieces
        self.close()
        return {"problem": f"{name} {self._why(process.returncode, overdue.is_set())}"}, ()

    def _exchange(
        self,
        process: subprocess.Popen[bytes],
        name: str,
        content: bytes,
        asked: Mapping[str, str],
    ) -> tuple[dict[str, Any] | None, tuple[bytes, ...]]:
        """Send a file and wait for the answer; None where the process has died."""
        assert process.stdin is not None and process.stdout is not None
        is_same = content is self._content
        # Of an archive one file is asked for after the other.
        self._content = content if asked["task"] == MEMBER else None
        request = {
            **asked,
            "name": name,
            "size": len(content),
            "is_same": is_same,
            "timeout_seconds": self.timeout_seconds + ALARM_MARGIN_SECONDS,
            "processor_seconds": PROCESSOR_SECONDS
            + PROCESSOR_SECONDS_PER_MEGABYTE * len(content) / 1e6,
        }
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            if not is_same:
                process.stdin.write(content)
            process.stdin.flush()
            answer = json.loads(process.stdout.readline() or b"null")
            sizes = answer[SIZES] if answer else []
            pieces = tuple(process.stdout.read(size) for size in sizes)
        except BrokenPipeError:
            return None, ()
        return (answer if [*map(len, pieces)] == sizes else None), pieces

    def _why(self, status: int, is_overdue: bool) -> str:
        if is_overdue:
            return (
                f"could not be read within {self.timeout_seconds} seconds. Split it, or save it "
                "as plain text, and add that."
            )
        if status in OUT_OF_TIME:
            return TOO_MUCH_WORK
        _LOG.error("the parser ended by itself")
        return "could not be read: it is damaged, or built to break programs. Paste its text."

    def _running(self) -> subprocess.Popen[bytes]:
        self._n_files += 1
        if self._n_files > FILES_PER_PROCESS:
            self.close()
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process, self._n_files = start_worker(WORKER), 1
        return self._process


class ParserPool(Parser):
    """Some processes that parse a file each; who comes when all are busy waits for the first."""

    def __init__(
        self, n_processes: int = N_PROCESSES, *, timeout_seconds: int = TIMEOUT_SECONDS
    ) -> None:
        self.parsers = [ParserProcess(timeout_seconds) for _ in range(n_processes)]
        # The last one first, so that one stays warm where one is enough.
        self._free: LifoQueue[ParserProcess] = LifoQueue()
        for parser in self.parsers:
            self._free.put(parser)

    def _answer(
        self, name: str, content: bytes, **asked: str
    ) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        parser = self._free.get()
        try:
            return parser._answer(name, content, **asked)
        finally:
            self._free.put(parser)

    def close(self) -> None:
        """End the processes; the next files start others."""
        for parser in self.parsers:
            parser.close()


def _part(fields: dict[str, Any]) -> Part:
    headings = tuple(Heading(**heading) for heading in fields["headings"])
    stated: date | None = None
    return Part(fields["text"], fields["kind"], stated, fields["title"], headings)


PARSER = ParserPool()
atexit.register(PARSER.close)


def read_upload(name: str, content: bytes, *, parser: Parser = PARSER) -> Intake:
    """Read a .txt, .pdf, .docx, .odt or .html file; the content decides the format.

    Args:
        parser: what parses what is not plain text.
    Raises:
        DocumentError: it is too large, empty, locked, damaged, or of another kind.
    """
    kind = checked_kind(name, content)
    if kind in BATCHES:
        raise DocumentError(f"{name} {A_BATCH}")
    return parser.read(kind, name, content) if kind in PARSED else read_text(name, content)


def checked_kind(name: str, content: bytes) -> str:
    """Return the kind of a file of bearable size.

    Raises:
        DocumentError: it is too large or empty, or of a kind that cannot be read.
    """
    if len(content) > MAX_FILE_BYTES:
        size, most = len(content) / 1e6, MAX_FILE_BYTES / 1e6
        raise DocumentError(
            f"{name} has {size:.0f} MB; {most:.0f} MB is the most that is read. Split it, or save "
            "it without pictures."
        )
    if not content:
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    return kind_of(name, content)

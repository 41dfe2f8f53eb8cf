"""The process that parses files: it takes one after the other, and may be killed at any time.

Started by `core.documents.uploads` as `python -m core.documents.worker`. It reads requests from its
input (a line of JSON, then the bytes of the file) and answers each with a line of JSON, behind which
the bytes stand that it names the sizes of. Whatever a hostile file does to a parser, it does here: with
bounded memory, without network or programs.
"""

from __future__ import annotations

import importlib
import io
import json
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from core.documents.archives import documents_in, opened, read_member
from core.documents.intake import Intake
from core.documents.kinds import HTML, OPEN_DOCUMENT, PDF, WORD, ZIP
from core.documents.readers.blocks import TOO_DEEP
from core.documents.rows.files import rows_of
from core.documents.rows.packed_rows import PackedRows, packed
from core.documents.rows.records import Records
from core.errors import DocumentError
from core.processes import limit

READERS = {
    PDF: "core.documents.readers.pdf",
    WORD: "core.documents.readers.word",
    OPEN_DOCUMENT: "core.documents.readers.open_document",
    HTML: "core.documents.readers.html",
}
READ, TABLE, MEMBER = "read", "table", "member"  # what is asked for
SIZES = "sizes"  # of an answer: of what stands behind its line
MAX_MEMORY_BYTES = 1_200_000_000
FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.spawn",
    "os.posix_spawn",
    "os.fork",
)
TOO_COMPLEX = "needs more memory than is given to one file. Save it in a simpler form, or split it."


def main() -> None:
    """Answer requests until there are no more."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # A parser that prints must not answer in our place.
    sys.stdout = sys.stderr
    limit("RLIMIT_AS", MAX_MEMORY_BYTES)
    sys.addaudithook(_refuse)
    content = b""
    while line := requests.readline():
        request = json.loads(line)
        _set_alarm(request["timeout_seconds"], request["processor_seconds"])
        # Of an archive, which is sent once, one file is asked for after the other.
        content = content if request["is_same"] else requests.read(request["size"])
        answer, more = _answer(request, content)
        _set_alarm(0, 0)
        answers.write(json.dumps(answer | {SIZES: [*map(len, more)]}).encode("ascii") + b"\n")
        for piece in more:
            answers.write(piece)
        answers.flush()


def _answer(request: dict[str, Any], content: bytes) -> tuple[dict[str, Any], Sequence[bytes]]:
    """Return what is asked for of a file, or the sentence that says why there is none."""
    name, task = request["name"], request["task"]
    try:
        if task == TABLE:
            rows = read_table(request["kind"], name, content)
            return {"columns": rows.columns, "n_rows": rows.n_rows}, rows.pieces
        if task == MEMBER:
            with opened(name, content) as archive:
                return {}, [read_member(name, archive, request["member"])]
        return asdict(read(request["kind"], name, content)), ()
    except DocumentError as error:
        problem = str(error)
    except MemoryError:
        problem = f"{name} {TOO_COMPLEX}"
    except RecursionError:
        problem = f"{name} {TOO_DEEP}"
    return {"problem": problem}, ()


def read(kind: str, name: str, content: bytes) -> Intake:
    """Read a file of this kind here and now.

    Raises:
        DocumentError: it cannot be read.
    """
    reader = importlib.import_module(READERS[kind])
    intake: Intake = reader.read(name, content)
    return intake


def read_table(kind: str, name: str, content: bytes) -> PackedRows:
    """Read the rows of a table, or of all tables in a ZIP, here and now.

    Raises:
        DocumentError: it cannot be unpacked, or holds more than is read.
    """
    if kind == ZIP:
        return packed(name, None, _of_all(name, content))
    columns, records = _rows(name, content)
    return packed(name, columns, records)


def _of_all(name: str, content: bytes) -> Records:
    with opened(name, content) as archive:
        for member in documents_in(archive):
            _, records = _rows(member, read_member(name, archive, member))
            yield from (replace(row, where=f"{member}, {row.where}") for row in records)


def _rows(name: str, content: bytes) -> tuple[list[str] | None, Records]:
    """Return the columns and rows of a file; a table without a first row has none."""
    columns, records = rows_of(name, io.BytesIO(content))
    return columns, iter(()) if columns == [] else records


def _set_alarm(seconds: int, processor_seconds: float) -> None:
    """End this process after so long, or so much work, even where nobody is left to kill it."""
    if hasattr(signal, "setitimer"):
        signal.alarm(seconds)
        signal.setitimer(signal.ITIMER_PROF, processor_seconds)


def _refuse(event: str, _arguments: object) -> None:
    if event.startswith(FORBIDDEN):
        raise PermissionError(f"a parser asked for {event}")


if __name__ == "__main__":
    main()

"""The process that parses files: it takes one after the other, and may be killed at any time.

Started by `core.documents.uploads` as `python -m core.documents.worker`. It reads requests from its
input (a line of JSON, then the bytes of the file) and answers each with a line of JSON. Whatever a
hostile file does to a parser, it does here: with bounded memory, without network or programs.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
from dataclasses import asdict
from typing import Any, BinaryIO

from core.documents.intake import Intake
from core.documents.kinds import HTML, OPEN_DOCUMENT, PDF, WORD
from core.documents.readers.blocks import TOO_DEEP
from core.errors import DocumentError
from core.processes import limit

READERS = {
    PDF: "core.documents.readers.pdf",
    WORD: "core.documents.readers.word",
    OPEN_DOCUMENT: "core.documents.readers.open_document",
    HTML: "core.documents.readers.html",
}
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
    while line := requests.readline():
        request = json.loads(line)
        _set_alarm(request["timeout_seconds"], request["processor_seconds"])
        answer = _answer(request, requests)
        _set_alarm(0, 0)
        answers.write(json.dumps(answer).encode("ascii") + b"\n")
        answers.flush()


def _answer(request: dict[str, Any], requests: BinaryIO) -> dict[str, Any]:
    """Return the title, parts and notes of a file, or the sentence that says why there are none."""
    name = request["name"]
    content = requests.read(request["size"])
    try:
        return asdict(read(request["kind"], name, content))
    except DocumentError as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": f"{name} {TOO_COMPLEX}"}
    except RecursionError:
        return {"problem": f"{name} {TOO_DEEP}"}


def read(kind: str, name: str, content: bytes) -> Intake:
    """Read a file of this kind here and now.

    Raises:
        DocumentError: it cannot be read.
    """
    reader = importlib.import_module(READERS[kind])
    intake: Intake = reader.read(name, content)
    return intake


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

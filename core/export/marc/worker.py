"""The process that reads records from outside: its memory and time are bounded.

Started by `core.export.marc.updating` as `python -m core.export.marc.worker`. It reads a line of
JSON and then a file, and answers with what each record is called; is told in another line which
records change; and answers with a line and the new file. Whatever a hostile file does to a parser,
it does here.
"""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO

from core.errors import DocumentError
from core.export.marc.fields import Subject, SubjectSource
from core.export.marc.records import FileRecord, RecordChange, file_of, is_xml, records_of
from core.processes import limit

# Measured with 20 MB: records in ISO 2709 take 420 MB and 8 seconds, empty fields in MARCXML 660 MB.
MAX_MEMORY_BYTES, MAX_SECONDS = 1_500_000_000, 60
TOO_COMPLEX = "The file needs more memory than is given to one. Split it."


def main() -> None:
    """Read a file, and write what changes in it."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a parser that prints must not answer in our place
    limit("RLIMIT_AS", MAX_MEMORY_BYTES)
    limit("RLIMIT_CPU", MAX_SECONDS)
    try:
        _answer(requests, answers)
    except DocumentError as error:
        _write(answers, {"problem": str(error)})
    except MemoryError:
        _write(answers, {"problem": TOO_COMPLEX})


def _answer(requests: BinaryIO, answers: BinaryIO) -> None:
    request = json.loads(requests.readline())
    content = requests.read(request["size"])
    source = SubjectSource(request["code"], request["tag"])
    records = records_of(content)
    _write(answers, {"records": [_described(record, source) for record in records]})
    changes = {int(number): _change(change) for number, change in _line(requests).items()}
    written: list[bytes] = []
    changed: list[int] = []
    for number, record in enumerate(records):
        new = record.write(source, changes[number]) if number in changes else None
        written.append(record.unchanged() if new is None else new)
        changed += [] if new is None else [number]
    file = file_of(written, xml=is_xml(content))
    _write(answers, {"changed": changed, "size": len(file)}, file)


def _described(record: FileRecord, source: SubjectSource) -> dict[str, Any]:
    is_read = record.record is not None
    return {"names": record.names(), "uris": record.uris(source), "is_read": is_read}


def _change(fields: dict[str, Any]) -> RecordChange:
    subjects = tuple(Subject(*subject) for subject in fields["subjects"])
    return RecordChange(subjects, frozenset(fields["dropped"]))


def _line(requests: BinaryIO) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(requests.readline() or b"{}")
    return answer


def _write(answers: BinaryIO, answer: dict[str, Any], content: bytes = b"") -> None:
    answers.write(json.dumps(answer).encode("ascii") + b"\n" + content)
    answers.flush()


if __name__ == "__main__":
    main()

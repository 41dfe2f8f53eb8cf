"""The process that reads a vocabulary: its memory and time are bounded by the size of the files.

Started by `core.vocabulary.bounded` as `python -m core.vocabulary.worker`. It reads one request, a
line of JSON, from its input, and answers with lines of JSON: how far it is, and at last the report
or the sentence that says why there is none. Whatever a hostile file does to a parser, it does here.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from core.boundaries import VOCABULARY_FILES
from core.errors import VocabularyError
from core.processes import limit
from core.vocabulary.packing import unpacked_bytes
from core.vocabulary.readers import read_vocabulary
from core.vocabulary.report import report
from core.vocabulary.versions.keeping import checksum, keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

# Measured: the libraries take 110 MB (not all of it is touched), EuroVoc as Turtle 11 bytes a byte,
# a file in 24 languages as RDF/XML 7, and writing its search index half as much again.
BASE_MEMORY_BYTES, MEMORY_PER_BYTE = 270_000_000, 20
# Seconds of this process on the processor, so that a busy machine changes nothing. EuroVoc takes
# 0.4 s a megabyte, tables of codes 0.5 s, and indexes up to 0.3 ms a label.
BASE_SECONDS, SECONDS_PER_MEGABYTE, SECONDS_PER_LABEL = 8.0, 3.0, 0.004
LIKELY_RATIO = 10
"""A packed file counts as this many times its size at most, whatever it unpacks to."""
SECONDS_BETWEEN_REPORTS = 0.2
TOO_LARGE = (
    "needs more memory to be read than a vocabulary of its size does: it is damaged, or built to "
    "break programs. Look at what is in it, or give a part of it."
)
TOO_DEEP = "is nested too deeply to be read; give a vocabulary in SKOS, or a table of codes."


def main() -> None:
    """Answer one request."""
    answers = sys.stdout
    sys.stdout = sys.stderr  # a parser that prints must not answer in our place
    sys.excepthook = _frames_alone
    request = json.loads(sys.stdin.readline())
    answer = _answer(request, _Progress(answers))
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


class _Progress:
    """Writes how far the reading is, but not more often than somebody would look."""

    def __init__(self, answers: Any) -> None:
        self._answers = answers
        self._written_at = 0.0

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now - self._written_at >= SECONDS_BETWEEN_REPORTS:
            self._written_at = now
            self.write("reading", share)

    def write(self, stage: str, share: float) -> None:
        """Write a stage at once."""
        self._answers.write(json.dumps({"stage": stage, "share": share}) + "\n")
        self._answers.flush()


def _answer(request: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    paths = [Path(path) for path in request["paths"]]
    names = ", ".join(map(str, paths))
    try:
        return _read(paths, request, progress)
    except VocabularyError as error:
        return {"problem": str(error)}
    except MemoryError:
        return {"problem": f"{names} {TOO_LARGE}"}
    except RecursionError:
        return {"problem": f"{names} {TOO_DEEP}"}


def _read(paths: list[Path], request: dict[str, Any], progress: _Progress) -> dict[str, Any]:
    """Read the files, and keep what they hold where a home folder is named."""
    started = time.perf_counter()
    _limit(0)  # for unpacking, too
    n_bytes = sum(map(_counted_bytes, paths))
    _limit(n_bytes)
    reading = read_vocabulary(paths, vocabulary_id=request["vocabulary_id"], on_progress=progress)
    facts = report(reading, seconds=time.perf_counter() - started)
    if request["home"] is None:
        return {"report": facts}
    progress.write("keeping", 1.0)
    versions = VocabularyVersions(Path(request["home"]))
    # Ids are compared with those of stored versions, which may be larger than this one.
    n_read = n_bytes + versions.largest_bytes()
    _limit(n_read, n_labels=sum(reading.languages.values()) + reading.n_concepts)
    entry = keep(
        versions,
        reading.hierarchy,
        file_name=", ".join(path.name for path in paths),
        sha256=checksum([path.read_bytes() for path in paths]),
        report=facts,
    )
    if entry.vocabulary_id != facts["vocabulary_id"]:
        facts["kept_as"] = entry.vocabulary_id
    return {"report": facts, "entry": asdict(entry)}


def _counted_bytes(path: Path) -> int:
    """Return a file's unpacked size for the limits, capped at a multiple of the packed size."""
    if not path.is_file():
        return 0  # the readers have sentences for it
    packed = path.stat().st_size
    _limit(packed)
    with suppress(*VOCABULARY_FILES.errors):  # they have some for damaged files, too
        return min(unpacked_bytes(path), LIKELY_RATIO * packed)
    return packed


def _limit(n_bytes: int, n_labels: int = 0) -> None:
    """Bound what the process may take from now on; macOS does not keep to the bound of memory."""
    memory = BASE_MEMORY_BYTES + MEMORY_PER_BYTE * n_bytes
    seconds = BASE_SECONDS + SECONDS_PER_MEGABYTE * n_bytes / 1e6 + SECONDS_PER_LABEL * n_labels
    limit("RLIMIT_DATA", memory)
    limit("RLIMIT_CPU", int(seconds))


def _frames_alone(
    kind: type[BaseException], _error: BaseException, trace: TracebackType | None
) -> None:
    """Write where an error came from, without its message, which may have text of the file."""
    print(*traceback.format_tb(trace), kind.__name__, sep="", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()

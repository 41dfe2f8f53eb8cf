"""Reads vocabularies in a process of its own, whose memory and time are bounded.

A file of some hundred bytes can make a parser take all memory there is, or abort in native code;
the process that it was given to ends then, and nothing else.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import VocabularyError
from core.processes import killed_after, start_worker
from core.vocabulary.versions.vocabulary_versions import VocabularyVersion

_LOG = logging.getLogger(__name__)

WORKER = "core.vocabulary.worker"
MOST_SECONDS = 1_800  # where the system bounds no time; and a process may wait for a busy machine
ENDED = (
    "cannot be read within the time and memory that a vocabulary of its size needs: it is damaged, "
    "or built to break programs. Look at what is in it, or give a part of it."
)

OnStage = Callable[[str, float], None]
"""Takes "reading" or "keeping", and the share of the files that was read, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class BoundedReading:
    """The result of the process.

    Attributes:
        report: what the reader found, as `core.vocabulary.report` has it.
        entry: the version that was kept; None where that was not asked for.
    """

    report: dict[str, Any]
    entry: VocabularyVersion | None


def read_bounded(
    paths: Sequence[Path],
    *,
    vocabulary_id: str | None = None,
    home: Path | None = None,
    on_stage: OnStage | None = None,
) -> BoundedReading:
    """Read files as `core.vocabulary.readers.read_vocabulary` does, and keep the vocabulary.

    Args:
        home: the folder in which it is kept, with its search index; None: it is only looked at.
        on_stage: called now and then.
    Raises:
        VocabularyError: a file is refused, or cannot be read within the bounds of its size.
    """
    request = {
        "paths": [str(path) for path in paths],
        "vocabulary_id": vocabulary_id,
        "home": None if home is None else str(home.resolve()),
    }
    answer = _answer(request, on_stage or (lambda stage, share: None))
    if answer is None:
        raise VocabularyError(f"{', '.join(map(str, paths))} {ENDED}")
    if "problem" in answer:
        raise VocabularyError(answer["problem"])
    entry = answer.get("entry")
    return BoundedReading(answer["report"], VocabularyVersion(**entry) if entry else None)


def _answer(request: dict[str, Any], on_stage: OnStage) -> dict[str, Any] | None:
    """Return the last line of the process; None where it ended without one."""
    with start_worker(WORKER) as process:
        try:
            with killed_after(process, MOST_SECONDS):
                answer = _exchange(process, request, on_stage)
        finally:
            process.kill()
        if answer is None:
            status = process.wait()
            _LOG.info("the reader of vocabularies ended with %d", status)
        return answer


def _exchange(
    process: subprocess.Popen[bytes], request: dict[str, Any], on_stage: OnStage
) -> dict[str, Any] | None:
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
        process.stdin.close()
    except BrokenPipeError:
        return None
    for line in process.stdout:
        if not line.endswith(b"\n"):
            break  # it was killed while it wrote
        answer: dict[str, Any] = json.loads(line)
        if "stage" not in answer:
            return answer
        on_stage(answer["stage"], answer["share"])
    return None

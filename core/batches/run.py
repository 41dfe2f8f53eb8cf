"""A run in parts: computes the unfinished parts and reports their results."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from core.batches.chosen import ChosenSuggester
from core.batches.engines import BatchEngine, PartWriter
from core.batches.parts import DEFAULT_DOCUMENTS
from core.batches.places import InputFile, input_files, is_url
from core.batches.reading import SUFFIXES
from core.batches.record import BatchRecord, FinishedPart
from core.documents.rows.row_documents import without_lone_surrogates
from core.errors import ConfigError

EVERY_SECONDS = 10.0
SINCE = "(what was decided in the project since had no part in it; name another folder for that)"


@dataclass(frozen=True, slots=True)
class BatchRun:
    """What a run is asked for.

    Attributes:
        source: file, folder or pattern of the input.
        documents: most in a part.
    """

    source: str
    chosen: ChosenSuggester
    writer: PartWriter
    documents: int = DEFAULT_DOCUMENTS

    def files(self) -> list[InputFile]:
        """Return the files of the input.

        Raises:
            ConfigError: there are none, or the output is one of them.
        """
        place = self.source if is_url(self.source) else str(Path(self.source).resolve())
        if place.rstrip("/") == self.writer.folder.url.rstrip("/"):
            raise ConfigError(f"{self.source} is the input; name another folder for the output.")
        return input_files(self.source, SUFFIXES)

    def settings(self, files: list[InputFile]) -> dict[str, Any]:
        """Return what decides the output."""
        return {
            "input": [[without_lone_surrogates(file.url), file.n_bytes] for file in files],
            "source_of_suggestions": str(self.chosen),
            **self.chosen.identity(),
            "names": self.chosen.names,
            "limit": self.writer.limit,
            "threshold": self.writer.threshold,
            "format": self.writer.suffix,
            "documents_in_a_part": self.documents,
        }


def run_in_parts(run: BatchRun, engine: BatchEngine) -> int:
    """Write all parts that are not there yet; returns the exit code.

    Raises:
        StrataError: the input or the output cannot be used, or the suggester not be loaded.
    """
    files = run.files()
    record = BatchRecord(run.writer.folder, run.settings(files))
    if record.report is not None:
        since = f" {SINCE}" if run.chosen.project else ""
        summary = f"{_summary(record.report)}{since}"
        sys.stderr.write(f"{run.writer.folder.url} is finished: {summary}\n")
        return 0
    began = time.monotonic()
    try:
        return _computed(run, record, engine, files, began)
    finally:
        engine.close()


def _computed(
    run: BatchRun, record: BatchRecord, engine: BatchEngine, files: list[InputFile], began: float
) -> int:
    started = engine.start(record.chosen_precision)
    record.begin(started.suggester, started.precision)
    start_up = time.monotonic() - began
    if record.finished:
        sys.stderr.write(f"goes on: {len(record.finished)} parts are there\n")
    sys.stderr.write(f"ready after {start_up:.1f} s, {started.workers} at work\n")
    progress = BatchProgress(sum(file.n_bytes for file in files))
    progress.begin(record.bytes_finished())
    for mark in engine.finish(record.unfinished(files, run.documents)):
        progress.advance(mark)
    sys.stderr.write(f"{progress}\n")
    totals = record.totals()
    report = totals | {
        "seconds_of_this_run": round(progress.seconds, 1),
        "start_up_seconds": round(start_up, 1),
        "documents_of_this_run": progress.n_documents,
        "processor_seconds_of_this_run": round(progress.processor_seconds, 1),
        "workers": started.workers,
    }
    record.end(report)
    sys.stderr.write(f"{_summary(report)}\n")
    return 0 if totals["documents"] else 1


def _summary(report: dict[str, Any]) -> str:
    return f"{report['documents']} documents read, {report['skipped']} skipped"


# ---------------------------------------------------------------------- progress


class BatchProgress:
    """Says how far a run is: on a terminal in one line that changes, elsewhere now and then.

    Args:
        n_bytes: of the whole input. Time left is judged by it, since nobody has counted the rows.
    """

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes
        self.n_documents = 0
        self.processor_seconds = 0.0
        self._started = self._said = time.monotonic()
        self._bytes_at_start = self._furthest = 0
        self._is_terminal = sys.stderr.isatty()

    def begin(self, bytes_read: int) -> None:
        """Start the clock, where so much of the input was finished before."""
        self._started = self._said = time.monotonic()
        self._bytes_at_start = self._furthest = bytes_read

    def advance(self, mark: FinishedPart) -> None:
        """Count a part."""
        self.n_documents += mark.documents
        self.processor_seconds += mark.processor_seconds
        self._furthest = max(self._furthest, mark.bytes_read)
        now = time.monotonic()
        if self._is_terminal or now - self._said >= EVERY_SECONDS:
            self._said = now
            end = "\r" if self._is_terminal else "\n"
            sys.stderr.write(f"{self}{' ' * 8 if self._is_terminal else ''}{end}")
            sys.stderr.flush()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return max(time.monotonic() - self._started, 1e-9)

    def __str__(self) -> str:
        share = self._furthest / self.n_bytes if self.n_bytes else 1.0
        read = self._furthest - self._bytes_at_start
        summary = f"{self.n_documents:,} documents, {self.n_documents / self.seconds:.1f}/s"
        if not read:
            return summary
        left = max(self.n_bytes - self._furthest, 0) * self.seconds / read
        return f"{summary}, {share:.0%} of the input, {timedelta(seconds=round(left))} left"

"""Who computes the parts of a run: this process, or the workers of a cluster (`ray_engine`)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from core.batches.chosen import ChosenSuggester
from core.batches.parts import BatchPart
from core.batches.places import OutputFolder
from core.batches.record import FinishedPart, file_of, write_mark
from core.batches.results import RESULT_FORMATS, ResultFormat, json_line, result_of
from core.suggest.protocol import Suggester

PRECISION = "STRATA_PRECISION"


@dataclass(frozen=True, slots=True)
class PartWriter:
    """Suggests for the documents of a part, and writes it.

    Attributes:
        limit: most suggestions a document.
        threshold: least probability of a suggestion.
        suffix: one of `RESULT_FORMATS`.
    """

    folder: OutputFolder
    limit: int
    threshold: float
    suffix: ResultFormat = "jsonl"

    def write(self, suggester: Suggester, part: BatchPart) -> FinishedPart:
        """Write a part and its broken rows, and last the mark that it is finished.

        Raises:
            ConfigError: it cannot be written.
        """
        started, computed = time.perf_counter(), time.process_time()
        if part.bad:
            with self.folder.new_file(f"bad-{part.number:06d}.jsonl") as file:
                for row in part.bad:
                    record = {"where": row.where, "reason": row.reason, "row": row.content}
                    file.write(json_line(record).encode())
        predictions = suggester.suggest_batch(
            (item.document for item in part.documents), limit=self.limit, threshold=self.threshold
        )
        results = map(result_of, part.documents, predictions)
        with self.folder.new_file(file_of(part.number, self.suffix)) as file:
            RESULT_FORMATS[self.suffix](results, file)
        mark = FinishedPart.of(
            part,
            seconds=time.perf_counter() - started,
            processor_seconds=time.process_time() - computed,
        )
        write_mark(self.folder, mark)
        return mark


@dataclass(frozen=True, slots=True)
class StartedEngine:
    """What computes.

    Attributes:
        suggester: its hash.
        precision: "fp32", "bf16" or "int8"; "auto" where each machine has its own, "" without a model.
        workers: how many processes.
    """

    suggester: str
    precision: str
    workers: int = 1


class BatchEngine(Protocol):
    """Computes parts."""

    def start(self, precision: str) -> StartedEngine:
        """Load the suggester.

        Args:
            precision: in which the run began; "" where it begins.
        """

    def finish(self, parts: Iterable[BatchPart]) -> Iterator[FinishedPart]:
        """Write parts, in any order, and yield their marks; few are taken before they are needed."""

    def close(self) -> None:
        """Let go of what was started."""


class SingleEngine:
    """Computes in this process, one part after the other."""

    def __init__(self, chosen: ChosenSuggester, writer: PartWriter) -> None:
        self.chosen, self.writer = chosen, writer

    def start(self, precision: str) -> StartedEngine:
        """Load the suggester here, in the precision in which the run began, whatever is set."""
        if precision:
            if os.environ.get(PRECISION, precision) not in (precision, "auto"):
                sys.stderr.write(f"goes on in {precision}, in which it began\n")
            os.environ[PRECISION] = precision
        self._suggester = self.chosen.open()
        return StartedEngine(self._suggester.bundle_hash, precision or own_precision(self.chosen))

    def finish(self, parts: Iterable[BatchPart]) -> Iterator[FinishedPart]:
        """Write one part after the other."""
        for part in parts:
            yield self.writer.write(self._suggester, part)

    def close(self) -> None:
        """Nothing was started."""


def own_precision(chosen: ChosenSuggester) -> str:
    """Return the precision in which a model computes here; "" where there is no model."""
    if chosen.vocabulary:
        return ""
    from core.suggest.registry import encoder_precision

    return encoder_precision().name

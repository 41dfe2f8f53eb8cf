"""How far a run is: its settings, and a mark for each part that is finished.

Everything lies in the folder of the output. `run.json` says what was asked for, so that nobody goes
on with other settings; `marks/part-00012.json` is written when all else of a part is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from core.batches.parts import BatchPart, cut
from core.batches.places import InputFile, OutputFolder
from core.batches.reading import START, InputPosition, InputReader
from core.boundaries import SENSELESS
from core.errors import ConfigError

RUN, REPORT, MARKS = "run.json", "report.json", "marks"


@dataclass(frozen=True, slots=True)
class FinishedPart:
    """The mark of a part: what is in it, and where the next one begins.

    Attributes:
        documents, bad: in this part; `documents_before` and `bad_before` in all parts before it.
        seconds: that it took the one who computed it.
        processor_seconds: that it computed, on all its cores together.
    """

    number: int
    documents: int
    bad: int
    documents_before: int
    bad_before: int
    end: InputPosition
    bytes_read: int
    seconds: float
    processor_seconds: float = 0.0

    @classmethod
    def of(cls, part: BatchPart, *, seconds: float, processor_seconds: float) -> FinishedPart:
        """Return the mark of a part that took so long."""
        return cls(
            number=part.number,
            documents=len(part.documents),
            bad=len(part.bad),
            documents_before=part.documents_before,
            bad_before=part.bad_before,
            end=part.end,
            bytes_read=part.bytes_read,
            seconds=round(seconds, 3),
            processor_seconds=round(processor_seconds, 3),
        )

    def next_part(self) -> BatchPart:
        """Return a new, empty part that follows this one."""
        return BatchPart(
            self.number + 1,
            self.documents_before + self.documents,
            self.bad_before + self.bad,
        )


def file_of(number: int, suffix: str) -> str:
    """Return the name of a part's file; names are in the order of the input."""
    return f"part-{number:06d}.{suffix}"


def write_mark(folder: OutputFolder, mark: FinishedPart) -> None:
    """Note that a part is finished.

    Raises:
        ConfigError: it cannot be written.
    """
    _write(folder, f"{MARKS}/{file_of(mark.number, 'json')}", asdict(mark))


def _write(folder: OutputFolder, name: str, facts: dict[str, Any]) -> None:
    with folder.new_file(name) as file:
        file.write((json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())


class BatchRecord:
    """What is known of a run in its output folder.

    Args:
        settings: that decide what is written: a run with others is another run.
    """

    def __init__(self, folder: OutputFolder, settings: dict[str, Any]) -> None:
        self.folder, self.settings = folder, settings
        self.begun = self._read(RUN)
        self._check()
        self.finished = folder.names(MARKS) if self.begun else set()
        self._last = BatchPart(0)

    @property
    def suggester(self) -> str:
        """What identifies the suggester that the run began with; "" where it has not begun."""
        return str((self.begun or {}).get("suggester", ""))

    @property
    def chosen_precision(self) -> str:
        """In which the run began to compute; "" where it has not begun."""
        return str((self.begun or {}).get("precision", ""))

    @property
    def report(self) -> dict[str, Any] | None:
        """What the run came to, where it is finished."""
        return self._read(REPORT)

    def begin(self, suggester: str, precision: str) -> None:
        """Note what the run is made with, at its start.

        Raises:
            ConfigError: it began with another suggester, or cannot be written.
        """
        if self.begun is None:
            self.begun = {**self.settings, "suggester": suggester, "precision": precision}
            _write(self.folder, RUN, self.begun)
        elif self.suggester != suggester:
            raise ConfigError(
                f"{self.folder.url} was begun with the suggester {self.suggester}, and this is "
                f"{suggester}: name another folder, or the bundle of then."
            )

    def end(self, report: dict[str, Any]) -> None:
        """Note that the run is finished."""
        _write(self.folder, REPORT, report)

    def unfinished(self, files: list[InputFile], most_documents: int) -> Iterator[BatchPart]:
        """Yield the parts that have no mark, one at a time, in the order of the input.

        Files whose parts are all finished before the first gap are not opened; of a file that is
        read on, the rows before are passed over, and nobody is asked for suggestions again.
        """
        before = self.mark(self._n_first() - 1)
        part = before.next_part() if before else BatchPart(0)
        reader = InputReader(files, before.end if before else START)
        while True:
            mark = self.mark(part.number)
            if mark is not None:
                reader.pass_over(mark.end)
                part = mark.next_part()
            elif cut(reader, part, most_documents):
                following = part.next_part()
                yield part
                part = following
            else:
                self._last = part
                return

    def bytes_finished(self) -> int:
        """Return how much of the input is finished without a gap."""
        before = self.mark(self._n_first() - 1)
        return before.bytes_read if before else 0

    def totals(self) -> dict[str, int]:
        """Return how many documents, broken rows and parts there are, when all are finished."""
        last = self._last
        return {
            "documents": last.documents_before,
            "skipped": last.bad_before,
            "parts": last.number,
        }

    def _n_first(self) -> int:
        number = 0
        while file_of(number, "json") in self.finished:
            number += 1
        return number

    def mark(self, number: int) -> FinishedPart | None:
        """Return the mark of a part; None where it is not finished."""
        name = file_of(number, "json")
        facts = self._read(f"{MARKS}/{name}") if name in self.finished else None
        if facts is None:
            return None
        mark = FinishedPart(**facts)
        return replace(mark, end=InputPosition(**cast("dict[str, int]", mark.end)))

    def _check(self) -> None:
        if self.begun is None:
            return
        for name, asked in self.settings.items():
            if self.begun.get(name, asked) != asked:  # an earlier Strata noted fewer
                raise ConfigError(
                    f"{self.folder.url} holds a run with another {name.replace('_', ' ')}: name "
                    "another folder, or ask as before to go on with it."
                )

    def _read(self, name: str) -> dict[str, Any] | None:
        content = self.folder.read(name)
        if content is None:
            return None
        try:
            facts = json.loads(content)
            return dict(facts)
        except SENSELESS as error:
            raise ConfigError(
                f"{name} in {self.folder.url} cannot be read; name another folder."
            ) from error

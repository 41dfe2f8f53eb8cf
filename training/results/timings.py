"""How fast a model reads documents, as `measure latency` keeps it: one line of JSON a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from core.boundaries import MEASUREMENT_FILES

LATENCY = "latency.jsonl"
"""Name of the file in a folder of results or of runs."""

Time = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Timing:
    """One model in one session: all models of a session ran in turns, with the same threads.

    Attributes:
        session: when the session began, UTC; only times of one session stand beside each other.
        arm, seed: as the rows of its results have them; -1 where there is no seed.
        way: how it reads, such as "torch, fp32" or "as the app serves it, 16 documents at a time".
        batch_size: documents that are read together.
        batch_seconds: from the texts of all documents of the split to their scores.
        single_documents: how many were read one by one.
        p50_ms, p95_ms: of these, median and 95th percentile.
        parameters: numbers that were learned; -1 where that is not known.
        n_bytes: on disk, of everything that it needs to read a text; -1 where it is not kept.
        command: that measured all of them.
    """

    session: str
    arm: str
    seed: int
    way: str
    split: str
    n_documents: Annotated[int, Field(ge=1)]
    batch_size: int
    batch_seconds: Time
    single_documents: int
    p50_ms: Time
    p95_ms: Time
    parameters: int
    n_bytes: int
    device: str
    threads: int
    load_before: float
    commit: str
    command: str

    @property
    def batch_ms(self) -> float:
        """Milliseconds a document, read in batches."""
        return 1000 * self.batch_seconds / self.n_documents

    @property
    def documents_per_second(self) -> float:
        """Documents a second, read in batches."""
        return self.n_documents / self.batch_seconds


def add_timings(timings: Iterable[Timing], folder: Path) -> None:
    """Add lines to the file of a folder, and make the folder where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LATENCY).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(timing)) + "\n" for timing in timings)


def read_timings(folder: Path) -> list[Timing]:
    """Read all lines of a folder's file, in order; none where there is no file.

    Raises:
        ConfigError: the file is damaged, or holds something else.
    """
    path = folder / LATENCY
    if not path.is_file():
        return []
    damaged = "{path} holds no times, or is damaged ({reason})."
    with MEASUREMENT_FILES.translated(damaged, path=path):
        lines = path.read_text(encoding="utf-8").splitlines()
        return [_timing(line) for line in lines if line.strip()]


def _timing(line: str) -> Timing:
    try:
        return _LINE.validate_json(line, strict=True)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"]) from None


_LINE = TypeAdapter(Timing)


def sessions(timings: Sequence[Timing]) -> dict[str, list[Timing]]:
    """Group times by session: that of the most models first, of as many the latest."""
    by_session: dict[str, list[Timing]] = {}
    for timing in timings:
        by_session.setdefault(timing.session, []).append(timing)
    order = sorted(by_session, reverse=True)
    order.sort(key=lambda session: -len({timing.arm for timing in by_session[session]}))
    return {session: by_session[session] for session in order}


def fastest(timings: Iterable[Timing], *, single: bool = False) -> dict[str, Timing]:
    """Return the fastest way of each arm: in batches, or by the median of one document.

    Several seeds of an arm are one network and read equally fast, so one of them stands for all.
    """
    best: dict[str, Timing] = {}
    for timing in timings:
        time, so_far = _time(timing, single), best.get(timing.arm)
        if so_far is None or time < _time(so_far, single):
            best[timing.arm] = timing
    return best


def _time(timing: Timing, single: bool) -> float:
    return timing.p50_ms if single else timing.batch_ms

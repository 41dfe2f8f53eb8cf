"""How long models take over a split and over one document, in one session and its threads.

From the text to the scores of all labels, the tokenizer counted: what a reader waits for. All
models are loaded first and read in turns, so that whatever else the machine does meanwhile meets
each of them alike; the time in batches is the median of the turns.

Source: Table 3 of Adhikari et al. (2019), which has seconds over the validation sets at batch 128.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import torch

from core.errors import ConfigError
from training.config import DataConfig
from training.corpora.corpus import evenly
from training.judging.folders import KnownData
from training.judging.judge import data_for
from training.judging.recorded import commit
from training.judging.timed_models import (
    Documents,
    TimedModel,
    TimedReader,
    timed_model,
)
from training.results.timings import Timing

_WARM_UP = 8
_TURN = 20
"""Documents that a model reads one by one before it is the next one's turn."""


@dataclass(frozen=True, slots=True)
class LatencyBenchmark:
    """What is measured.

    Attributes:
        batch_size: documents that are read together; a bundle is measured at the app's own too.
        repeats: how often the split is read by each model.
        single: documents that are read one by one, drawn evenly from the split.
        documents: at most so many of the split; 0 for all.
        threads: of torch and of what it calls; 0 for its default. Of one by default, since omikuji
            and scipy read with one whatever is asked for.
        command: that asked for it, as the lines record it.
    """

    split: str = "dev"
    batch_size: int = 128
    repeats: int = 3
    single: int = 200
    documents: int = 0
    threads: int = 1
    command: str = ""
    say: Callable[[str], None] = field(default=print)

    def run(self, folders: Sequence[Path], options: DataConfig) -> list[Timing]:
        """Measure every folder, in turns; one line for each model and way of reading.

        Raises:
            ConfigError: a folder holds nothing that can read a text, or two go by one name.
        """
        if self.threads:
            torch.set_num_threads(self.threads)
        corpus = data_for(folders, options).corpus
        documents = evenly(corpus.split(self.split), self.documents)
        load = os.getloadavg()[0]
        data = KnownData()
        models = [self._ready(folder, documents, data) for folder in folders]
        _require_names(models)
        seconds = self._in_turns(models, documents)
        singles = self._one_by_one(models, documents)
        session = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return [
            Timing(
                session=session,
                arm=model.arm,
                seed=model.seed,
                way=reader.name,
                split=self.split,
                n_documents=len(documents),
                batch_size=reader.batch_size or self.batch_size,
                batch_seconds=five_digits(seconds[number, place]),
                single_documents=len(single),
                p50_ms=five_digits(np.percentile(single, 50)),
                p95_ms=five_digits(np.percentile(single, 95)),
                parameters=model.parameters,
                n_bytes=model.n_bytes,
                device=model.device,
                threads=model.threads or torch.get_num_threads(),
                load_before=round(load, 2),
                commit=commit(),
                command=self.command,
            )
            for number, (model, single) in enumerate(zip(models, singles, strict=True))
            for place, reader in enumerate(model.readers)
        ]

    def _ready(self, folder: Path, documents: Documents, data: KnownData) -> TimedModel:
        self.say(f"{folder.name}: loading")
        model = timed_model(folder, data)
        for reader in model.readers:
            reader.read(documents[:_WARM_UP], self.batch_size)
        model.readers[0].read(documents[:1], 1)
        return model

    def _in_turns(
        self, models: Sequence[TimedModel], documents: Documents
    ) -> dict[tuple[int, int], float]:
        taken: dict[tuple[int, int], list[float]] = {}
        for turn in range(self.repeats):
            for number, model in enumerate(models):
                for place, reader in enumerate(model.readers):
                    seconds = self._read(reader, documents)
                    taken.setdefault((number, place), []).append(seconds)
                    self.say(f"{model.arm}, {reader.name}, turn {turn + 1}: {seconds:.2f} s")
        return {key: float(np.median(of)) for key, of in taken.items()}

    def _read(self, reader: TimedReader, documents: Documents) -> float:
        started = time.perf_counter()
        reader.read(documents, reader.batch_size or self.batch_size)
        return time.perf_counter() - started

    def _one_by_one(self, models: Sequence[TimedModel], documents: Documents) -> list[list[float]]:
        """Return milliseconds of documents that are read one at a time, by model.

        A model reads a few before the next has its turn: alone it would meet another machine,
        and one document at a time a processor whose caches are full of somebody else's weights.
        """
        self.say("one by one")
        chosen = evenly(documents, self.single)
        taken: list[list[float]] = [[] for _ in models]
        for start in range(0, len(chosen), _TURN):
            for model, times in zip(models, taken, strict=True):
                for document in chosen[start : start + _TURN]:
                    began = time.perf_counter()
                    model.readers[0].read([document], 1)
                    times.append(1000 * (time.perf_counter() - began))
        return taken


def five_digits(time: float) -> float:
    """Return a number to five significant digits, so that short times are not rounded to 0."""
    return float(f"{time:.5g}")


def _require_names(models: Sequence[TimedModel]) -> None:
    names = [(model.arm, model.seed) for model in models]
    doubles = [name for name in names if names.count(name) > 1]
    if doubles:
        arm, seed = doubles[0]
        raise ConfigError(f"Two models go by the name {arm!r} and seed {seed}: rename one of them.")

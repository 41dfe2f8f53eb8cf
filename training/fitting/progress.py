"""What is measured while a run trains (progress, speed, quality on dev), and facts in run.json."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch import Tensor, nn

from core.metrics.thresholded import Counts, count_by_label
from core.model.precision import best_device
from training.config import RunConfig
from training.corpora.corpus import Corpus
from training.judging.recorded import commit

# A probability of 0.5, as a logit.
_EVEN_ODDS = 0.0
SECONDS_A_LINE = 60.0


class DevMeasure:
    """The loss over dev and, where weights are chosen by it, micro-F1 of the assigned head.

    With several labels a document, those of a probability of at least 0.5 count as predicted; with
    one, the most probable, and micro-F1 is then the share of documents that are right. Documents
    are read as the dev loss reads them: whole where one input holds title and text, else by their
    titles.
    """

    def __init__(self, config: RunConfig) -> None:
        self.by_f1 = config.optim.select == "micro_f1"
        self.single_label = config.model.objective == "single_label"
        self.sums = np.zeros(4)  # loss, hits, predicted, gold

    def add(self, loss: float, output: Any, targets: Any, *, n_documents: int) -> None:
        """Take in a batch; `loss` is a mean over its documents."""
        self.sums[0] += loss * n_documents
        if self.by_f1:
            gold = targets.assigned.cpu().numpy()
            counts = count_by_label(gold, self._scores(output.assigned), _EVEN_ODDS).total()
            self.sums[1:] += [float(count) for count in counts]

    def over(self, add_up: Callable[[Tensor], Tensor]) -> None:
        """Add up what several processes measured."""
        self.sums = add_up(torch.from_numpy(self.sums)).double().cpu().numpy()

    @property
    def loss(self) -> float:
        """Summed over documents."""
        return float(self.sums[0])

    @property
    def selection_score(self) -> float:
        """Micro F1 of all dev documents together, 0 where nothing is gold and nothing predicted.

        The best epoch is chosen by it, so it is never NaN.
        """
        f1 = float(Counts(*self.sums[1:]).f1())
        return f1 if np.isfinite(f1) else 0.0

    def _scores(self, logits: Tensor) -> Any:
        """Return scores that are at least 0 where a label is predicted, (documents, labels)."""
        scores = logits.float().cpu().numpy()
        if not self.single_label:
            return scores
        chosen = np.full_like(scores, -1.0)
        chosen[np.arange(len(scores)), scores.argmax(axis=1)] = 1.0
        return chosen


class StepClock:
    """Wall time since it was made, or processor time of the process where that is less.

    A process that is suspended, or shares its cores with others, uses less processor time than
    goes by; a run that is capped by the clock on the wall would learn less for it. With several
    threads, or a graphics card that is waited for, the wall clock is the lesser one.
    """

    def __init__(self) -> None:
        self.wall, self.used = time.monotonic(), time.process_time()

    def minutes(self) -> float:
        """Return minutes so far."""
        wall, used = time.monotonic() - self.wall, time.process_time() - self.used
        return min(wall, used) / 60


class StepLosses:
    """The losses of steps, which stay on their device until somebody looks at them.

    To read a number is to wait for all that a graphics card was asked for, and meanwhile nobody
    asks it for more.

    Attributes:
        last: the loss of the last step that was read.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self._kept: list[tuple[Tensor, int]] = []
        self._read_at = time.monotonic()

    def add(self, loss: Tensor, n_documents: int) -> None:
        """Keep the loss of a step, a mean over its documents."""
        self._kept.append((loss.detach(), n_documents))

    def are_due(self) -> bool:
        """Return whether to read them: at once on a processor, else about once a second."""
        on_processor = bool(self._kept) and self._kept[-1][0].device.type == "cpu"
        return on_processor or time.monotonic() - self._read_at >= 1

    def read(self) -> list[tuple[float, int]]:
        """Return (loss, documents) of each step since they were last read, in order."""
        losses, self._read_at = self._kept, time.monotonic()
        if not losses:
            return []
        self._kept = []
        values = torch.stack([loss for loss, _ in losses]).tolist()
        self.last = values[-1]
        return [(value, n) for value, (_, n) in zip(values, losses, strict=True)]


class EpochBar:
    """Documents/s, time left and loss of one pass over the training documents.

    On a terminal it is a bar; where the output is a file, a line a minute.
    """

    def __init__(self, epoch: int, *, done: int, total: int, shown: bool) -> None:
        self.started, self.documents = time.monotonic(), 0
        self.epoch, self.done, self.total = epoch, done, total
        self.first, self._line_at = done, self.started + SECONDS_A_LINE
        self.bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}  {task.fields[rate]:.0f} documents/s"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("loss {task.fields[loss]:.3f}"),
            disable=not shown,
        )

    def __enter__(self) -> EpochBar:
        self.bar.start()
        self.task = self.bar.add_task(
            "", total=self.total, completed=self.done, epoch=self.epoch + 1, rate=0.0, loss=0.0
        )
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def advance(self, n_documents: int, loss: float) -> float:
        """Advance by one batch; returns documents/s since the bar was shown."""
        self.documents += n_documents
        rate = self.documents / max(time.monotonic() - self.started, 1e-9)
        self.done += 1
        self.bar.update(self.task, advance=1, rate=rate, loss=loss)
        if time.monotonic() >= self._line_at and not self.bar.disable:
            self._line_at += SECONDS_A_LINE
            if not self.bar.console.is_terminal:
                self.bar.console.print(self._line(rate, loss), soft_wrap=True, highlight=False)
        return rate

    def _line(self, rate: float, loss: float) -> str:
        seconds = (time.monotonic() - self.started) / (self.done - self.first)
        left = (self.total - self.done) * seconds / 60
        return (
            f"epoch {self.epoch + 1}, batch {self.done:,} of {self.total:,}: loss {loss:.4f}, "
            f"{rate:.1f} documents/s, {left:.0f} minutes left in this epoch"
        )


@dataclass(slots=True)
class TrainingProgress:
    """How far a run has come; saved in its checkpoint.

    Attributes:
        epoch, batch: the next batch to train on.
        step: updates made so far.
        documents: windows seen, each counted once a pass.
        minutes: time spent in training, resumed parts together, without suspended time.
        epoch_loss: summed over the documents of this epoch so far.
        epoch_documents: how many these are.
        measured_at: batches trained on when the dev loss was last measured.
        best_loss: of dev, by the weights that are kept, which are the best where there is patience
            and else the last; `best_f1` is their micro-F1.
        best_epoch: passes after which that was, counted from 1.
        epochs: passes made, with a part of the last where the run ended within it.
        capped: whether the run ended because it had trained for as long as it may.
        stopped_early: whether it ended because dev had not become better for long.
    """

    epoch: int = 0
    batch: int = 0
    step: int = 0
    documents: int = 0
    minutes: float = 0.0
    best_loss: float = float("inf")
    bad_epochs: int = 0
    epoch_loss: float = 0.0
    epoch_documents: int = 0
    measured_at: int = 0
    best_f1: float = 0.0
    best_epoch: int = 0
    epochs: float = 0.0
    capped: bool = False
    stopped_early: bool = False


# ---------------------------------------------------------------------- run.json


def run_facts(
    config: RunConfig,
    progress: TrainingProgress,
    model: nn.Module,
    *,
    corpus: Corpus,
    n_documents: int,
    levels: Sequence[int],
    dtype: torch.dtype,
) -> dict[str, Any]:
    """Return the facts of a finished run.

    Args:
        n_documents: that it was trained on.
        levels: labels of each learned level.
        dtype: in which the model is read.
    """
    # A mean of runs has no measurement of dev, and infinity is no number of JSON.
    measured = math.isfinite(progress.best_loss)
    by_f1 = measured and config.optim.select == "micro_f1"
    seconds = max(progress.minutes * 60, 1e-9)
    return {
        "name": config.name,
        "digest": config.digest(),
        "step": progress.step,
        "minutes": progress.minutes,
        "steps": progress.step,
        "epochs": round(progress.epochs, 2),
        "best_epoch": progress.best_epoch,
        "capped": progress.capped,
        "stopped_early": progress.stopped_early,
        "parameters": n_parameters(model),
        "dev_loss": round(progress.best_loss, 5) if measured else None,
        "dev_micro_f1": round(progress.best_f1, 5) if by_f1 else None,
        "documents_seen": progress.documents,
        "documents_per_second": round(progress.documents / seconds, 1),
        "training_documents": n_documents,
        "problems": len(corpus.problems),
        "levels": list(levels),
        "data_sha256": dict(corpus.sha256),
        "commit": commit(),
        "device": best_device(),
        "processor": platform.processor() or platform.machine(),
        "threads": torch.get_num_threads(),
        "dtype": str(dtype),
        "versions": {p: version(p) for p in ("torch", "transformers", "tokenizers", "numpy")},
    }


def n_parameters(model: nn.Module) -> int:
    """Return the number of weights of a model."""
    return sum(parameter.numel() for parameter in model.parameters())

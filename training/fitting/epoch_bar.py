"""The progress bar of an epoch."""

from __future__ import annotations

import time

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class EpochBar:
    """Documents/s, time left and loss of one pass over the training documents."""

    def __init__(self, epoch: int, *, done: int, total: int, shown: bool) -> None:
        self.started, self.documents = time.monotonic(), 0
        self.epoch, self.done, self.total = epoch, done, total
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
        """One batch more; returns documents/s since the bar was shown."""
        self.documents += n_documents
        rate = self.documents / max(time.monotonic() - self.started, 1e-9)
        self.bar.update(self.task, advance=1, rate=rate, loss=loss)
        return rate

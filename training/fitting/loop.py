"""The training loop: `fit → run_epoch → train_step`, with checkpoints that a killed run resumes.

It fits any model that has an encoder, on any inputs that come in batches: the guided classifier,
and an encoder on its own words. Several processes (`accelerate launch`, torchrun) share each batch,
so that they learn what one process learns from a batch as large as all theirs together.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch import Tensor, nn

from core.errors import ConfigError
from core.model.precision import best_device
from training.config import RunConfig
from training.fitting.devices import (
    agreed_dtype,
    precision_name,
    shared,
)
from training.fitting.inputs import Inputs, TrainingBatch
from training.fitting.memory import within_memory
from training.fitting.optimiser import WeightAverage, learning_rate_factor, make_optimizer
from training.fitting.progress import (
    DevMeasure,
    EpochBar,
    StepClock,
    StepLosses,
    TrainingProgress,
)
from training.judging.recorded import replacing

CHECKPOINT = "checkpoint.pt"
BEST = "best.pt"


class Trainer:
    """Fits one model; everything it needs to go on is in its folder.

    Args:
        loss: of the model's output and a batch's targets, a mean over documents.
    Attributes:
        on_batch: is called with (batches done, batches) after each, where somebody looks.
    Raises:
        ConfigError: there is nothing to train on.
    """

    def __init__(
        self,
        config: RunConfig,
        model: nn.Module,
        loss: Callable[[Any, Any], Tensor],
        train: Inputs,
        dev: Inputs,
        out: Path,
    ) -> None:
        self.config, self.loss, self.train, self.dev, self.out = config, loss, train, dev, out
        # Numbers below 1e-38 are 0, in this thread and those started after it: gradients that vanish
        # through hundreds of words of an LSTM pass through them, and so do the moments of words that
        # no batch holds, and a product with one takes a hundred times as long.
        torch.set_flush_denormal(True)
        device = best_device()
        self.dtype = agreed_dtype(self._dtype_name(), device)
        precision = precision_name(self.dtype)
        # A process may fit one model after another, each in a precision of its own.
        AcceleratorState._reset_state()
        self.accelerator = Accelerator(
            mixed_precision="no" if precision == "fp32" else precision,
            cpu=device == "cpu",
            gradient_accumulation_steps=config.optim.accumulate,
        )
        self.plain_model = model
        optimizer = make_optimizer(model, config.optim)
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.epoch_batches = len(self._batches(0))
        if not self.epoch_batches:
            raise ConfigError("There is no document to train on.")
        self.total_batches = self._count_batches()
        total_steps = max(1, self.total_batches // config.optim.accumulate)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: learning_rate_factor(config.optim, step, total_steps)
        )
        self.average = WeightAverage(model, config.optim.weight_average)
        self.at = TrainingProgress()
        self.losses = StepLosses()
        self.on_batch: Callable[[int, int], None] | None = None
        self._saved_at = time.monotonic()

    # ------------------------------------------------------------------ the ladder

    def fit(self, *, fresh: bool = False) -> TrainingProgress:
        """Train to the end, from the checkpoint where there is one and `fresh` is not asked."""
        if not fresh:
            self._resume()
        with within_memory(self.config.optim, self.config.reading):
            while not self._has_ended():
                self.run_epoch()
                self.end_epoch()
        self._keep_best()
        return self.at

    def run_epoch(self) -> None:
        """Train on every batch of one pass, or on what is left of it."""
        batches = self._batches(self.at.epoch)
        last = min(len(batches), self.total_batches - self.at.epoch * len(batches))
        self.model.train()
        shown = self.accelerator.is_main_process
        with EpochBar(self.at.epoch, done=self.at.batch, total=last, shown=shown) as bar:
            for number in range(self.at.batch, last):
                logged = (number + 1) % 100 == 0
                self._timed_step(batches[number], number, reads_loss=logged)
                if self.on_batch:
                    self.on_batch(self._done(), self.total_batches)
                loss = self.losses.last
                rate = bar.advance(len(batches[number]), loss)
                if logged:
                    self._log({"loss": round(loss, 4), "documents_per_second": round(rate, 1)})
                if self._is_capped():
                    return
                if time.monotonic() - self._saved_at > 60 * self.config.checkpoint_minutes:
                    self._checkpoint()

    def train_step(self, examples: Sequence[Any], number: int) -> Tensor:
        """Compute the gradient of a batch, update after `accumulate` of them; return its loss.

        The loss stays on its device, which may still be computing it.
        """
        # Random numbers follow from the place in the run alone, so a resumed run repeats them.
        seed = (self.config.seed * 1_000_003 + self.at.epoch) * 100_003 + number
        process = self.accelerator.process_index
        torch.manual_seed(seed + 7919 * process)
        mine, weight = shared(examples, process, self.accelerator.num_processes)
        # The first process draws as a run of one process does.
        batch = self.train.batch(mine, np.random.default_rng([seed, process] if process else seed))
        with self.accelerator.accumulate(self.model):
            batch, output = self._output(self.model, batch)
            loss = weight * self.loss(output, batch.targets)
            self.accelerator.backward(loss)
            if self.config.optim.clip and self.accelerator.sync_gradients:
                self.accelerator.clip_grad_norm_(self.model.parameters(), self.config.optim.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        # A step whose scaled fp16 gradients overflowed is left out, and the scale is lowered.
        if self.accelerator.sync_gradients and not self.accelerator.optimizer_step_was_skipped:
            self.at.step += 1
            self.schedule.step()
            self.average.update()
        return self._over_processes(loss, "mean")

    def valid_step(self, batch: TrainingBatch, measure: DevMeasure) -> None:
        """Measure one dev batch."""
        with torch.inference_mode():
            batch, output = self._output(self.plain_model, batch)
            loss = float(self.loss(output, batch.targets))
            measure.add(loss, output, batch.targets, n_documents=len(batch))

    def _output(self, model: nn.Module, batch: TrainingBatch) -> tuple[TrainingBatch, Any]:
        batch = batch.to(self.accelerator.device)
        with self.accelerator.autocast():
            return batch, model(**batch.model_inputs())

    def end_epoch(self) -> None:
        """Log line, now and then dev loss, best weights and checkpoint, and the next epoch."""
        self._read_losses()
        line = {"train_loss": round(self.at.epoch_loss / max(self.at.epoch_documents, 1), 5)}
        self.at.epochs = round(self._done() / self.epoch_batches, 4)
        measures = self._measures_dev()
        if measures:
            line |= self._measure_dev()
        self._log(line)
        self.at.epoch, self.at.batch = self.at.epoch + 1, 0
        self.at.epoch_loss, self.at.epoch_documents = 0.0, 0
        if measures:
            self._checkpoint()

    # ------------------------------------------------------------------ its parts

    def _dtype_name(self) -> str:
        """Return the configured precision, or that of the run that is resumed."""
        path = self.out / CHECKPOINT
        if path.exists():
            checkpoint = torch.load(path, weights_only=True, map_location="cpu", mmap=True)
            if checkpoint["digest"] == self.config.digest():
                return str(checkpoint["precision"])
        return self.config.optim.precision

    def _batches(self, epoch: int) -> list[list[Any]]:
        rng = np.random.default_rng((self.config.seed, epoch))
        size = self.config.optim.batch_size * self.accelerator.num_processes
        return self.train.epoch(rng, batch_size=size)

    def _count_batches(self) -> int:
        optim = self.config.optim
        n = max(int(optim.epochs * self.epoch_batches), optim.min_steps * optim.accumulate)
        return min(n, optim.max_steps * optim.accumulate) if optim.max_steps else n

    def _done(self) -> int:
        return self.at.epoch * self.epoch_batches + self.at.batch

    def _timed_step(self, examples: Sequence[Any], number: int, *, reads_loss: bool) -> None:
        """Train on a batch and count it; a graphics card is waited for where a loss is read."""
        clock = StepClock()
        self.losses.add(self.train_step(examples, number), len(examples))
        if reads_loss or self.losses.are_due():
            self._read_losses()
        self.at.batch += 1
        self.at.documents += len(examples)
        self.at.minutes += clock.minutes()
        self.at.epoch_documents += len(examples)

    def _read_losses(self) -> None:
        for loss, n_documents in self.losses.read():
            self.at.epoch_loss += loss * n_documents

    def _measures_dev(self) -> bool:
        # A corpus of fifty documents has a hundred epochs of two batches; reading all of dev after
        # each would take longer than training.
        optim, since = self.config.optim, self._done() - self.at.measured_at
        ended = self._done() >= self.total_batches or self.at.capped
        return bool(optim.patience) or ended or since * optim.dev_losses > self.total_batches

    def _measure_dev(self) -> dict[str, float]:
        self.model.eval()
        measure = DevMeasure(self.config)
        me, workers = self.accelerator.process_index, self.accelerator.num_processes
        with self.average.in_place():
            for number, batch in enumerate(self.dev.dev_batches(32)):
                if number % workers == me:
                    self.valid_step(batch, measure)
            measure.over(lambda sums: self._over_processes(sums, "sum"))
            loss = measure.loss / max(len(self.dev), 1)
            self._note(loss, measure.selection_score if measure.by_f1 else 0.0)
        figures = {"dev_loss": round(loss, 5)}
        return figures | (
            {"dev_micro_f1": round(measure.selection_score, 5)} if measure.by_f1 else {}
        )

    def _note(self, loss: float, f1: float) -> None:
        self.at.measured_at = self._done()
        is_better = (f1, -loss) > (self.at.best_f1, -self.at.best_loss)
        if self.config.optim.patience and not is_better:
            self.at.bad_epochs += 1
            return
        self.at.bad_epochs = 0
        self.at.best_loss, self.at.best_f1 = loss, f1
        self.at.best_epoch = self.at.epoch + 1
        if self.config.optim.patience:
            self._save(self.out / BEST, {"model": self._state()})

    def _over_processes(self, value: Tensor, reduction: str) -> Tensor:
        value = value.detach()
        if self.accelerator.num_processes > 1:
            value = value.to(self.accelerator.device)
            value = self.accelerator.reduce(value, reduction=reduction)
        return value

    def _has_ended(self) -> bool:
        optim = self.config.optim
        too_soon = self.at.step < optim.min_steps
        at_last = self._done() >= self.total_batches or self.at.capped
        impatient = bool(optim.patience) and not too_soon and self.at.bad_epochs >= optim.patience
        self.at.stopped_early = impatient and not at_last
        return at_last or impatient

    def _is_capped(self) -> bool:
        """Return whether the training time is used up; an accumulated update is finished first."""
        cap = self.config.optim.max_minutes
        if cap and self.accelerator.sync_gradients and self._done() < self.total_batches:
            # Whichever process hits the cap first ends the run for all.
            over = torch.tensor(float(self.at.minutes >= cap), dtype=torch.float32)
            self.at.capped = float(self._over_processes(over, "sum")) > 0
        return self.at.capped

    def _keep_best(self) -> None:
        """Load the best weights where there is patience, else average the last ones."""
        path = self.out / BEST
        if self.config.optim.patience and path.exists():
            self.plain_model.load_state_dict(torch.load(path, weights_only=True)["model"])
        else:
            self.average.take()

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.accelerator.unwrap_model(self.model).state_dict()
        return state

    # ------------------------------------------------------------------ what is kept

    def _checkpoint(self) -> None:
        if not self.accelerator.sync_gradients:
            # Half an accumulated update cannot be kept; the next whole one can.
            self._saved_at = float("-inf")
            return
        self._saved_at = time.monotonic()
        self._read_losses()
        scaler = self.accelerator.scaler
        self._save(
            self.out / CHECKPOINT,
            {
                "digest": self.config.digest(),
                "precision": precision_name(self.dtype),
                "progress": asdict(self.at),
                "model": self._state(),
                "optimizer": self.optimizer.state_dict(),
                "schedule": self.schedule.state_dict(),
                "scaler": scaler.state_dict() if scaler else {},
                "average": self.average.state_dict(),
            },
        )

    def _save(self, path: Path, state: dict[str, Any]) -> None:
        if self.accelerator.is_main_process:
            with replacing(path) as part:
                torch.save(state, part)

    def _resume(self) -> None:
        path = self.out / CHECKPOINT
        if not path.exists():
            return
        state = torch.load(path, weights_only=True, map_location="cpu")
        if state["digest"] != self.config.digest():
            raise ConfigError(
                f"{path} belongs to another configuration; give another --out, or --fresh."
            )
        self.plain_model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        if self.accelerator.scaler and state["scaler"]:
            self.accelerator.scaler.load_state_dict(state["scaler"])
        if self.average.sums:
            self.average.load_state_dict(state["average"])
        self.at = TrainingProgress(**state["progress"])

    def _log(self, line: dict[str, Any]) -> None:
        if self.accelerator.is_main_process:
            with (self.out / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps({**line, **asdict(self.at)}) + "\n")

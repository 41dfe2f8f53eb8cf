"""The training loop: `fit → run_epoch → train_step`, with checkpoints that a killed run resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from torch import nn

from core.errors import ConfigError
from core.model.guided import GuidedClassifier
from core.model.precision import best_device, fastest_dtype
from training.config import OptimConfig, RunConfig
from training.inputs import Batch, TrainingInputs
from training.losses import GuidedLoss

CHECKPOINT = "checkpoint.pt"


@dataclass(slots=True)
class Progressed:
    """How far a run has come; saved in its checkpoint.

    Attributes:
        epoch, batch: the next batch to train on.
        step: updates made so far.
        documents: windows seen, each counted once a pass.
        minutes: wall time spent in training, over all sittings.
    """

    epoch: int = 0
    batch: int = 0
    step: int = 0
    documents: int = 0
    minutes: float = 0.0
    best_loss: float = float("inf")
    bad_epochs: int = 0


class Trainer:
    """Fits one guided classifier; everything it needs to go on is in its folder."""

    def __init__(
        self,
        config: RunConfig,
        model: GuidedClassifier,
        loss: GuidedLoss,
        train: TrainingInputs,
        dev: TrainingInputs,
        out: Path,
    ) -> None:
        self.config, self.loss, self.train, self.dev, self.out = config, loss, train, dev, out
        device = best_device()
        precision = "bf16" if fastest_dtype(device) == torch.bfloat16 else "no"
        self.accelerator = Accelerator(
            mixed_precision=precision,
            cpu=device == "cpu",
            gradient_accumulation_steps=config.optim.accumulate,
        )
        self.plain_model = model
        optimizer = make_optimizer(model, config.optim)
        self.model, self.optimizer = self.accelerator.prepare(model, optimizer)
        self.total_steps = self._count_steps()
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: learning_rate_factor(config.optim, step, self.total_steps)
        )
        self.at = Progressed()
        self._saved_at = time.monotonic()

    # ------------------------------------------------------------------ the ladder

    def fit(self, *, fresh: bool = False) -> Progressed:
        """Train to the end, from the checkpoint where there is one and `fresh` is not asked."""
        if not fresh:
            self._resume()
        while self.at.epoch < self.config.optim.epochs and not self._stopped_early():
            self.run_epoch()
            self.end_epoch()
        self._restore_best()
        return self.at

    def run_epoch(self) -> None:
        """One pass over the training documents, or what is left of it."""
        batches = self._batches(self.at.epoch)
        last = min(len(batches), self._last_batch(len(batches)))
        self.model.train()
        with self._progress_bar(last) as advance:
            for number in range(self.at.batch, last):
                started = time.monotonic()
                loss = self.train_step(batches[number], number)
                self.at.batch = number + 1
                self.at.documents += len(batches[number]) * self.accelerator.num_processes
                self.at.minutes += (time.monotonic() - started) / 60
                advance(len(batches[number]), loss)
                self._checkpoint_if_due()

    def train_step(self, examples: list[tuple[int, int]], number: int) -> float:
        """Gradient of one batch, and an update after `accumulate` of them."""
        # Random numbers follow from the place in the run alone, so a resumed run repeats them.
        seed = (self.config.seed * 1_000_003 + self.at.epoch) * 100_003 + number
        torch.manual_seed(seed)
        batch = self.train.batch(examples, np.random.default_rng(seed))
        with self.accelerator.accumulate(self.model):
            loss = self._batch_loss(batch)
            self.accelerator.backward(loss)
            if self.config.optim.clip:
                self.accelerator.clip_grad_norm_(self.model.parameters(), self.config.optim.clip)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        if self.accelerator.sync_gradients:
            self.at.step += 1
            self.schedule.step()
        return float(loss.detach())

    def valid_step(self, batch: Batch) -> float:
        """Loss of one dev batch, summed over its documents."""
        with torch.inference_mode():
            return float(self._batch_loss(batch)) * len(batch.input_ids)

    def _batch_loss(self, batch: Batch) -> torch.Tensor:
        device = self.accelerator.device
        with self.accelerator.autocast():
            output = self.model(batch.input_ids.to(device), batch.attention_mask.to(device))
        return self.loss(output, batch.y_levels.to(device), batch.y_assigned.to(device))

    def end_epoch(self) -> None:
        """Dev loss, log line, best weights, and the next epoch."""
        self.model.eval()
        total = sum(self.valid_step(batch) for batch in self.dev.title_batches(32))
        dev_loss = total / max(len(self.dev), 1)
        self.at.bad_epochs = 0 if dev_loss < self.at.best_loss else self.at.bad_epochs + 1
        if dev_loss < self.at.best_loss:
            self.at.best_loss = dev_loss
            if self.config.optim.patience:
                self._save(self.out / "best.pt", {"model": self._state()})
        self._log({"dev_loss": round(dev_loss, 5), **asdict(self.at)})
        self.at.epoch, self.at.batch = self.at.epoch + 1, 0
        self._checkpoint()

    # ------------------------------------------------------------------ its parts

    def _batches(self, epoch: int) -> list[list[tuple[int, int]]]:
        rng = np.random.default_rng((self.config.seed, epoch))
        batches = self.train.epoch(rng, batch_size=self.config.optim.batch_size)
        workers, me = self.accelerator.num_processes, self.accelerator.process_index
        return batches[me : len(batches) - len(batches) % workers : workers]

    def _last_batch(self, n_batches: int) -> int:
        share = self.config.optim.epochs - self.at.epoch
        return n_batches if share >= 1 else int(share * n_batches)

    def _count_steps(self) -> int:
        batches = len(self._batches(0)) * self.config.optim.epochs
        return max(1, int(batches / self.config.optim.accumulate))

    def _stopped_early(self) -> bool:
        patience = self.config.optim.patience
        return bool(patience) and self.at.bad_epochs >= patience

    def _restore_best(self) -> None:
        path = self.out / "best.pt"
        if self.config.optim.patience and path.exists():
            self.plain_model.load_state_dict(torch.load(path, weights_only=True)["model"])

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.accelerator.unwrap_model(self.model).state_dict()
        return state

    # ------------------------------------------------------------------ what is kept

    def _checkpoint_if_due(self) -> None:
        if time.monotonic() - self._saved_at > 60 * self.config.checkpoint_minutes:
            self._checkpoint()

    def _checkpoint(self) -> None:
        self._saved_at = time.monotonic()
        self._save(
            self.out / CHECKPOINT,
            {
                "digest": self.config.digest(),
                "progress": asdict(self.at),
                "model": self._state(),
                "optimizer": self.optimizer.state_dict(),
                "schedule": self.schedule.state_dict(),
            },
        )

    def _save(self, path: Path, state: dict[str, Any]) -> None:
        if not self.accelerator.is_main_process:
            return
        part = path.with_suffix(".part")
        torch.save(state, part)
        part.replace(path)

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
        self.at = Progressed(**state["progress"])

    def _log(self, line: dict[str, Any]) -> None:
        if self.accelerator.is_main_process:
            with (self.out / "log.jsonl").open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")

    def _progress_bar(self, n_batches: int) -> _EpochBar:
        return _EpochBar(self, n_batches)


class _EpochBar:
    """A progress bar with documents/s and time left, and a line in the log now and then."""

    def __init__(self, trainer: Trainer, n_batches: int) -> None:
        self.trainer, self.n_batches = trainer, n_batches
        self.started, self.documents = time.monotonic(), 0
        self.bar = Progress(
            TextColumn("epoch {task.fields[epoch]}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}  {task.fields[rate]:.0f} documents/s"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("loss {task.fields[loss]:.3f}"),
            disable=not trainer.accelerator.is_main_process,
        )

    def __enter__(self) -> _EpochBar:
        at = self.trainer.at
        self.bar.start()
        self.task = self.bar.add_task(
            "", total=self.n_batches, completed=at.batch, epoch=at.epoch + 1, rate=0.0, loss=0.0
        )
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def __call__(self, n_documents: int, loss: float) -> None:
        self.documents += n_documents
        rate = self.documents / max(time.monotonic() - self.started, 1e-9)
        self.bar.update(self.task, advance=1, rate=rate, loss=loss)
        if self.trainer.at.batch % 100 == 0:
            line = {"loss": round(loss, 4), "documents_per_second": round(rate, 1)}
            self.trainer._log({**asdict(self.trainer.at), **line})


def make_optimizer(model: GuidedClassifier, config: OptimConfig) -> torch.optim.Optimizer:
    """Adam or AdamW with one learning rate for the encoder and one for the heads."""
    kinds: dict[str, Any] = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    if config.optimizer not in kinds:
        raise ConfigError(f"There is no optimizer “{config.optimizer}”; take adam or adamw.")
    heads = [h for h in (model.level_heads, model.auxiliary_heads, model.assigned_head) if h]
    groups = [
        {"params": list(model.encoder.parameters()), "lr": config.encoder_lr},
        {"params": _parameters(heads), "lr": config.head_lr},
    ]
    optimizer: torch.optim.Optimizer = kinds[config.optimizer](
        groups, weight_decay=config.weight_decay, fused=True
    )
    return optimizer


def _parameters(modules: Sequence[nn.Module]) -> list[nn.Parameter]:
    return [parameter for module in modules for parameter in module.parameters()]


def learning_rate_factor(config: OptimConfig, step: int, total_steps: int) -> float:
    """Share of the peak learning rate at a step."""
    warmup = max(1, int(config.warmup * total_steps)) if config.warmup else 0
    if step < warmup:
        return (step + 1) / warmup
    done = min(1.0, (step - warmup) / max(1, total_steps - warmup))
    if config.schedule == "linear":
        return 1.0 - done
    if config.schedule == "one_cycle":
        return float(0.5 * (1 + np.cos(np.pi * done)))
    if config.schedule == "constant":
        return 1.0
    raise ConfigError(
        f"There is no schedule “{config.schedule}”; take constant, linear or one_cycle."
    )

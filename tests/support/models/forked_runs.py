"""What is trained in forked processes: to the end, or until it dies as on a killed machine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import torch
from torch.distributed.run import main as launch

from core.__main__ import main as core_main
from training.__main__ import main
from training.config import load_config
from training.fitting.loop import Trainer
from training.fitting.train import train

DYING_AT = (1, 4)  # the fifth batch of the second epoch


def train_and_die(config: str, out: str) -> None:
    """Train by a configuration file until the process kills itself in the middle of an epoch."""
    torch.set_num_threads(1)
    step = Trainer.train_step

    def dying(self: Trainer, examples: list[object], number: int) -> float:
        if (self.at.epoch, number) == DYING_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(self, examples, number)

    Trainer.train_step = dying  # type: ignore[method-assign]
    train(load_config(Path(config)), Path(out))


def core(*arguments: str) -> int:
    """`python -m core` with these arguments."""
    return core_main(list(arguments))


def launched(*arguments: str) -> int:
    """`python -m torch.distributed.run` with these arguments, whose processes are its own."""
    launch(list(arguments))
    return 0


def training(*arguments: str) -> int:
    """`python -m training` with these arguments."""
    return main(list(arguments))

"""What is trained in forked processes: to the end, or until it dies as on a killed machine."""

from __future__ import annotations

import os
import signal

import torch
from accelerate.commands.launch import launch_command, launch_command_parser
from torch.distributed.run import main as launch

from core.__main__ import main as core_main
from training.__main__ import main
from training.fitting.loop import Trainer

DYING_AT = (1, 4)  # the fifth batch of the second epoch


def train_and_die(*arguments: str) -> int:
    """`python -m training` with these arguments, killed by itself in the middle of an epoch."""
    torch.set_num_threads(1)
    step = Trainer.train_step

    def dying(self: Trainer, examples: list[object], number: int) -> float:
        if (self.at.epoch, number) == DYING_AT:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(self, examples, number)

    Trainer.train_step = dying  # type: ignore[method-assign]
    return main(list(arguments))


def core(*arguments: str) -> int:
    """`python -m core` with these arguments."""
    return core_main(list(arguments))


def accelerate(*arguments: str) -> int:
    """`accelerate launch` with these arguments, whose processes are its own."""
    launch_command(launch_command_parser().parse_args(arguments))
    return 0


def torchrun(*arguments: str) -> int:
    """`torchrun` with these arguments, whose processes are its own."""
    launch(list(arguments))
    return 0


def training(*arguments: str) -> int:
    """`python -m training` with these arguments."""
    return main(list(arguments))

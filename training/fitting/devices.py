"""How a run uses its machine: the number format, and how processes share the work."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, gather_object
from torch import Tensor

from core.errors import ConfigError
from core.model.precision import best_device, serving_dtype

LAUNCHERS = ("ACCELERATE_MIXED_PRECISION", "TORCHELASTIC_RUN_ID")
"""What `accelerate launch` and torchrun leave in the environment of what they start."""
ALONE = (
    "One process trains, although it was started by a launcher: name more with --multi_gpu "
    "--num_processes N (accelerate) or --nproc-per-node N (torchrun, also on processors)."
)
NOT_TOGETHER = (
    "{started} processes were started, and each finds {found}: they would train apart in one "
    "folder. Start them with accelerate launch or torchrun, which name the first machine."
)
NOT_SHARED = (
    "{out} is not the same folder for all processes: name one on a disk that all machines share."
)


def check_processes(out: Path, say: Callable[[str], None]) -> None:
    """Look whether the processes of a launcher work together, and in one folder.

    Args:
        out: folder of the run, which is there.
        say: is told where a launcher has started one process alone.
    Raises:
        ConfigError: they do not know each other, or their folders are different ones.
    """
    state = PartialState(cpu=best_device() == "cpu")
    started = int(os.environ.get("WORLD_SIZE") or 1)
    if started != state.num_processes:
        raise ConfigError(NOT_TOGETHER.format(started=started, found=state.num_processes))
    if started == 1:
        if any(name in os.environ for name in LAUNCHERS):
            say(ALONE)
        return
    names = [f".{uuid4().hex}.shared"]
    broadcast_object_list(names)
    if state.is_main_process:
        (out / names[0]).touch()
    state.wait_for_everyone()
    seen = gather_object([(out / names[0]).exists()])
    if state.is_main_process:
        (out / names[0]).unlink()
    if not all(seen):
        raise ConfigError(NOT_SHARED.format(out=out))


def shared(examples: Sequence[Any], process: int, n_processes: int) -> tuple[Sequence[Any], float]:
    """Return a process's share of a batch, and the weight of its mean loss.

    The mean of the weighted losses over the processes is the mean over the whole batch. A process
    for which nothing is left computes one document with weight 0: it must not miss the exchange of
    gradients.
    """
    mine = examples[process::n_processes]
    if not mine:
        return examples[:1], 0.0
    return mine, len(mine) * n_processes / len(examples)


def agreed_dtype(precision: str, device: str) -> torch.dtype:
    """Return the number format of a run: what the first process finds fastest holds for all.

    Raises:
        ConfigError: the device does not train in it.
    """
    PartialState(cpu=device == "cpu")
    agreed = [training_dtype(precision, device)]
    broadcast_object_list(agreed)
    return agreed[0]


PRECISIONS = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def training_dtype(precision: str, device: str) -> torch.dtype:
    """Return the format that a configuration names, or with "auto" the fastest on this device.

    Weights, their updates and the loss stay fp32; only the encoder's products are computed in it.

    Raises:
        ConfigError: the device does not train in it.
    """
    if precision == "auto":
        return serving_dtype(device)
    on_gpu = device.startswith("cuda")
    if precision == "fp16" and not on_gpu:
        # Its gradients need scaling, and a processor has no fast fp16 products to make up for it.
        raise ConfigError(
            "Training in fp16 needs a GPU, and there is none here; take precision = "
            '"auto", "bf16" or "fp32".'
        )
    if precision == "bf16" and on_gpu and not torch.cuda.is_bf16_supported():
        raise ConfigError('This GPU does not compute bf16; take precision = "fp16" or "fp32".')
    return PRECISIONS[precision]


def scoring_dtype(precision: str, device: str) -> torch.dtype:
    """Return the format to score with: that of the training, where the device has it."""
    try:
        return training_dtype(precision, device)
    except ConfigError:
        return serving_dtype(device)


def trained_in(dtype: str, device: str) -> torch.dtype | None:
    """Return the format that run.json names, such as "torch.bfloat16", where the device has it."""
    names = {str(value): name for name, value in PRECISIONS.items()}
    return scoring_dtype(names[dtype], device) if dtype in names else None


def moved(tensor: Tensor, device: torch.device) -> Tensor:
    """Return a tensor on a device, without waiting for what a graphics card was asked before.

    A copy from memory that the system may move waits for all of that, in every step anew.
    """
    if device.type != "cuda" or tensor.is_cuda:
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def precision_name(dtype: torch.dtype) -> str:
    """Return what a configuration calls a format."""
    return next(name for name, value in PRECISIONS.items() if value == dtype)


def is_main_process() -> bool:
    """Return whether this process writes, of those that `accelerate launch` started."""
    return bool(PartialState().is_main_process)

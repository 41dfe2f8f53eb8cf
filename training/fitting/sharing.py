"""How several processes train one model: what each reads of a batch, and what they agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list

from training.fitting.precision import training_dtype


def shared(examples: Sequence[Any], process: int, n_processes: int) -> tuple[Sequence[Any], float]:
    """A process's share of a batch, and the weight of its mean loss.

    The mean of the weighted losses over the processes is the mean over the whole batch. A process
    for which nothing is left computes one document with weight 0: it must not miss the exchange of
    gradients.
    """
    mine = examples[process::n_processes]
    if not mine:
        return examples[:1], 0.0
    return mine, len(mine) * n_processes / len(examples)


def agreed_dtype(precision: str, device: str) -> torch.dtype:
    """The number format of a run: what the first process finds fastest holds for all.

    Raises:
        ConfigError: there is no such precision, or not on this device.
    """
    PartialState(cpu=device == "cpu")
    found = [training_dtype(precision, device)]
    broadcast_object_list(found)
    return found[0]

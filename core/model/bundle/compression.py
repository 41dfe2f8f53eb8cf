"""Weights as a bundle stores them: int8 by row for tables of many rows, bf16 for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

SCALE = "::scale"
Tensors = dict[str, Tensor]


def compress(state: Mapping[str, Tensor], *, int8: tuple[str, ...]) -> Tensors:
    """Return a state dict with the tensors whose names begin with one of `int8` in int8, others in
    bf16.

    An int8 tensor of shape (rows, units) comes with a float32 scale a row under `name::scale`.
    """
    compressed: Tensors = {}
    for name, tensor in state.items():
        if tensor.dim() == 2 and name.startswith(int8):
            values, scale = int8_by_row(tensor.float())
            compressed[name], compressed[name + SCALE] = values, scale
        elif tensor.dim() == 1 and not name.endswith("LayerNorm.weight"):
            compressed[name] = tensor.float().contiguous()
        else:
            compressed[name] = tensor.to(torch.bfloat16).contiguous()
    return compressed


def decompress(stored: Mapping[str, Tensor]) -> Tensors:
    """Return the float32 state dict of what `compress` made."""
    state: Tensors = {}
    for name, tensor in stored.items():
        if name.endswith(SCALE):
            continue
        scale = stored.get(name + SCALE)
        state[name] = tensor.float() if scale is None else tensor.float() * scale[:, None]
    return state


def int8_by_row(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Return a matrix, (rows, units), in int8, and the scale of each row."""
    scale = tensor.abs().amax(dim=1).clamp(min=1e-12) / 127
    return torch.round(tensor / scale[:, None]).to(torch.int8), scale


def shards(tensors: Mapping[str, Tensor], *, max_bytes: int) -> Iterator[Tensors]:
    """Yield the tensors in order, in groups of at most `max_bytes` each (a larger one goes
    alone).
    """
    group: Tensors = {}
    size = 0
    for name, tensor in tensors.items():
        n_bytes = tensor.numel() * tensor.element_size()
        if group and size + n_bytes > max_bytes:
            yield group
            group, size = {}, 0
        group[name] = tensor
        size += n_bytes
    if group:
        yield group

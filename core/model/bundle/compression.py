"""Weights as a bundle stores them: int8 by row for tables of many rows, bf16 for the rest.

Whether a network's settings fit them is seen in the headers of the files before anything is built:
a bundle may come from anybody, and its settings may ask for any memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
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


# ---------------------------------------------------------------------- what is stored

Shapes = Mapping[str, tuple[int, ...]]

MOST_LAYERS = 256
"""Also of other parts that are built one after the other, and of items in a list."""
_BUILT_EACH = re.compile(r"layer|block|depth|expert")
ALWAYS_ALLOWED = 100_000
"""Of a number that need not be the size of any tensor, such as of positions that are computed."""


def stored_shapes(files: Iterable[Path]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all tensors in some files, of which only the headers are read."""
    shapes: dict[str, tuple[int, ...]] = {}
    for path in files:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                shapes[name] = tuple(file.get_slice(name).get_shape())
    return shapes


def check_settings(settings: Mapping[str, Any], stored: Shapes) -> None:
    """Raise ValueError where building what is described would take more than what is stored shows.

    Args:
        settings: of a network and its heads.
    """
    largest = max((max(shape) for shape in stored.values() if shape and 0 not in shape), default=0)
    for name, value in _numbers("", settings):
        most = MOST_LAYERS if _BUILT_EACH.search(name) else max(largest, ALWAYS_ALLOWED)
        if abs(value) > most:
            raise ValueError(f"{name} is {value:.0f}, and its weights allow for {most:,}")


def _numbers(name: str, value: object) -> Iterator[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _numbers(f"{name}.{key}".lstrip("."), inside)
    elif isinstance(value, list | tuple):
        yield f"the number of layers in {name}", len(value)
        for inside in value:
            yield from _numbers(name, inside)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield name, value


def check_shapes(expected: Mapping[str, Tensor], stored: Shapes) -> None:
    """Raise ValueError where what is stored are not the weights of a network.

    Args:
        expected: its state, which may be of no device.
    """
    weights = {name: shape for name, shape in stored.items() if not name.endswith(SCALE)}
    if missing := sorted(expected.keys() - weights.keys()):
        raise ValueError(f"its weights lack {missing[0]}")
    if more := sorted(weights.keys() - expected.keys()):
        raise ValueError(f"its weights have {more[0]}, which its network does not have")
    for name, tensor in expected.items():
        if weights[name] != tuple(tensor.shape):
            raise ValueError(
                f"{name} is {weights[name]}, and {tuple(tensor.shape)} in its settings"
            )
        scale = stored.get(name + SCALE)
        if scale is not None and scale != weights[name][:1]:
            raise ValueError(f"{name}{SCALE} has the shape {scale}")

"""Which number format this machine computes fastest in, or is told to compute in."""

from __future__ import annotations

import os
import time
from contextlib import AbstractContextManager
from functools import cache

import torch

from core.errors import ConfigError

SERVED = {"fp32": torch.float32, "bf16": torch.bfloat16}

# A processor may have bf16 units and still be slower with them: where AMX is absent or masked,
# AVX-512 bf16 runs at half the speed of fp32 on some Xeons and at twice its speed on some EPYCs.
# Flags cannot tell these apart, so both are timed on a product of an encoder's size.
_ROWS, _INNER, _COLUMNS = 256, 384, 1536
_REPEATS = 25


def serving_dtype(device: str) -> torch.dtype:
    """The format that `STRATA_PRECISION` names for suggestions, or the fastest where it names none.

    Where bf16 and fp32 are about as fast, processes may choose differently, and probabilities then
    differ by some tenths of a per cent; who compares them between processes or machines names one.

    Raises:
        ConfigError: it names another than fp32, bf16 and auto.
    """
    named = os.environ.get("STRATA_PRECISION", "auto")
    if named == "auto":
        return fastest_dtype(device)
    if named not in SERVED:
        raise ConfigError(f"STRATA_PRECISION is “{named}”; set it to {', '.join(SERVED)} or auto.")
    return SERVED[named]


@cache
def fastest_dtype(device: str = "cpu") -> torch.dtype:
    """bf16 where the device is faster with it, else fp32; measured once a process, in 0.1 s."""
    if device.startswith("cuda"):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    if device != "cpu" or not _has_bf16_units():
        return torch.float32
    # In turns, and the best of many: a busy machine must not choose otherwise than an idle one,
    # since the last digits of a probability hang on it.
    seconds = {torch.bfloat16: float("inf"), torch.float32: float("inf")}
    for _ in range(_REPEATS):
        for dtype in seconds:
            seconds[dtype] = min(seconds[dtype], _product_seconds(dtype))
    faster = seconds[torch.bfloat16] < 0.8 * seconds[torch.float32]
    return torch.bfloat16 if faster else torch.float32


def _has_bf16_units() -> bool:
    # Without them bf16 falls into a single-threaded kernel: not even worth timing.
    flags = (torch.cpu._is_avx512_bf16_supported(), torch.cpu._is_amx_tile_supported())
    return any(flags)


def _product_seconds(dtype: torch.dtype) -> float:
    left, right = torch.ones(_ROWS, _INNER, dtype=dtype), torch.ones(_INNER, _COLUMNS, dtype=dtype)
    start = time.perf_counter()
    left @ right
    return time.perf_counter() - start


def autocast(device: str, dtype: torch.dtype) -> AbstractContextManager[object]:
    """Run the encoder in `dtype`; nothing changes where that is fp32."""
    return torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32)


def full_precision(device: str) -> AbstractContextManager[object]:
    """Compute in fp32 what stands inside `autocast`; the inputs have to be fp32 as well."""
    return torch.autocast(device, enabled=False)


def best_device() -> str:
    """A GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"

"""Which number format a model computes in: what STRATA_PRECISION names, or what this machine is made for.

PyTorch computes in fp32 or bf16. A back-end that can multiply 8-bit numbers asks `int8_precision`.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

import torch

from core.errors import ConfigError
from core.model.number_format import Precision, Reason

INT8 = "int8"
SERVED = {"fp32": torch.float32, "bf16": torch.bfloat16}


def serving_precision(device: str) -> Precision:
    """Return the precision that `STRATA_PRECISION` names, or the one for this machine.

    Where int8 is named, it is what computes all that is not in int8.

    Raises:
        ConfigError: it names another than fp32, bf16, int8 and auto.
    """
    named = _named()
    return machine_precision(device) if named in (INT8, "auto") else Precision(named, Reason.NAMED)


def machine_precision(device: str) -> Precision:
    """Return bf16 for a graphics card that computes it and for a processor with AMX, else fp32."""
    if device.startswith("cuda"):
        name = "bf16" if torch.cuda.is_bf16_supported() else "fp32"
        return Precision(name, Reason.GRAPHICS_CARD)
    # AVX-512 bf16 without AMX runs at half the speed of fp32 on some Xeons and at twice its speed on
    # some EPYCs. Flags do not distinguish these, and fp32 is exact.
    if device == "cpu" and torch.cpu._is_amx_tile_supported():
        return Precision("bf16", Reason.BF16_UNITS)
    return Precision("fp32", Reason.NO_UNITS)


def int8_precision() -> Precision | None:
    """Return int8 where `STRATA_PRECISION` names it, or the processor is faster with it; else None.

    Units for 8-bit products (VNNI) do twice as many a second as those of AVX-512 for bf16. Where AMX
    is, bf16 serves, since it is more exact. Which of the two is faster there was never measured: the
    figures of docs/speed.md for AMX and for VNNI are of different processors.

    Without VNNI, OpenVINO has no int8 that is faster than fp32 (docs/speed.md).

    Raises:
        ConfigError: `STRATA_PRECISION` names none that is known.
    """
    named = _named()
    if named == INT8:
        return Precision(INT8, Reason.NAMED)
    if (
        named == "auto"
        and torch.cpu._is_vnni_supported()
        and not torch.cpu._is_amx_tile_supported()
    ):
        return Precision(INT8, Reason.INT8_UNITS)
    return None


def _named() -> str:
    named = os.environ.get("STRATA_PRECISION", "auto")
    if named not in (choices := (*SERVED, INT8, "auto")):
        first = ", ".join(choices[:-1])
        raise ConfigError(f"STRATA_PRECISION is “{named}”; set it to {first} or {choices[-1]}.")
    return named


def serving_dtype(device: str) -> torch.dtype:
    """Return the format of `serving_precision`.

    Raises:
        ConfigError: `STRATA_PRECISION` names none.
    """
    return SERVED[serving_precision(device).name]


def autocast(device: str, dtype: torch.dtype) -> AbstractContextManager[object]:
    """Run the encoder in `dtype`; nothing changes where that is fp32."""
    return torch.autocast(device, dtype=dtype, enabled=dtype != torch.float32)


def full_precision(device: str) -> AbstractContextManager[object]:
    """Compute in fp32 what stands inside `autocast`; the inputs have to be fp32 as well."""
    return torch.autocast(device, enabled=False)


def recurrent_precision(device: str) -> AbstractContextManager[object]:
    """Compute an LSTM in fp32 inside `autocast` where its kernels know no bf16: on processors
    without AVX-512.
    """
    has_kernels = device != "cpu" or torch.cpu._is_avx512_supported()
    return nullcontext() if has_kernels else full_precision(device)


def best_device() -> str:
    """Return a GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"

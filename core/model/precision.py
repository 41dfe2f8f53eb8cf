"""Which number format a model computes in: what STRATA_PRECISION names, or what is faster here.

PyTorch computes in fp32 or bf16. A back-end that can multiply 8-bit numbers asks `int8_precision`.

What is faster is measured once a machine and kept in the home folder, so that the same text has the
same numbers after a restart, however busy the machine is then.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import torch

from core.errors import ConfigError
from core.home import written_beside
from core.model.number_format import FILE_NAME, Precision, Reason
from core.settings import Settings

_LOG = logging.getLogger(__name__)

INT8 = "int8"
SERVED = {"fp32": torch.float32, "bf16": torch.bfloat16}

# A processor may have bf16 units and still be slower with them: where AMX is absent or masked,
# AVX-512 bf16 runs at half the speed of fp32 on some Xeons and at twice its speed on some EPYCs.
# Flags do not distinguish these, so both are timed on a product of an encoder's size.
_ROWS, _INNER, _COLUMNS = 256, 384, 1536
_REPEATS = 25
_KEPT = ("name", "measured_at", "milliseconds")
_CPU_FACTS = ("model name", "cpu family", "model", "stepping")


def serving_precision(device: str) -> Precision:
    """Return the precision that `STRATA_PRECISION` names, or the one for this machine.

    Where int8 is named, it is what computes all that is not in int8.

    Raises:
        ConfigError: it names another than fp32, bf16, int8 and auto.
    """
    named = _named()
    if named in (INT8, "auto"):
        home = Settings.from_env().home
        return _remembered(device, home / FILE_NAME, torch.get_num_threads())
    return Precision(named, Reason.NAMED)


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
    if named not in (known := (*SERVED, INT8, "auto")):
        first = ", ".join(known[:-1])
        raise ConfigError(f"STRATA_PRECISION is “{named}”; set it to {first} or {known[-1]}.")
    return named


def serving_dtype(device: str) -> torch.dtype:
    """Return the format of `serving_precision`.

    Raises:
        ConfigError: `STRATA_PRECISION` names none.
    """
    return SERVED[serving_precision(device).name]


@cache
def _remembered(device: str, path: Path, n_threads: int) -> Precision:
    """Return the machine's precision, looked up once a process."""
    return machine_precision(device, path, n_threads)


def machine_precision(device: str, path: Path, n_threads: int) -> Precision:
    """Return bf16 where this device is faster with it, else fp32; of a processor measured once, in
    0.1 s.

    Args:
        path: file of measurements, one for each processor, version of torch and number of threads,
            so that a home folder that moves to another machine is measured anew.
        n_threads: that torch computes with.
    """
    if device.startswith("cuda"):
        name = "bf16" if torch.cuda.is_bf16_supported() else "fp32"
        return Precision(name, Reason.GRAPHICS_CARD)
    if device != "cpu" or not _has_bf16_units():
        return Precision("fp32", Reason.NO_UNITS)
    machine = f"{_processor()}; torch {torch.__version__}; {n_threads} threads"
    kept = read_measurements(path)
    if machine in kept:
        return kept[machine]
    measured = measure()
    try:
        # Read again: who measured meanwhile serves in it already.
        kept = {machine: measured} | read_measurements(path)
        write_measurements(path, kept)
    except OSError as error:
        name = "bf16" if torch.cpu._is_amx_tile_supported() else "fp32"
        _LOG.warning("%s is served, since %s cannot be written", name, path, exc_info=error)
        return Precision(name, Reason.NOT_KEPT)
    return kept[machine]


def measure() -> Precision:
    """Time both formats in turns, and take the best of many.

    A busy machine should choose as an idle one does.
    """
    seconds = dict.fromkeys(SERVED, float("inf"))
    for _ in range(_REPEATS):
        for name, dtype in SERVED.items():
            seconds[name] = min(seconds[name], _product_seconds(dtype))
    faster = "bf16" if seconds["bf16"] < 0.8 * seconds["fp32"] else "fp32"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    milliseconds = {name: round(1000 * best, 4) for name, best in seconds.items()}
    return Precision(faster, Reason.MEASURED, now, milliseconds)


def read_measurements(path: Path) -> dict[str, Precision]:
    """Return the kept measurement of each machine; none of a file that is missing or unreadable."""
    try:
        machines = json.loads(path.read_text("utf-8"))["machines"]
        return {machine: _kept(facts) for machine, facts in machines.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        _LOG.warning("%s cannot be read; it is measured again", path)
        return {}


def _kept(facts: dict[str, Any]) -> Precision:
    milliseconds = {name: float(facts["milliseconds"][name]) for name in SERVED}
    found = Precision(facts["name"], Reason.MEASURED, str(facts["measured_at"]), milliseconds)
    datetime.fromisoformat(found.measured_at)
    if found.name not in SERVED:
        raise ValueError(found.name)
    return found


def write_measurements(path: Path, machines: dict[str, Precision]) -> None:
    """Write the file as a whole or not at all.

    Raises:
        OSError: the folder cannot be written.
    """
    plain = {
        machine: {name: value for name, value in asdict(precision).items() if name in _KEPT}
        for machine, precision in machines.items()
    }
    with written_beside(path) as new:
        new.write_text(json.dumps({"machines": plain}, indent=2), "utf-8")


def _has_bf16_units() -> bool:
    # Without them bf16 falls into a single-threaded kernel: not even worth timing.
    flags = (torch.cpu._is_avx512_bf16_supported(), torch.cpu._is_amx_tile_supported())
    return any(flags)


def _processor() -> str:
    """The processor as Linux names it, and what it has for bf16: virtual machines may hide some."""
    units = {
        "AVX-512": torch.cpu._is_avx512_bf16_supported,
        "AMX": torch.cpu._is_amx_tile_supported,
    }
    has = [name for name, is_supported in units.items() if is_supported()]
    return ", ".join([*_cpu_facts(Path("/proc/cpuinfo")), *has])


def _cpu_facts(cpuinfo: Path) -> list[str]:
    try:
        lines = cpuinfo.read_text("utf-8", "replace").split("\n\n")[0].splitlines()
    except OSError:
        return [platform.processor() or platform.machine()]
    facts = dict([part.strip() for part in line.split(":", 1)] for line in lines if ":" in line)
    return [facts[name] for name in _CPU_FACTS if name in facts]


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


def recurrent_precision(device: str) -> AbstractContextManager[object]:
    """Compute an LSTM in fp32 inside `autocast` where its kernels know no bf16: on processors
    without AVX-512.
    """
    has_kernels = device != "cpu" or torch.cpu._is_avx512_supported()
    return nullcontext() if has_kernels else full_precision(device)


def best_device() -> str:
    """Return a GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"

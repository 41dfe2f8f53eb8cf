"""Processes for what may take all memory or time there is: started, waited for, and killed.

Foreign files are parsed in such a process (`core.documents.worker`, `core.vocabulary.worker`): it
bounds its own memory and work, answers in lines of JSON, and may end at any moment.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from core.paths import PROJECT_ROOT

# What of the environment the processes need that parse and compute; no keys, addresses of databases
# or tokens are among it.
HANDED_ON = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"}
    | {"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "CONDA_PREFIX"}
    | {"SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE"}
    | {
        "STRATA_HOME",
        "STRATA_PRECISION",
        "STRATA_BACKEND",
        "STRATA_LANGUAGE",
        "STRATA_BUNDLE",
        "STRATA_DATA",
    }
    | {
        "HF_HOME",
        "HF_HUB_CACHE",
        "HF_HUB_OFFLINE",
        "TRANSFORMERS_OFFLINE",
        "TOKENIZERS_PARALLELISM",
    }
)
HANDED_ON_BEGINNINGS = (
    *(
        "LC_",
        "OMP_",
        "MKL_",
        "OPENBLAS_",
        "KMP_",
        "GOMP_",
        "NUMEXPR_",
        "VECLIB_",
        "MALLOC_",
        "ONEDNN_",
    ),
    *("PYTHON", "OPENVINO_", "OV_", "CUDA_", "NVIDIA_", "NCCL_", "TORCH_", "PYTORCH_", "XDG_"),
)

# What ends a process that has worked for as long as it may.
OUT_OF_TIME = tuple(
    -int(getattr(signal, name))
    for name in ("SIGPROF", "SIGXCPU", "SIGALRM")
    if hasattr(signal, name)
)


def start_worker(
    module: str, *arguments: str, keeps_memory: bool = False
) -> subprocess.Popen[bytes]:
    """Start a module of Strata as a process, with pipes to ask it and to read its answers.

    Args:
        keeps_memory: whether it takes memory from the system as this process does, rather than as
            little at a time as it can.
    """
    sparing = {} if keeps_memory else {"MALLOC_TOP_PAD_": "0"}
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        env={**environment(), "PYTHONPATH": str(PROJECT_ROOT), **sparing},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # what a parser prints may be the document's own words
    )


def environment() -> dict[str, str]:
    """Return what of this process's environment a process may have that parses or computes."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in HANDED_ON or name.upper().startswith(HANDED_ON_BEGINNINGS)
    }


@contextmanager
def killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill a process where the block takes longer; the event says whether that was so."""
    overdue = threading.Event()

    def stop() -> None:
        overdue.set()
        process.kill()

    timer = threading.Timer(seconds, stop)
    timer.start()
    try:
        yield overdue
    finally:
        timer.cancel()


def limit(resource_name: str, most: int) -> None:
    """Bound what this process may take from now on, on systems that have such a bound.

    Args:
        resource_name: as `resource` has it, such as "RLIMIT_AS".
    """
    # Windows has none, and macOS may refuse; who started the process waits for so long at most.
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        bounded = getattr(resource, resource_name)
        resource.setrlimit(bounded, (most, resource.getrlimit(bounded)[1]))


@contextmanager
def without_garbage_collection(*, freezes: bool = False) -> Iterator[None]:
    """No garbage is looked for meanwhile, where much is made that stays.

    Making 100,000 objects sets the search off again and again: importing torch and transformers
    takes a quarter longer with it.

    Args:
        freezes: whether none is looked for later, either, among all that is there by then.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if freezes:
            gc.freeze()
        if was_on:
            gc.enable()

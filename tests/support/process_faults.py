"""What goes wrong around a process: a clock that is set back, and rights that root has lost, too."""

from __future__ import annotations

import ctypes
import sys
import time
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

CAPABILITIES_VERSION = 0x20080522  # of <linux/capability.h>: two words of 32 bits each


def shift_clock(file: Path) -> None:
    """Let this process read a clock that is off by the seconds that a file says at that moment.

    Modules that took `datetime` by name get another one; what is imported later gets the real one.
    """
    real_time, real_datetime = time.time, datetime

    def seconds() -> float:
        return float(file.read_text()) if file.exists() else 0.0

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return real_datetime.now(tz) + timedelta(seconds=seconds())

    time.time = lambda: real_time() + seconds()
    for name, module in list(sys.modules.items()):
        if name.startswith("core.") and getattr(module, "datetime", None) is real_datetime:
            module.datetime = Shifted  # type: ignore[attr-defined]


def keep_to_rights() -> None:
    """Let root's own processes, too, write only what the rights of files let their owner write."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()
    if libc.capset(header, none) != 0:
        raise OSError(ctypes.get_errno(), "capset")

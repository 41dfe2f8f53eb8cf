"""A folder that is kept in memory, where the machine has one with room."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")


def has_room(size: int) -> bool:
    """Return whether so many bytes are free; containers often have 64 MB, and some run nothing there."""
    if not SHARED_MEMORY.is_dir() or os.statvfs(SHARED_MEMORY).f_flag & os.ST_NOEXEC:
        return False
    return shutil.disk_usage(SHARED_MEMORY).free > size

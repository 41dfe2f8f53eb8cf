"""Backups in memory, and such as somebody has changed."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

from core.review.store.backup import write_backup
from core.review.store.store import Store


def backup(store: Store, home: Path) -> bytes:
    file = io.BytesIO()
    write_backup(store, home, file)
    return file.getvalue()


def changed(content: bytes, name: str, replacement: bytes | None) -> io.BytesIO:
    """A backup with one file replaced or, with None, left out."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for other in old.namelist():
            if other != name:
                new.writestr(other, old.read(other))
        if replacement is not None:
            new.writestr(name, replacement)
    return target


def manifest_of(content: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return manifest

"""What lies in the folder of a bundle: the files that its manifest names, and no others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.home import checksum_of
from core.model.bundle.manifest import MANIFEST, damaged
from core.model.bundle.shared_parts import checked_part, shared_with
from core.vocabulary.labels import PACKED

CHECKED = frozenset({".safetensors", ".json", ".jsonl", ".txt", PACKED})
MAY_STAND_BESIDE = frozenset({".txt"})
"""Such as somebody's notes; the one that is read is named by checksum in another file, too."""


def is_checked(path: Path) -> bool:
    """Whether a manifest has to name a file."""
    return path.name != MANIFEST and path.suffix in CHECKED


def check_contents(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Compare each file with its checksum.

    Raises:
        BundleError: one is missing, another one, a link to elsewhere, or not named.
    """
    files = manifest.get("files")
    if not isinstance(files, dict) or not files:
        raise damaged(directory, f"{MANIFEST} lists no files")
    for path in sorted(directory.iterdir()):
        if is_checked(path) and path.name not in files and path.suffix not in MAY_STAND_BESIDE:
            raise damaged(directory, f"{path.name} is in it, and {MANIFEST} does not name it")
    for name, facts in files.items():
        path = directory / name
        if Path(name).name != name:
            raise damaged(directory, f"{name} is not a file of its folder")
        if not path.is_file():
            raise damaged(directory, f"{name} is missing")
        if path.resolve().parent != directory.resolve():
            raise damaged(directory, f"{name} is a link that leads out of it")
        if checksum_of(path) != facts["sha256"]:
            raise damaged(directory, f"{name} is not what it was when the bundle was made")
    for name, facts in shared_with(manifest).items():
        checked_part(directory, name, facts)

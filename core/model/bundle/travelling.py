"""Folders in which bundles arrive, beside the place that they are for; none is left for good."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from core.boundaries import BUNDLE_FILES
from core.errors import BundleError
from core.home import IN_USE, in_use, is_abandoned

BEGINNING = ".travelling-"
REPLACED = "replaced"
"""In such a folder, the bundle whose place another one takes, until it has it."""
DAY_SECONDS = 86_400.0


@contextmanager
def travelling_to(place: Path) -> Iterator[Path]:
    """A folder on the disk of another one, taken away at the end; what killed programs left goes, too.

    Raises:
        BundleError: it cannot be written.
    """
    with BUNDLE_FILES.translated("{place} cannot be written: {reason}.", place=place):
        place.parent.mkdir(parents=True, exist_ok=True)
        clear_travelled(place.parent)
        folder = Path(tempfile.mkdtemp(prefix=BEGINNING, dir=place.parent))
        try:
            with in_use(folder):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def replace_bundle(new: Path, place: Path) -> None:
    """Put a folder in the place of another one; a server that reads it has opened its files."""
    if place.exists():
        (new.parent / REPLACED).mkdir()
        place.rename(new.parent / REPLACED / place.name)
    new.rename(place)


def clear_travelled(parent: Path) -> list[Path]:
    """Remove what killed programs left among bundles, and return it.

    A bundle whose place was free just then gets its place back.
    """
    left = [folder for folder in parent.glob(f"{BEGINNING}*") if _is_left(folder)]
    for folder in left:
        with suppress(OSError):
            for old in folder.glob(f"{REPLACED}/*"):
                if not (parent / old.name).exists():
                    old.rename(parent / old.name)
        shutil.rmtree(folder, ignore_errors=True)
    return left


def _is_left(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    if (folder / IN_USE).exists():
        return is_abandoned(folder)
    # A program that was killed before it could lock the folder, or a system without such locks.
    return time.time() - folder.stat().st_mtime > DAY_SECONDS


def copy_arriving(source: Path, folder: Path, sizes: Mapping[str, int]) -> None:
    """Copy the named files of a bundle that are there; each is compared with its checksum later.

    Args:
        sizes: by name, in bytes.
    Raises:
        BundleError: one is a link, or larger than it should be.
    """
    for name, size in sizes.items():
        file = source / name
        if not file.is_symlink() and not file.is_file():
            continue
        if file.is_symlink() or file.parent.is_symlink() or file.stat().st_nlink > 1:
            raise BundleError(
                f"{name} of the bundle in {source} is a link, which is not followed: copy the folder "
                "with what its links lead to, and take that."
            )
        if file.stat().st_size > size:
            raise BundleError(f"{name} of the bundle in {source} is larger than it should be.")
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(file, folder / name, follow_symlinks=False)

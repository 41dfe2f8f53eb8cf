"""Parts that several bundles share: files kept once, in a folder beside the bundles, by content.

A tokenizer, and word embeddings that stayed as the encoder came with them, are the same in every
bundle of that encoder. Such a file lies under `shared/` as `CHECKSUM-NAME`, and the manifest of
each bundle says under `shared` what it has to hold, so that a part is never another one's by
mistake.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import BundleError
from core.home import checksum_of
from core.paths import PROJECT_ROOT

FOLDER = "shared"
"""Name of the folder; none of the bundles that it lies among."""

SHIPPED = PROJECT_ROOT / "assets" / "models" / FOLDER
"""Where a bundle that lies elsewhere finds the parts that came with the program."""

Facts = Mapping[str, Any]
"""What a manifest says of a part: its `sha256`, and its size in `bytes`."""


def shared_with(manifest: Facts) -> Mapping[str, Facts]:
    """Return the parts of a bundle that lie in the shared folder, by the names that they have in
    it.
    """
    shared = manifest.get("shared", {})
    return shared if isinstance(shared, dict) else {}


def part_name(name: str, facts: Facts) -> str:
    """Return the name of a part's file in the shared folder.

    Raises:
        ValueError: its checksum is malformed.
    """
    start = str(facts["sha256"])[:16]
    int(start, 16)  # a manifest that names another folder here is damaged
    return f"{start}-{Path(name).name}"


def find_part(directory: Path, name: str, facts: Facts) -> Path:
    """Return where a part of the bundle in `directory` lies.

    Raises:
        BundleError: it is in none of the folders that are looked into.
    """
    wanted = part_name(name, facts)
    for store in _stores(directory):
        if (store / wanted).is_file():
            return store / wanted
    raise BundleError(
        f"The model bundle in {directory} shares {name} with other bundles, and {wanted} "
        f"is missing in {directory.parent / FOLDER}: copy the folder “{FOLDER}” from where the bundle "
        "came from."
    )


def checked_part(directory: Path, name: str, facts: Facts) -> Path:
    """Return the file of a shared part after its checksum was compared.

    Raises:
        BundleError: it is missing, or has another checksum.
    """
    path = find_part(directory, name, facts)
    if checksum_of(path) != facts["sha256"]:
        raise BundleError(
            f"{path}, which the model bundle in {directory} shares with others, is not what it was "
            f"when the bundle was made. Get the folder “{FOLDER}” again."
        )
    return path


def share(file: Path, store: Path) -> dict[str, Any]:
    """Move a file of a bundle into the shared folder, or drop it where that has it already.

    Returns:
        What the manifest says of it.
    """
    store.mkdir(parents=True, exist_ok=True)
    parts = sorted(store.glob(f"*-{file.name}"))
    place = next((part for part in parts if _says_the_same(part, file)), None)
    if place is None:
        place = store / part_name(file.name, {"sha256": checksum_of(file)})
        shutil.move(file, place)
    else:
        file.unlink()
    return {"sha256": checksum_of(place), "bytes": place.stat().st_size}


def _says_the_same(part: Path, file: Path) -> bool:
    """Return whether two files hold the same; JSON may be written in more than one way."""
    if file.suffix == ".json":
        return bool(json.loads(part.read_bytes()) == json.loads(file.read_bytes()))
    return checksum_of(part) == checksum_of(file)


def _stores(directory: Path) -> Iterator[Path]:
    yield directory.resolve().parent / FOLDER
    yield SHIPPED

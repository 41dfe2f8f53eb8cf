"""Bundles on their way: to and from a folder, or a model hub where one is named by `hf://`.

What travels is a repository as a model hub has it: `README.md` (the card), `bundle.json`, its files
beside it, and in `shared/` the parts that the bundle shares with others. Nothing is asked of any
network for a folder, and nothing that a manifest does not list is taken.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.boundaries import message
from core.errors import BundleError
from core.home import checksum_of
from core.model.bundle.contents import check_contents
from core.model.bundle.hub_card import CARD, card_of
from core.model.bundle.manifest import (
    BUNDLE,
    DAMAGED,
    MANIFEST,
    MOST_SETTINGS_BYTES,
    damaged,
    identity,
    read_manifest,
)
from core.model.bundle.shared_parts import (
    FOLDER,
    checked_part,
    part_name,
    shared_with,
)
from core.model.bundle.travelling import copy_arriving, replace_bundle, travelling_to

SCHEME = "hf://"
ADDRESS = re.compile(r"hf://([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,128}))?")
# A bundle has no code in it; a hub may hold anything.
TAKEN = frozenset({".safetensors", ".json", ".jsonl", ".txt", ".gz"})


@dataclass(frozen=True, slots=True)
class HubAddress:
    """A repository on a model hub, `hf://owner/name` or `hf://owner/name@revision`."""

    repository: str
    revision: str | None = None

    def __str__(self) -> str:
        return f"{SCHEME}{self.repository}"

    @classmethod
    def parse(cls, address: str) -> HubAddress:
        """Read an address.

        Raises:
            BundleError: it is malformed.
        """
        match = ADDRESS.fullmatch(address)
        if match is None:
            raise BundleError(
                f"{address} is no address on a model hub: write hf://OWNER/NAME, or "
                "hf://OWNER/NAME@REVISION."
            )
        return cls(match[1], match[2])


def push(bundle: Path, target: str, *, private: bool = True) -> str:
    """Send a bundle to a folder or a hub, after all its checksums were compared.

    Args:
        target: a folder that is new, empty or holds an earlier one; or `hf://OWNER/NAME`.
        private: whether a repository that is made for it is seen by its owner alone.
    Returns:
        What identifies the bundle.
    Raises:
        BundleError: the bundle is damaged, or the target cannot be written or reached.
    """
    if target.startswith(SCHEME):
        address = HubAddress.parse(target)
        with tempfile.TemporaryDirectory() as folder:
            sha256 = lay_out(bundle, Path(folder))
            _upload(Path(folder), address, private=private)
        return sha256
    place = Path(target)
    _check_replaceable(place)
    with travelling_to(place) as folder:
        (folder / "bundle").mkdir()
        sha256 = lay_out(bundle, folder / "bundle")
        replace_bundle(folder / "bundle", place)
    return sha256


def pull(source: str, target: Path, *, sha256: str = "") -> str:
    """Bring a bundle from a folder or a hub, and compare all its checksums before it is there.

    Args:
        source: a folder that a bundle was pushed to, or `hf://OWNER/NAME`.
        target: folder of the bundle; what it shares with others goes into `shared` beside it. An
            earlier bundle there is replaced.
        sha256: what has to identify it, or the beginning of that; "" for any.
    Returns:
        What identifies the bundle.
    Raises:
        BundleError: it is none, is damaged, is another one, or cannot be reached.
    """
    _check_replaceable(target)
    with travelling_to(target) as folder:
        arrived = folder / "arrived"
        if source.startswith(SCHEME):
            _download(HubAddress.parse(source), arrived)
        else:
            _copy(Path(source), arrived)
        manifest = check_layout(arrived, source)
        found = identity(manifest)
        if not found.startswith(sha256):
            raise BundleError(
                f"The bundle in {source} is {found[:16]}, and {sha256[:16]} was asked for."
            )
        _settle(arrived, manifest, target)
    return found


def lay_out(bundle: Path, folder: Path) -> str:
    """Write a bundle into a folder as it travels; returns what identifies it.

    Raises:
        BundleError: it is damaged.
    """
    manifest = read_manifest(bundle)
    files = _files(bundle, manifest)
    check_contents(bundle, manifest)
    for name in files:
        shutil.copyfile(bundle / name, folder / name)
    for name, part in shared_with(manifest).items():
        file = checked_part(bundle, name, part)
        (folder / FOLDER).mkdir(exist_ok=True)
        shutil.copyfile(file, folder / FOLDER / part_name(name, part))
    shutil.copyfile(bundle / MANIFEST, folder / MANIFEST)
    (folder / CARD).write_text(card_of(bundle), encoding="utf-8")
    return identity(manifest)


def check_layout(folder: Path, source: str) -> Mapping[str, Any]:
    """Compare every file of a bundle that has arrived with its checksum; returns its manifest.

    Raises:
        BundleError: one is missing, another one, or of a kind that a bundle does not have.
    """
    if not (folder / MANIFEST).is_file():
        raise BundleError(f"{source} holds no model bundle: there is no {MANIFEST} in it.")
    manifest = read_manifest(folder, source=source)
    listed = {name: facts["sha256"] for name, facts in _files(source, manifest).items()}
    for name, part in shared_with(manifest).items():
        listed[f"{FOLDER}/{part_name(name, part)}"] = part["sha256"]
    for name, checksum in listed.items():
        if not (folder / name).is_file():
            raise BundleError(f"The bundle in {source} is not whole: {name} is missing.")
        if checksum_of(folder / name) != checksum:
            raise BundleError(f"{name} of the bundle in {source} is not what it was when pushed.")
    return manifest


def _files(place: Path | str, manifest: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the files that a manifest lists, by names that stay in their folder."""
    files = manifest.get("files")
    if not isinstance(files, dict) or not files:
        raise damaged(place, f"{MANIFEST} lists no files")
    for name in (*files, *shared_with(manifest)):
        if Path(name).name != name or Path(name).suffix not in TAKEN:
            raise damaged(place, f"{name} is no file of a bundle")
    return files


# ---------------------------------------------------------------------- folders


def _check_replaceable(place: Path) -> None:
    if place.is_dir() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        raise BundleError(f"{place} holds something else than a bundle: name another folder.")
    if place.exists() and not place.is_dir():
        raise BundleError(f"{place} is a file: name a folder.")


def _copy(source: Path, folder: Path) -> None:
    if not (source / MANIFEST).is_file() or (source / MANIFEST).is_symlink():
        raise BundleError(f"{source} holds no model bundle: there is no {MANIFEST} in it.")
    manifest = read_manifest(source, source=str(source))
    folder.mkdir()
    copy_arriving(source, folder, _sizes(str(source), manifest))


def _sizes(source: str, manifest: Mapping[str, Any]) -> dict[str, int | None]:
    """Return what is taken of a bundle, by name, with the sizes that it should have at most."""
    sizes: dict[str, int | None] = dict.fromkeys((MANIFEST, CARD), MOST_SETTINGS_BYTES)
    with BUNDLE.translated(DAMAGED, directory=source):
        for name, facts in _files(source, manifest).items():
            sizes[name] = int(facts["bytes"]) if "bytes" in facts else None
        for name, part in shared_with(manifest).items():
            sizes[f"{FOLDER}/{part_name(name, part)}"] = int(part["bytes"])
    return sizes


def _settle(arrived: Path, manifest: Mapping[str, Any], target: Path) -> None:
    """Put a bundle that was checked in its place, its shared parts first."""
    parts = [part_name(name, facts) for name, facts in shared_with(manifest).items()]
    (target.parent / FOLDER).mkdir(exist_ok=True, parents=True)
    for name in parts:
        if not (target.parent / FOLDER / name).is_file():
            (arrived / FOLDER / name).rename(target.parent / FOLDER / name)
    new = arrived.parent / "bundle"
    new.mkdir()
    for name in (MANIFEST, CARD, *manifest["files"]):
        if (arrived / name).is_file():
            (arrived / name).rename(new / name)
    replace_bundle(new, target)


# ---------------------------------------------------------------------- a hub


@contextmanager
def _hub(address: HubAddress) -> Iterator[Any]:
    """The client of the hub; what goes wrong there is one sentence.

    The client reads `HF_TOKEN` and `HF_ENDPOINT` itself, and sends no counts of its use.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        import huggingface_hub
        from httpx2 import HTTPError
        from huggingface_hub import constants
    except ImportError as error:
        raise BundleError("A model hub needs huggingface_hub: pip install it.") from error
    if constants.HF_HUB_OFFLINE:
        raise BundleError(
            f"hf://{address.repository} is not asked for, since HF_HUB_OFFLINE is set: run the "
            "command with HF_HUB_OFFLINE=0."
        )
    try:
        yield huggingface_hub
    except (HTTPError, OSError, ValueError) as error:
        raise BundleError(
            f"hf://{address.repository} cannot be reached or used: "
            f"{message(error).rstrip('.')}. Look at HF_TOKEN, at the name, and whether this "
            "machine reaches the hub."
        ) from error


def _upload(folder: Path, address: HubAddress, *, private: bool) -> None:
    with _hub(address) as hub:
        api = hub.HfApi()
        api.create_repo(address.repository, private=private, exist_ok=True)
        api.upload_folder(
            repo_id=address.repository,
            folder_path=folder,
            revision=address.revision,
            commit_message="Push a Strata bundle",
            delete_patterns=["*"],  # shards of an earlier bundle
        )


def _download(address: HubAddress, folder: Path) -> None:
    """Bring the manifest of a bundle, then what it lists, as far as the hub says that it is as large."""
    source, (repository, revision) = str(address), (address.repository, address.revision)
    with _hub(address) as hub:
        tree = hub.HfApi().list_repo_tree(repository, recursive=True, revision=revision)
        there = {entry.path: getattr(entry, "size", 0) for entry in tree}
        if there.get(MANIFEST, 0) > MOST_SETTINGS_BYTES:
            raise BundleError(f"{MANIFEST} of the bundle in {source} is too large for one.")
        hub.snapshot_download(
            repository, revision=revision, local_dir=folder, allow_patterns=[MANIFEST]
        )
    if not (folder / MANIFEST).is_file():
        raise BundleError(f"{source} holds no model bundle: there is no {MANIFEST} in it.")
    sizes = _sizes(source, read_manifest(folder, source=source))
    for name, size in sizes.items():
        if size is not None and there.get(name, 0) > size:
            raise BundleError(f"{name} of the bundle in {source} is not what it was when pushed.")
    with _hub(address) as hub:
        hub.snapshot_download(
            address.repository,
            revision=address.revision,
            local_dir=folder,
            allow_patterns=[*map(glob.escape, sizes)],
        )

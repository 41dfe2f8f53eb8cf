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
from core.model.bundle.shared_parts import FOLDER, checked_part, part_name, shared_with
from core.model.bundle.travelling import copy_arriving, replace_bundle, travelling_to

SCHEME = "hf://"
ADDRESS = re.compile(r"hf://([\w.-]{1,96}/[\w.-]{1,96})(?:@([\w./-]{1,128}))?")
# A bundle has no code in it; a hub may hold anything.
TAKEN = frozenset({".safetensors", ".json", ".jsonl", ".txt", ".gz"})

Listed = Mapping[str, Mapping[str, Any]]
"""Name in the repository -> its `sha256` and `bytes`, as a manifest has them."""


def repository_of(address: str) -> tuple[str, str | None]:
    """Return repository and revision of `hf://OWNER/NAME` or `hf://OWNER/NAME@REVISION`.

    Raises:
        BundleError: the address is malformed.
    """
    match = ADDRESS.fullmatch(address)
    if match is None:
        raise BundleError(
            f"{address} is no address on a model hub: write hf://OWNER/NAME, or "
            "hf://OWNER/NAME@REVISION."
        )
    return match[1], match[2]


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
        repository, revision = repository_of(target)
        with tempfile.TemporaryDirectory() as folder:
            sha256 = _lay_out(bundle, Path(folder))
            with _hub_api(repository) as api:
                api.create_repo(repository, private=private, exist_ok=True)
                api.upload_folder(
                    repo_id=repository,
                    folder_path=folder,
                    revision=revision,
                    commit_message="Push a Strata bundle",
                    delete_patterns=["*"],  # shards of an earlier bundle
                )
        return sha256
    place = Path(target)
    _check_replaceable(place)
    with travelling_to(place) as folder:
        (folder / "bundle").mkdir()
        sha256 = _lay_out(bundle, folder / "bundle")
        replace_bundle(folder / "bundle", place)
    return sha256


def _lay_out(bundle: Path, folder: Path) -> str:
    manifest = read_manifest(bundle)
    _listed(bundle, manifest)
    check_contents(bundle, manifest)
    for name in (MANIFEST, *manifest["files"]):
        shutil.copyfile(bundle / name, folder / name)
    for name, part in shared_with(manifest).items():
        (folder / FOLDER).mkdir(exist_ok=True)
        file = checked_part(bundle, name, part)
        shutil.copyfile(file, folder / FOLDER / part_name(name, part))
    (folder / CARD).write_text(card_of(bundle), encoding="utf-8")
    return identity(manifest)


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
        arrived.mkdir()
        _bring(source, arrived, {MANIFEST: MOST_SETTINGS_BYTES})
        if not (arrived / MANIFEST).is_file():
            raise BundleError(f"{source} holds no model bundle: there is no {MANIFEST} in it.")
        manifest = read_manifest(arrived, source=source)
        with BUNDLE.translated(DAMAGED, directory=source):
            listed = _listed(source, manifest)
            sizes = {name: int(facts["bytes"]) for name, facts in listed.items()}
        _bring(source, arrived, {CARD: MOST_SETTINGS_BYTES, **sizes})
        _check_arrived(arrived, listed, source)
        pulled_hash = identity(manifest)
        if not pulled_hash.startswith(sha256):
            raise BundleError(
                f"The bundle in {source} is {pulled_hash[:16]}, and {sha256[:16]} was asked for."
            )
        _settle(arrived, listed, target)
    return pulled_hash


def _listed(place: Path | str, manifest: Mapping[str, Any]) -> Listed:
    files, shared = manifest.get("files"), shared_with(manifest)
    if not isinstance(files, dict) or not files:
        raise damaged(place, f"{MANIFEST} lists no files")
    for name in (*files, *shared):
        if Path(name).name != name or Path(name).suffix not in TAKEN:
            raise damaged(place, f"{name} is no file of a bundle")
    return {**files, **{f"{FOLDER}/{part_name(n, part)}": part for n, part in shared.items()}}


def _bring(source: str, folder: Path, sizes: Mapping[str, int]) -> None:
    if not source.startswith(SCHEME):
        copy_arriving(Path(source), folder, sizes)
        return
    repository, revision = repository_of(source)
    with _hub_api(repository) as api:
        tree = api.list_repo_tree(repository, recursive=True, revision=revision)
        there = {entry.path: getattr(entry, "size", 0) for entry in tree}
        for name, size in sizes.items():
            if there.get(name, 0) > size:
                raise BundleError(f"{name} of the bundle in {source} is larger than it should be.")
        api.snapshot_download(
            repository,
            revision=revision,
            local_dir=folder,
            allow_patterns=[*map(glob.escape, sizes)],
        )


def _check_arrived(arrived: Path, listed: Listed, source: str) -> None:
    for name, facts in listed.items():
        if not (arrived / name).is_file():
            raise BundleError(f"The bundle in {source} is not whole: {name} is missing.")
        if checksum_of(arrived / name) != facts["sha256"]:
            raise BundleError(f"{name} of the bundle in {source} is not what it was when pushed.")


def _settle(arrived: Path, listed: Listed, target: Path) -> None:
    (target.parent / FOLDER).mkdir(exist_ok=True, parents=True)
    new = arrived.parent / "bundle"
    new.mkdir()
    for name in (*listed, MANIFEST, CARD):
        is_shared = name.startswith(f"{FOLDER}/")
        place = (target.parent if is_shared else new) / name
        if (arrived / name).is_file() and not place.is_file():
            (arrived / name).rename(place)
    replace_bundle(new, target)


def _check_replaceable(place: Path) -> None:
    if place.is_dir() and any(place.iterdir()) and not (place / MANIFEST).is_file():
        raise BundleError(f"{place} holds something else than a bundle: name another folder.")
    if place.exists() and not place.is_dir():
        raise BundleError(f"{place} is a file: name a folder.")


@contextmanager
def _hub_api(repository: str) -> Iterator[Any]:
    """The client of the hub; what goes wrong there is one sentence.

    The client reads `HF_TOKEN` and `HF_ENDPOINT` itself, and sends no counts of its use.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from httpx2 import HTTPError
    from huggingface_hub import HfApi, constants

    if constants.HF_HUB_OFFLINE:
        raise BundleError(
            f"hf://{repository} is not asked for, since HF_HUB_OFFLINE is set: run the "
            "command with HF_HUB_OFFLINE=0."
        )
    try:
        yield HfApi()
    except (HTTPError, OSError, ValueError) as error:
        raise BundleError(
            f"hf://{repository} cannot be reached or used: "
            f"{message(error).rstrip('.')}. Look at HF_TOKEN, at the name, and whether this "
            "machine reaches the hub."
        ) from error

"""Imported vocabularies in the home folder, a folder for each version."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from core.boundaries import VOCABULARY_FILES, VOCABULARY_RECORDS
from core.home import checksum_of, flush
from core.processes import without_garbage_collection
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.columnar import (
    read_concepts,
    read_head,
    read_ids,
    to_document,
)
from core.vocabulary.versions.identity import is_version_of, possible_ids

FOLDER = "vocabularies"
CONCEPTS = "concepts.json"
ABOUT = "about.json"
UNFINISHED = ".new-"  # begins the name of a version's folder until all of it is written
UNFINISHED_SECONDS = 3600.0
CANNOT_KEEP = (
    "The vocabulary cannot be kept in {folder} ({reason}); "
    "free some space there, or allow Strata to write."
)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class VersionKey:
    """A version of a vocabulary; `vocabulary_id` "" stands for the one in the model bundle."""

    vocabulary_id: str
    version: str


BUNDLED = VersionKey("", "")


@dataclass(frozen=True, slots=True)
class VocabularyVersion:
    """An imported version.

    Attributes:
        file_name, sha256: of the file that it was read from.
        report: what the reader found, as `core.vocabulary.report` has it.
    """

    vocabulary_id: str
    version: str
    file_name: str
    sha256: str
    imported_at: str
    report: dict[str, Any]

    @property
    def key(self) -> VersionKey:
        """What to take to use it."""
        return VersionKey(self.vocabulary_id, self.version)


class VocabularyVersions:
    """The imported vocabularies of one home folder; every change of a file is one step."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / FOLDER
        self._titles: tuple[object, dict[str, str]] = ((), {})
        # While somebody uses a version, others share it: 100,000 concepts take a second to read.
        self._loaded: WeakValueDictionary[tuple[Path, int], Hierarchy] = WeakValueDictionary()

    def entries(self) -> list[VocabularyVersion]:
        """Return what was imported, the oldest first; damaged folders are left out."""
        paths = sorted(self.folder.glob(f"*/*/{ABOUT}"))
        entries = [_about(path) for path in paths if not path.parent.name.startswith(UNFINISHED)]
        return sorted(
            (version for version in entries if version), key=lambda version: version.imported_at
        )

    def titles(self) -> dict[str, str]:
        """Return what files call their vocabularies, by id; the newest version that has a name counts.

        Of several with one name, all but the oldest are called by their ids as well.
        """
        stamps: list[tuple[Path, int]] = []
        for path in sorted(self.folder.glob(f"*/*/{ABOUT}")):
            with suppress(FileNotFoundError):  # an import that ends moves its folder meanwhile
                stamps.append((path, path.stat().st_mtime_ns))
        if self._titles[0] != stamps:
            self._titles = (stamps, self._read_titles())
        return self._titles[1]

    def _read_titles(self) -> dict[str, str]:
        titles: dict[str, str] = {}
        for entry in self.entries():
            if title := self._head(entry.key).get("title"):
                titles[entry.vocabulary_id] = title
        taken: set[str] = set()
        for vocabulary_id, title in titles.items():
            if title in taken:
                titles[vocabulary_id] = f"{title} ({vocabulary_id})"
            taken.add(title)
        return titles

    def entry(self, choice: VersionKey) -> VocabularyVersion | None:
        """Return the entry of this version."""
        return next((version for version in self.entries() if version.key == choice), None)

    def add(
        self, hierarchy: Hierarchy, *, file_name: str, sha256: str, report: dict[str, Any]
    ) -> VocabularyVersion:
        """Keep a vocabulary that was read; another file that states a version that is there
        already gets its checksum added to the version, and another vocabulary than the one that has
        its id already an id of its own.

        Raises:
            VocabularyError: it cannot be written.
        """
        vocabulary_id, version = self._own_id(hierarchy), hierarchy.version
        there = self.entry(VersionKey(vocabulary_id, version))
        if there is not None and there.sha256 != sha256:
            version = f"{version} ({sha256[:8]})"
        moment = datetime.now(UTC).isoformat(timespec="microseconds")
        entry = VocabularyVersion(vocabulary_id, version, file_name, sha256, moment, {**report})
        with VOCABULARY_FILES.translated(CANNOT_KEEP, folder=self.folder):
            self._write(entry, hierarchy)
        return entry

    def load(self, choice: VersionKey) -> Hierarchy:
        """Return the concepts of an imported version.

        Raises:
            VocabularyError: it was not imported, or is damaged.
        """
        path = self._concepts(choice)
        with (
            VOCABULARY_FILES.translated("{path} cannot be read: {reason}.", path=path),
            VOCABULARY_RECORDS.translated(
                "{path} is damaged ({reason}); import the file again.", path=path
            ),
        ):
            key = path, path.stat().st_mtime_ns
            hierarchy = self._loaded.get(key)
            if hierarchy is None:
                hierarchy = self._loaded[key] = _hierarchy(path, choice)
            return hierarchy

    def is_kept(self, choice: VersionKey, hierarchy: Hierarchy) -> bool:
        """Return whether a hierarchy was read from the file of a version, as it is now."""
        try:
            return hierarchy.checksum == checksum_of(self._concepts(choice))
        except OSError:
            return False

    def place(self, choice: VersionKey) -> Path:
        """Return the folder of a version, imported or not."""
        return self.folder / folder_name(choice.vocabulary_id) / folder_name(choice.version)

    def _concepts(self, choice: VersionKey) -> Path:
        return self.place(choice) / CONCEPTS

    def _own_id(self, hierarchy: Hierarchy) -> str:
        stored: dict[str, list[VersionKey]] = {}
        for entry in self.entries():
            stored.setdefault(entry.vocabulary_id, []).append(entry.key)
        return next(
            vocabulary_id
            for vocabulary_id in possible_ids(hierarchy)
            if vocabulary_id not in stored
            or any(is_version_of(self._head(key), hierarchy) for key in stored[vocabulary_id])
        )

    def stored_ids(self, hierarchy: Hierarchy) -> dict[str, str]:
        """Return the id of each concept by its URI in the versions that a vocabulary is one of.

        Of several the newest counts, and each id is there once. Damaged versions say nothing.
        """
        vocabulary_id, ids = self._own_id(hierarchy), dict[str, str]()
        for entry in reversed(self.entries()):
            stored: dict[str, str] = {}
            if entry.vocabulary_id == vocabulary_id:
                with suppress(*VOCABULARY_FILES.errors, *VOCABULARY_RECORDS.errors):
                    stored = read_ids(self._concepts(entry.key))
            taken = {*ids.values()}
            ids |= {u: i for u, i in stored.items() if u not in ids and i not in taken}
        return ids

    def largest_bytes(self) -> int:
        """Return the size of the largest file of concepts, of which `stored_ids` may read several."""
        sizes = [0]
        for path in self.folder.glob(f"*/*/{CONCEPTS}"):
            with suppress(OSError):
                sizes.append(path.stat().st_size)
        return max(sizes)

    def _head(self, choice: VersionKey) -> dict[str, Any]:
        """Return what is stored of a version beside its concepts; nothing of a damaged one."""
        try:
            head = read_head(self._concepts(choice))
        except (OSError, ValueError):
            return {}
        return head if isinstance(head, dict) else {}

    def _write(self, entry: VocabularyVersion, hierarchy: Hierarchy) -> None:
        """Write a version so that whoever ends this process leaves the old one or the new one.

        One that is there already stays where it is, and its files are replaced one by one: the
        concepts first, which are the same unless a newer reader made them.
        """
        place = self.place(entry.key)
        place.parent.mkdir(parents=True, exist_ok=True)
        _clear_unfinished(place.parent)
        new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=place.parent))
        try:
            _write_through(new / CONCEPTS, to_document(hierarchy))
            _write_through(new / ABOUT, json.dumps(asdict(entry), ensure_ascii=False))
            if place.exists():
                (new / CONCEPTS).replace(place / CONCEPTS)
                (new / ABOUT).replace(place / ABOUT)
            else:
                new.replace(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def _clear_unfinished(folder: Path) -> None:
    """Remove what writers that were killed have left; one that still writes is younger."""
    for path in folder.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > UNFINISHED_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _write_through(path: Path, text: str) -> None:
    """Write a file as far as the disk, so that no power cut leaves a name without its text."""
    path.write_text(text, "utf-8")
    flush(path)


def _hierarchy(path: Path, choice: VersionKey) -> Hierarchy:
    with without_garbage_collection():
        header, concepts, checksum = read_concepts(path)
        hierarchy = Hierarchy(
            concepts,
            vocabulary_id=choice.vocabulary_id,
            version=choice.version,
            uri_base=header["uri_base"],
            scheme_uri=header.get("scheme_uri", ""),
            title=header.get("title", ""),
        )
        hierarchy.checksum = checksum
        return hierarchy


def _about(path: Path) -> VocabularyVersion | None:
    try:
        return VocabularyVersion(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def folder_name(text: str) -> str:
    """Return the text where it is a safe name for a folder, or else as near to it as can be."""
    safe = _UNSAFE.sub("_", text)[:80]
    if safe == text and safe.strip("."):
        return safe
    return f"{safe.strip('.') or 'v'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"

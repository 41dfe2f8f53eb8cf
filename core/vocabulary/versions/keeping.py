"""Keeps a vocabulary that was read, with its search index, so that it opens at once."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.boundaries import VOCABULARY_FILES
from core.errors import VocabularyError
from core.home import working_on
from core.paths import PROJECT_ROOT
from core.processes import environment, without_garbage_collection
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.readers import BUILT_IN, comes_by_itself
from core.vocabulary.reading import code_systems
from core.vocabulary.search.index_file import SUFFIX, write_index
from core.vocabulary.versions.columnar import content_checksum
from core.vocabulary.versions.identity import with_stored_ids
from core.vocabulary.versions.prepared import PREPARED, copy_prepared
from core.vocabulary.versions.vocabulary_versions import (
    CANNOT_KEEP,
    VersionKey,
    VocabularyVersion,
    VocabularyVersions,
    folder_name,
)

_LOG = logging.getLogger(__name__)

MOST_SECONDS = 1_800  # ten seconds on an idle machine; minutes on one that does much else


def index_path(home: Path, hierarchy: Hierarchy) -> Path:
    """Return where the search index of a vocabulary lies.

    By its contents, too: a model may have been trained with less than was imported as this version,
    and projects may use both.
    """
    names = (folder_name(hierarchy.vocabulary_id), folder_name(hierarchy.version))
    stamp = content_checksum(hierarchy)[:8]
    return home / "search" / f"{'.'.join(names)}.{stamp}{SUFFIX}"


def keep(
    versions: VocabularyVersions,
    hierarchy: Hierarchy,
    *,
    file_name: str,
    sha256: str,
    report: Mapping[str, Any],
) -> VocabularyVersion:
    """Keep a vocabulary, and write its search index and, of codes, that of its names.

    Concepts keep the ids that an earlier version has for their URIs.

    Raises:
        VocabularyError: it cannot be written.
    """
    # A server that starts, perhaps as the one that asked for this was killed, clears nothing of it.
    with (
        VOCABULARY_FILES.translated(CANNOT_KEEP, folder=versions.folder),
        working_on(versions.home),
        without_garbage_collection(),
    ):
        hierarchy = with_stored_ids(hierarchy, versions.stored_ids(hierarchy))
        entry = versions.add(hierarchy, file_name=file_name, sha256=sha256, report={**report})
        hierarchy.vocabulary_id, hierarchy.version = entry.vocabulary_id, entry.version
        write_index(hierarchy, index_path(versions.home, hierarchy))
        if conventions_of(hierarchy.vocabulary_id).lexical:
            code_systems().write_names(hierarchy, versions.home)
    return entry


def keep_built_in(versions: VocabularyVersions, vocabulary_id: str) -> VocabularyVersion:
    """Keep a vocabulary that comes with a package, unless it is there.

    Reading it takes some seconds and 200 MB, which another process takes and gives back, unless it
    was prepared with the installation.

    Raises:
        VocabularyError: there is no such one, or it cannot be read or kept.
    """
    entry = built_in_version(versions, vocabulary_id)
    if entry is not None:
        return entry
    key = VersionKey(vocabulary_id, BUILT_IN[vocabulary_id].release())
    is_copied = copy_prepared(versions, key, PREPARED)
    problem = "" if is_copied else _bring(versions, vocabulary_id)
    entry = built_in_version(versions, vocabulary_id)
    if entry is None:
        raise VocabularyError(problem)
    # What it did not come to, such as the index of names, is written where it is first needed.
    return entry


def kept_or_prepared(versions: VocabularyVersions, vocabulary_id: str) -> bool:
    """Return whether a vocabulary that comes with a package was kept, or prepared to be copied."""
    try:
        return any(
            built_in_version(v, vocabulary_id) for v in (versions, VocabularyVersions(PREPARED))
        )
    except VocabularyError:
        return False


def _bring(versions: VocabularyVersions, vocabulary_id: str) -> str:
    """Let another process keep it; what to say where it is not there afterwards."""
    command = [sys.executable, "-m", "core", "vocabulary", vocabulary_id, "--import", "--json"]
    try:
        versions.home.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            command,
            cwd=PROJECT_ROOT,
            env={**environment(), "STRATA_HOME": str(versions.home.resolve())},
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        _LOG.warning("%s was not kept to the end", vocabulary_id, exc_info=True)
        return f"{vocabulary_id} could not be kept in {versions.home} ({exc})."
    reason = done.stderr.strip().splitlines()[-1:] or [f"it ended with {done.returncode}"]
    if done.returncode:
        _LOG.warning("%s was not kept to the end", vocabulary_id)
    return f"{vocabulary_id} could not be kept: {reason[0]}"


def built_in_version(versions: VocabularyVersions, vocabulary_id: str) -> VocabularyVersion | None:
    """Return the version that the package brings, where it was kept.

    Raises:
        VocabularyError: there is no such one, or its package is not installed.
    """
    if vocabulary_id not in BUILT_IN:
        raise VocabularyError(f"{vocabulary_id} is not built in; these are: {', '.join(BUILT_IN)}.")
    return versions.entry(VersionKey(vocabulary_id, BUILT_IN[vocabulary_id].release()))


def checksum(contents: Sequence[bytes]) -> str:
    """Of the files that a vocabulary was read from."""
    digest = hashlib.sha256(contents[0] if contents else b"")
    for content in contents[1:]:
        digest.update(b"\0" + content)
    return digest.hexdigest()


def whole_vocabulary(vocabulary_id: str, home: Path) -> Hierarchy:
    """Return all codes of a system, of which a model may have seen only some.

    That is the one that was imported last; a built-in one is kept in the home folder the first
    time, which takes a minute.

    Raises:
        VocabularyError: it was not imported and is not built in, or cannot be read or kept.
    """
    versions = VocabularyVersions(home)
    entries = [entry for entry in versions.entries() if entry.vocabulary_id == vocabulary_id]
    if entries:
        return versions.load(entries[-1].key)
    if not comes_by_itself(vocabulary_id):
        source = vocabulary_id if vocabulary_id in BUILT_IN else "FILE"
        raise VocabularyError(
            f"{vocabulary_id} is not imported: python -m core vocabulary {source} --import."
        )
    return versions.load(keep_built_in(versions, vocabulary_id).key)

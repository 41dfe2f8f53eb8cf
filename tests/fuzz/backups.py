"""Backups with something changed inside, whose checksums are right: somebody made them so."""

from __future__ import annotations

import hashlib
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from core.errors import StrataError
from core.paths import PROJECT_ROOT
from core.review.reports.summaries import list_documents
from core.review.store import schema
from core.review.store.backup_file import MANIFEST
from core.review.store.copying import sums
from core.review.store.restore import read_backup
from core.review.store.store import Store
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.backups import changed, manifest_of
from tests.support.stores import empty_store

Reader = Callable[[Path, bytes], object]
PREFIX = "backup-"
BACKUP = PROJECT_ROOT / "tests" / "golden" / "backup.zip"  # the same bytes at every run


def backups() -> Iterator[tuple[str, bytes, Reader]]:
    """Yield the name, the content and the reader of a backup, and of each file in one."""
    yield "backup.zip", BACKUP.read_bytes(), _restore
    with ZipFile(BACKUP) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, content in members.items():
        yield f"{PREFIX}{name.rpartition('/')[2]}", content, _with_member(name)


def _with_member(name: str) -> Reader:
    def restore(path: Path, content: bytes) -> object:
        whole = BACKUP.read_bytes()
        packed = changed(whole, name, content).getvalue()
        if name != MANIFEST:
            manifest: dict[str, Any] = manifest_of(whole)
            manifest["sha256"][name] = hashlib.sha256(content).hexdigest()
            packed = changed(packed, MANIFEST, json.dumps(manifest).encode()).getvalue()
        return _restore(path, packed)

    return restore


def _restore(path: Path, content: bytes) -> object:
    """Restore a backup over an empty installation, which stays as it is where that is refused.

    Raises:
        StrataError: it is refused.
    """
    home = path.parent
    live = home / "strata.sqlite"
    live.write_bytes(empty_store().read_bytes())
    url = f"sqlite:///{live}"
    try:
        read_backup(io.BytesIO(content), database_url=url, home=home)
    except StrataError:
        with closing(sqlite3.connect(live)) as connection:
            assert connection.execute("SELECT count(*) FROM document").fetchone() == (0,)
        assert not (home / "vocabularies").exists()
        raise
    assert schema.examine(live)[0] == []
    versions = VocabularyVersions(home)
    loaded = [versions.load(entry.key) for entry in versions.entries()]
    with closing(Store.open(url)) as store:
        list_documents(store, 1)
        with store.read() as connection:
            return loaded, sums(connection)

"""What was prepared with the installation, so that nobody waits for it.

`make install` and the image make it by commands with `STRATA_HOME=prepared`: a home of its own, from
which a built-in vocabulary with its indexes is copied, and the search index of the bundled one.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from core.home import working_on, written_beside
from core.paths import PROJECT_ROOT
from core.vocabulary.versions.vocabulary_versions import (
    UNFINISHED,
    VersionKey,
    VocabularyVersions,
    folder_name,
)

PREPARED = PROJECT_ROOT / "prepared"
_LOG = logging.getLogger(__name__)


def copy_prepared(versions: VocabularyVersions, key: VersionKey, prepared: Path) -> bool:
    """Copy a version and its indexes into a home; return whether it was there to be copied.

    What cannot be copied is made as if nothing was prepared, and an index of another format is
    written anew when it is opened.
    """
    source = VocabularyVersions(prepared)
    if source.entry(key) is None:
        return False
    try:
        with working_on(versions.home):
            begin = f"{folder_name(key.vocabulary_id)}.{folder_name(key.version)}."
            for path in sorted((prepared / "search").glob(f"{begin}*")):
                _copy_file(path, versions.home / "search" / path.name)
            _copy_version(source.place(key), versions.place(key))
    except OSError:
        _LOG.warning("a vocabulary was not copied as it was prepared", exc_info=True)
        return False
    return True


def copy_index(path: Path, prepared: Path) -> None:
    """Copy the index of this name, where it was prepared and is not there yet."""
    source = prepared / "search" / path.name
    if source.is_file() and not path.exists():
        with suppress(OSError):  # then it is made
            _copy_file(source, path)


def _copy_file(source: Path, target: Path) -> None:
    with written_beside(target, suffix=".new") as new:
        shutil.copyfile(source, new)


def _copy_version(source: Path, target: Path) -> None:
    """Copy a version in one step: whoever looks meanwhile sees none or all of it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=target.parent))
    try:
        for path in sorted(source.iterdir()):
            shutil.copyfile(path, new / path.name)
        new.replace(target)
    finally:
        shutil.rmtree(new, ignore_errors=True)

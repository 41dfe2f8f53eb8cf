"""Importing a vocabulary in the background: a thread that reads and keeps it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.boundaries import VOCABULARY_FILES
from core.errors import StrataError
from core.home import staging
from core.vocabulary.bounded import read_bounded
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import (
    CANNOT_KEEP,
    VocabularyVersion,
    VocabularyVersions,
)

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far the import is.

    Attributes:
        stage: "" before the first one, "reading", "keeping", "done" or "failed".
        share: of the file that was read, in [0, 1].
        problem: a sentence where it failed; nothing was imported.
        entry: what was imported.
    """

    stage: str = ""
    file_name: str = ""
    share: float = 0.0
    problem: str = ""
    entry: VocabularyVersion | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return self.stage in {"reading", "keeping"}


class Importer:
    """Imports one vocabulary at a time; any thread may read its progress."""

    def __init__(self, versions: VocabularyVersions) -> None:
        self.versions = versions
        self.state = ImportState()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def start_files(self, contents: Mapping[str, bytes]) -> bool:
        """Begin with files that are read as one vocabulary, by their names.

        Returns:
            False where another vocabulary is still being read.
        """
        names = ", ".join(contents)
        return self._start(names, lambda: self._files(contents))

    def start_built_in(self, vocabulary_id: str, name: str) -> bool:
        """Begin with a vocabulary that comes with a package; `name` is what people call it."""
        return self._start(name, lambda: keep_built_in(self.versions, vocabulary_id))

    def _start(self, name: str, bring: Callable[[], VocabularyVersion]) -> bool:
        with self._starting:
            if self.state.is_running:
                return False
            self.state = ImportState("reading", name)
            self._thread = threading.Thread(
                target=self._run, args=(name, bring), name="vocabulary import", daemon=True
            )
            self._thread.start()
            return True

    def wait(self, seconds: float) -> None:
        """Wait until the import is over, or so long."""
        if self._thread is not None:
            self._thread.join(seconds)

    def forget(self) -> None:
        """Take the last result off the page."""
        if not self.state.is_running:
            self.state = ImportState()

    def _run(self, name: str, bring: Callable[[], VocabularyVersion]) -> None:
        try:
            self.state = ImportState("done", name, 1.0, entry=bring())
        except StrataError as error:
            _LOG.warning("a vocabulary was not imported", exc_info=True)
            self.state = ImportState("failed", name, problem=str(error))
        except (OSError, MemoryError) as error:
            _LOG.exception("a vocabulary was not imported")
            problem = f"{name} cannot be imported ({error!r})."
            self.state = ImportState("failed", name, problem=problem)
        finally:
            if self.state.is_running:  # an error that nobody expected goes to the log
                problem = f"{name} cannot be imported. Look into the log, or give another file."
                self.state = ImportState("failed", name, problem=problem)

    def _files(self, contents: Mapping[str, bytes]) -> VocabularyVersion:
        kept_in = self.versions.folder
        with (
            VOCABULARY_FILES.translated(CANNOT_KEEP, folder=kept_in),
            staging(self.versions.home) as own_files,
        ):
            folder = own_files / "files"  # whose names are not ours
            folder.mkdir()
            paths = [folder / (Path(name).name or "vocabulary") for name in contents]
            for path, content in zip(paths, contents.values(), strict=True):
                path.write_bytes(content)
            try:
                return self._import(paths)
            except StrataError as error:
                raise type(error)(str(error).replace(f"{folder}{os.sep}", "")) from error

    def _import(self, paths: list[Path]) -> VocabularyVersion:
        names = ", ".join(path.name for path in paths)

        def show(stage: str, share: float) -> None:
            self.state = ImportState(stage, names, share)

        entry = read_bounded(paths, home=self.versions.home, on_stage=show).entry
        assert entry is not None
        return entry

"""Importing a SKOS file in the background: a thread that reads it and puts it on the shelf."""

from __future__ import annotations

import hashlib
import logging
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from core.errors import StrataError
from core.vocabulary.report import report
from core.vocabulary.shelf import Shelf, ShelfEntry
from core.vocabulary.skos import read_skos

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ImportState:
    """How far the import is.

    Attributes:
        stage: "" before the first one, "reading", "keeping", "done" or "failed".
        share: of the file that was read, in [0, 1].
        problem: a sentence where it failed; the shelf is as it was.
        entry: what was imported.
    """

    stage: str = ""
    file_name: str = ""
    share: float = 0.0
    problem: str = ""
    entry: ShelfEntry | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is more to come."""
        return self.stage in {"reading", "keeping"}


class Importer:
    """Imports one file at a time; what it does can be looked at from any thread."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.state = ImportState()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, file_name: str, content: bytes) -> bool:
        """Begin; False where another file is still being read."""
        with self._starting:
            if self.state.is_running:
                return False
            self.state = ImportState("reading", file_name)
            self._thread = threading.Thread(
                target=self._run, args=(file_name, content), name="vocabulary import", daemon=True
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

    def _run(self, file_name: str, content: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="strata-import-") as folder:
            path = Path(folder) / (Path(file_name).name or "vocabulary")
            try:
                path.write_bytes(content)
                self.state = ImportState("done", file_name, 1.0, entry=self._import(path, content))
            except StrataError as error:
                _LOG.warning("%s was not imported", file_name, exc_info=True)
                sentence = str(error).replace(str(path), path.name)
                self.state = ImportState("failed", file_name, problem=sentence)
            except (OSError, MemoryError) as error:
                _LOG.exception("%s was not imported", file_name)
                sentence = f"{path.name} cannot be imported ({error!r})."
                self.state = ImportState("failed", file_name, problem=sentence)

    def _import(self, path: Path, content: bytes) -> ShelfEntry:
        def progress(share: float) -> None:
            self.state = ImportState("reading", path.name, share)

        started = time.perf_counter()
        reading = read_skos(path, on_progress=progress)
        self.state = ImportState("keeping", path.name, 1.0)
        return self.shelf.add(
            reading.hierarchy,
            file_name=path.name,
            sha256=hashlib.sha256(content).hexdigest(),
            report=report(reading, seconds=time.perf_counter() - started),
        )

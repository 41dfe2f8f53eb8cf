"""What another process that looks through texts is to those that ask it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from core.documents.document import Document
from core.suggest.cold_start.finished import TextReader
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import VersionKey


class CodesOf(Suggester, Protocol):
    """What suggests codes, by their names and by a model where there is one."""

    def denied(self, document: Document) -> Collection[str]:
        """Return the codes that a document names only to deny them."""
        ...


class Texts(Protocol):
    """Another process that looks through texts."""

    def read_ahead(self, vocabulary: VersionKey, home: Path) -> None:
        """Read the names of codes of a version that is about to be asked for."""
        ...

    def codes_of(
        self,
        model: Suggester | None,
        hierarchy: Hierarchy,
        home: Path,
        *,
        bundle_dir: Path | None = None,
    ) -> CodesOf:
        """Return what ranks the codes that a text names, beside a model where there is one."""
        ...

    def reader(self, hierarchy: Hierarchy | None, language: str) -> TextReader:
        """Return what looks for labels; of no vocabulary, what a text is about alone."""
        ...

"""The process of the models with invented ones: `python -m tests.support.models.remote_worker`."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.documents.document import Document
from core.errors import BundleError
from core.suggest.remote.worker import run
from core.suggest.suggestions import Prediction
from tests.support.fakes import EmptySuggester, FakePredictor, hierarchy
from tests.support.named_codes import named_codes

MODULE = "tests.support.models.remote_worker"
FATAL, FATAL_ONCE, FOREIGN = "fatal", "fatal once", "foreign"  # ids of documents
ENDLESS = "endless"


class ForeignError(Exception):
    """One that a library raises, and the server has not imported."""


class FragilePredictor(FakePredictor):
    """Ends its process when it reads some documents."""

    def __init__(self, directory: Path) -> None:
        version = int((directory / "version").read_text())
        super().__init__(hierarchy(), version=version)
        self.mark = directory / "was here"

    def suggest(self, document: Document, **how: object) -> Prediction:
        if document.document_id == FOREIGN:
            raise ForeignError("strange")
        if document.document_id == ENDLESS:  # and no other thread of the process runs meanwhile
            re.match(r"(a+)+b", "a" * 60)
        is_first = not self.mark.exists()
        self.mark.touch()
        if document.document_id == FATAL or (document.document_id == FATAL_ONCE and is_first):
            os._exit(3)
        return super().suggest(document, **how)  # type: ignore[arg-type]


def load(directory: Path) -> FakePredictor | EmptySuggester:
    """Return what stands in for a bundle, by the name of its folder."""
    match directory.name:
        case "damaged":
            raise BundleError(f"{directory.name} is damaged.")
        case "empty":
            return EmptySuggester(hierarchy())
        case "codes":
            return FakePredictor(named_codes())
    return FragilePredictor(directory)


if __name__ == "__main__":
    run(load)

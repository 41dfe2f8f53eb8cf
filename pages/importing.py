"""Many documents taken in at once, in a thread of its own, so that the page stays free.

What is stored is safe at once; the model reads it afterwards, as a job that survives a restart.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.documents.batch import BatchDocument
from core.documents.language import EU_LANGUAGES, identify_language
from core.documents.records import BadLine
from core.errors import StrataError
from pages.serving import Workplace

_LOG = logging.getLogger(__name__)

MODEL_LANGUAGE = "en"


@dataclass(slots=True)
class Import:
    """How far the taking in of a batch is, and what came of it.

    Attributes:
        total: rows or files, the bad ones among them.
        added: ids of the new documents.
        n_here: documents that were on the list already, and stayed as they are.
        restored: ids of those that came back from the bin.
        unknown: names of concepts that the vocabulary does not have, with their number of rows.
        languages: how many documents are in a language that the model did not learn.
        problem: why it stopped early.
    """

    name: str
    total: int
    done: int = 0
    added: list[str] = field(default_factory=list)
    n_here: int = 0
    restored: list[str] = field(default_factory=list)
    n_given: int = 0
    bad: list[BadLine] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    problem: str | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def first(self) -> str | None:
        """The document to open."""
        return next(iter([*self.added, *self.restored]), None)


def start_import(
    shared: Workplace, name: str, total: int, documents: Iterable[BatchDocument | BadLine]
) -> Import:
    """Begin to take documents in; `Import.stopped` ends it early, and keeps what is there."""
    taken = Import(name, total)
    thread = threading.Thread(target=_run, args=(shared, taken, documents), daemon=True)
    thread.start()
    return taken


def _run(shared: Workplace, taken: Import, documents: Iterable[BatchDocument | BadLine]) -> None:
    try:
        store, project_id = shared.store(), shared.project_id()
        in_bin = {one.document_id for one in store.documents(project_id, removed=True)}
        for item in documents:
            if taken.stopped.is_set():
                break
            if isinstance(item, BadLine):
                taken.bad.append(item)
            else:
                _take(shared, taken, item, in_bin)
            taken.done += 1
        shared.predict([*taken.added, *taken.restored])
    except StrataError as error:
        _LOG.exception("%s could not be taken in", taken.name)
        taken.problem = str(error)
    finally:
        taken.finished.set()


def _take(shared: Workplace, taken: Import, item: BatchDocument, in_bin: set[str]) -> None:
    """Store a document, unless its text is here already."""
    store, project_id = shared.store(), shared.project_id()
    taken.unknown.update(item.unknown)
    here = store.find_same_text(item.document, project_id)
    if here is None:
        added = store.add_document(
            item.document, project_id=project_id, given=item.given, batch=taken.name
        )
        taken.added.append(added)
        taken.n_given += len(item.given)
        language = identify_language(item.document.text or item.document.title)
        if language not in (None, MODEL_LANGUAGE):
            taken.languages[EU_LANGUAGES[str(language)]] += 1
    elif here in in_bin:
        store.restore_document(here)
        in_bin.discard(here)
        taken.restored.append(here)
    else:
        taken.n_here += 1

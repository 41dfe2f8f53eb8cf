"""Many documents taken in at once, in a thread of its own, so that the page stays free.

What is stored is safe at once; the model reads it afterwards, as a job that survives a restart.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from core.documents.batches.document_batch import BatchDocument
from core.documents.language import EU_LANGUAGES, identify_language
from core.documents.rows.records import BadLine
from core.errors import StrataError
from core.review.store.arrivals import ADDED, RESTORED, Arrival, add_documents
from core.serving.session import Session

_LOG = logging.getLogger(__name__)

MODEL_LANGUAGE = "en"
NOT_TAKEN = (
    "Some documents could not be taken in; those before them are there. Look into the log, or add the "
    "others one by one."
)
AT_ONCE = 25  # in one transaction; a file or row more makes nobody wait


@dataclass(slots=True)
class Import:
    """How far the taking in of a batch is, and what came of it.

    Attributes:
        total: rows or files, the bad ones among them.
        added: ids of the new documents.
        n_here: documents that were on the list already, and stayed as they are.
        restored: ids of those that came back from the bin.
        renamed: the id that a new document came with, and the one that it got, since another
            document has that or it is too long.
        unknown: names of concepts that the vocabulary does not have, with their number of rows.
        languages: how many documents are in a language that the model did not learn.
        said: sentences about documents, with the number of those that they are about.
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
    renamed: list[tuple[str, str]] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    said: Counter[str] = field(default_factory=Counter)
    problem: str | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def first(self) -> str | None:
        """The document to open."""
        return next(iter([*self.added, *self.restored]), None)


def start_import(
    session: Session,
    name: str,
    total: int,
    documents: Iterable[BatchDocument | BadLine],
    *,
    at_once: int = AT_ONCE,
) -> Import:
    """Begin to take documents in; `Import.stopped` ends it early, and keeps what is there.

    Args:
        at_once: documents in one transaction; 1 where each of them takes seconds to come.
    """
    taken = Import(name, total)
    thread = threading.Thread(target=_run, args=(session, taken, documents, at_once), daemon=True)
    thread.start()
    return taken


def _run(
    session: Session, taken: Import, documents: Iterable[BatchDocument | BadLine], at_once: int
) -> None:
    is_complete = False
    try:
        items = iter(documents)
        project_id = session.project_id()  # another may be opened before the last row
        while not taken.stopped.is_set() and (some := list(islice(items, at_once))):
            _take(session, taken, some, project_id)
            taken.done += len(some)
        session.predict([*taken.added, *taken.restored])
    except StrataError as error:
        _LOG.exception("documents could not be taken in")
        taken.problem = str(error)
    else:
        is_complete = True
    finally:
        if not is_complete and taken.problem is None:  # what nobody expected goes to the log
            taken.problem = NOT_TAKEN
        taken.finished.set()


def _take(
    session: Session, taken: Import, items: list[BatchDocument | BadLine], project_id: int
) -> None:
    """Store some documents, unless their text is here already, and note what became of them."""
    taken.bad += [item for item in items if isinstance(item, BadLine)]
    good = [item for item in items if isinstance(item, BatchDocument)]
    taken.bad += [note for item in good for note in item.left_out]
    arrivals = [Arrival(item.document, item.given) for item in good]
    outcomes = add_documents(session.store(), arrivals, project_id=project_id, batch=taken.name)
    for item, outcome in zip(good, outcomes, strict=True):
        taken.unknown.update(item.unknown)
        if outcome.kind == ADDED:
            taken.added.append(outcome.document_id)
            taken.n_given += len(item.given)
            taken.said.update(item.said)
            wanted = item.document.document_id
            if wanted.strip() and wanted != outcome.document_id:
                taken.renamed.append((wanted, outcome.document_id))
            _note_language(taken, item)
        elif outcome.kind == RESTORED:
            taken.restored.append(outcome.document_id)
        else:
            taken.n_here += 1


def _note_language(taken: Import, item: BatchDocument) -> None:
    language = identify_language(item.document.text or item.document.title)
    if language not in (None, MODEL_LANGUAGE):
        taken.languages[EU_LANGUAGES[str(language)]] += 1

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

from core.documents.act_numbers import number_of
from core.documents.batches.document_batch import BatchDocument
from core.documents.language import EU_LANGUAGES, identify_language
from core.documents.rows.records import BadLine
from core.errors import StrataError
from core.review.store.arrivals import (
    ADDED,
    RESTORED,
    Arrival,
    ArrivalOutcome,
    add_documents,
    documents_by_number,
)
from core.serving.arriving import LikeDocument, like_of
from core.serving.session import Session

_LOG = logging.getLogger(__name__)

MODEL_LANGUAGE = "en"
NOT_TAKEN = (
    "Some documents could not be taken in; those before them are there. Look into the log, or add the "
    "others one by one."
)
KEEPS_CONCEPTS = (
    "Finished before, so that the concepts in the file were left out. Reopen it to add them."
)
AT_ONCE = 25  # in one transaction; a file or row more makes nobody wait


@dataclass(slots=True)
class Import:
    """How far the taking in of a batch is, and what came of it.

    Attributes:
        total: rows or files, the bad ones among them.
        added: ids of the new documents.
        here: where documents came from that were on the list already, and the ids of these.
        restored: ids of those that came back from the bin.
        like: new documents, with others that have the same text or number.
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
    here: list[tuple[str, str]] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    n_given: int = 0
    bad: list[BadLine] = field(default_factory=list)
    like: list[tuple[str, LikeDocument]] = field(default_factory=list)
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
        arriving = _Arriving(session)
        while not taken.stopped.is_set() and (some := list(islice(items, at_once))):
            arriving.take(taken, some)
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


class _Arriving:
    """Stores the documents of an upload in a project, and knows those that came with it before."""

    def __init__(self, session: Session) -> None:
        self.store = session.store()
        self.project_id = session.project_id()  # another may be opened before the last row
        self.taken: set[str] = set()
        self.numbers = documents_by_number(self.store, self.project_id)

    def take(self, taken: Import, items: list[BatchDocument | BadLine]) -> None:
        """Store some documents, unless they are here already, and note what became of them."""
        taken.bad += [item for item in items if isinstance(item, BadLine)]
        good = [item for item in items if isinstance(item, BatchDocument)]
        taken.bad += [note for item in good for note in item.left_out]
        arrivals = [Arrival(item.document, item.given, item.comment) for item in good]
        outcomes = add_documents(
            self.store, arrivals,
            project_id=self.project_id, batch=taken.name, taken=self.taken,
        )  # fmt: skip
        for item, outcome in zip(good, outcomes, strict=True):
            taken.unknown.update(item.unknown)
            taken.n_given += outcome.n_given
            taken.said.update([KEEPS_CONCEPTS] if outcome.keeps_concepts else [])
            if outcome.kind == ADDED:
                self._note_added(taken, item, outcome)
            elif outcome.kind == RESTORED:
                taken.restored.append(outcome.document_id)
            else:
                taken.here.append((item.where, outcome.document_id))

    def _note_added(self, taken: Import, item: BatchDocument, outcome: ArrivalOutcome) -> None:
        document_id, wanted = outcome.document_id, item.document.document_id.strip()
        taken.added.append(document_id)
        taken.said.update(item.said)
        if wanted and wanted != document_id:
            taken.renamed.append((wanted, document_id))
        number = number_of(wanted, item.document.title)
        like = like_of(outcome.same_text, number, self.numbers)
        if like is not None:
            taken.like.append((document_id, like))
        if number:
            self.numbers.setdefault(number, document_id)
        _note_language(taken, item)


def _note_language(taken: Import, item: BatchDocument) -> None:
    language = identify_language(item.document.text or item.document.title)
    if language not in (None, MODEL_LANGUAGE):
        taken.languages[EU_LANGUAGES[str(language)]] += 1

"""Documents taken in: one for a person who waits, or many in a thread, so that the page stays free.

What is stored is safe at once; the model reads it afterwards, as a job that survives a restart: what
comes after it joins that job, so that nothing waits for the end of an import that may not come.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from core.documents.act_numbers import number_of
from core.documents.batches.document_batch import BatchDocument
from core.documents.document import Document
from core.documents.language import EU_LANGUAGES, identify_language
from core.documents.rows.records import BadLine
from core.errors import StrataError
from core.model.bundle.cards import BundleCard
from core.review.reports.summaries import named_documents
from core.review.store.arrivals import (
    ADDED,
    HERE,
    RESTORED,
    Arrival,
    ArrivalOutcome,
    add_document,
    add_documents,
    documents_by_number,
    find_same,
    find_same_text,
)
from core.review.store.store import Store
from core.roles import Right
from core.serving.session import Session, read_in_background
from core.vocabulary.conventions import conventions_of

_LOG = logging.getLogger(__name__)

MODEL_LANGUAGE = "en"  # where the bundle does not say
NOT_TAKEN = (
    "Some documents could not be taken in; those before them are there. Look into the log, or add the "
    "others one by one."
)
KEEPS_CONCEPTS = (
    "Finished before, so that the concepts in the file were left out. Reopen it to add them."
)
AT_ONCE = 25  # in one transaction; a file or row more makes nobody wait


IN_BIN = "in bin"
SAME_TEXT, SAME_NUMBER = "has the same text", "has the same number, {number}"


@dataclass(frozen=True, slots=True)
class LikeDocument:
    """An existing document and what it has in common with another, as part of a sentence."""

    document_id: str
    likeness: str


@dataclass(frozen=True, slots=True)
class TakenDocument:
    """What became of a document: ADDED, or HERE or IN_BIN where it was before.

    Attributes:
        like: of one that was added, another that has the same text or number.
        wanted_id: the id that it came with, where it got another.
    """

    document_id: str
    kind: str
    like: LikeDocument | None = None
    wanted_id: str = ""


def take_in(
    store: Store,
    document: Document,
    project_id: int,
    *,
    taken: Container[str] = (),
    proposed_id: str = "",
    is_new: bool = False,
) -> TakenDocument:
    """Store a document, unless it is here already.

    Args:
        taken: ids of what came with the same upload before.
        proposed_id: that it gets where it came with none; by it no document is another one.
        is_new: whether a person says that it is another one than those here.
    """
    here = None if is_new else find_same(store, document, project_id, taken)
    if here is not None:
        kind = HERE if named_documents(store, project_id, [here]) else IN_BIN
        return TakenDocument(here, kind)
    named = replace(document, document_id=document.document_id or proposed_id)
    number = number_of(named.document_id, named.title)
    numbers = documents_by_number(store, project_id) if number else {}
    document_id = add_document(store, named, project_id=project_id, is_new=True)
    like = like_of(find_same_text(store, document_id), number, numbers)
    wanted = document.document_id.strip()
    return TakenDocument(
        document_id, ADDED, like, wanted_id=wanted if wanted != document_id else ""
    )


def like_of(same_text: str | None, number: str, numbers: Mapping[str, str]) -> LikeDocument | None:
    """Return another document with the same text, or else one of the same act.

    Args:
        number: of the act; "" where it has none.
        numbers: documents of the project by the numbers of their acts.
    """
    if same_text is not None:
        return LikeDocument(same_text, SAME_TEXT)
    same_act = numbers.get(number) if number else None
    return LikeDocument(same_act, SAME_NUMBER.format(number=number)) if same_act else None


# ---------------------------------------------------------------------- many at once


@dataclass(slots=True)
class Import:
    """Progress and outcome of importing a batch.

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


def language_read(session: Session) -> str | None:
    """Return the language of texts that a project's model has learned, or of names of codes.

    None where labels alone are looked for, in whichever language the vocabulary has.
    """
    card = session.project.card
    if card is None and not conventions_of(session.vocabulary_id()).lexical:
        return None
    return language_of(card)


def language_of(card: BundleCard | None) -> str:
    """Return the language of the texts that a model has learned; English where nothing is said."""
    tag = next(iter(card.languages if card else ()), MODEL_LANGUAGE)
    return tag.partition("-")[0].lower()


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
        arriving, job_id = _Arriving(session), None
        while not taken.stopped.is_set() and (some := list(islice(items, at_once))):
            arrived = arriving.take(taken, some)
            job_id = read_in_background(session, arrived, joins=job_id) or job_id
            taken.done += len(some)
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
        self.store = session.writing(Right.ADD)
        self.project_id = session.project_id()  # another may be opened before the last row
        self.language = language_read(session)
        self.taken: set[str] = set()
        self.numbers = documents_by_number(self.store, self.project_id)

    def take(self, taken: Import, items: list[BatchDocument | BadLine]) -> list[str]:
        """Store documents that are not here yet, record the outcome of each, and return what came."""
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
        return [outcome.document_id for outcome in outcomes if outcome.kind in (ADDED, RESTORED)]

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
        if self.language is not None:
            text = item.document.text or item.document.title
            language = identify_language(text, self.language)
            if language not in (None, self.language):
                taken.languages[EU_LANGUAGES[str(language)]] += 1

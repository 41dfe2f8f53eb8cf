"""Documents indexed here that read like the open one, with their concepts to be taken over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import uuid4
from weakref import WeakKeyDictionary

import streamlit as st

from core.documents.document import Document
from core.errors import StrataError
from core.review.decisions.recording import Operation, current, record
from core.review.reports.summaries import titles_of_accepted
from core.review.store.documents import fetch_document
from core.review.store.rules import Rules, read_rules
from core.serving.project import ServedProject
from core.serving.session import Session
from core.suggest.similar import SimilarDocuments, vectors_of
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from pages import opening
from pages.components import asset
from pages.components.markdown import count, plain
from pages.serving import current_session, out_of_turn

_LOG = logging.getLogger(__name__)

SOURCE = "similar"
UPDATE_SECONDS = 0.4  # the page waits so long for documents that are not known yet
MOST_COMPARED = 2000  # of the newest documents; each takes some 5 kB of memory
MOST_CONCEPTS = 12  # of a document
HEIGHT_REM, MOST_HEIGHT_REM = 6.2, 15.0  # of the open list: for each document, and for all

_known: WeakKeyDictionary[ServedProject, tuple[str, SimilarDocuments]] = WeakKeyDictionary()
_reading = threading.Lock()  # one thread at a time reads what is missing


@dataclass(frozen=True, slots=True)
class Similar:
    """A document that reads alike, and what it was indexed with.

    Attributes:
        concepts: id and label of those accepted there.
    """

    document_id: str
    title: str
    similarity: float
    concepts: tuple[tuple[str, str], ...]


def render_similar(document: Document, prediction: Prediction | None, language: str) -> None:
    """Draw a line that opens: similar documents, and buttons that take their concepts over."""
    session = current_session()
    vocabulary = session.vocabulary()
    try:
        found = similar_to(document, session, language) if vocabulary else []
        decided = current(session.store(), document.document_id) if found else {}
    except StrataError:
        _LOG.exception("similar documents could not be looked for")
        return
    if not found:
        return
    suggested = (
        {suggestion.concept_id for suggestion in prediction.suggestions} if prediction else set()
    )
    head = count(len(found), "similar document")
    height = min(len(found) * HEIGHT_REM, MOST_HEIGHT_REM)
    st.html(
        f"<style>:root {{ --similar-height: {height}rem; }} {asset('shared/similar.css')}</style>"
    )
    with st.container(key="similar"), st.expander(f"{head} indexed here", icon=":material/stacks:"):
        for number, similar in enumerate(found):
            _render_one(number, similar, document.document_id, set(decided), suggested)


def _render_one(
    number: int, similar: Similar, document_id: str, decided: set[str], suggested: set[str]
) -> None:
    st.markdown(f"**{plain(similar.title, 200) or 'Untitled'}** · {similar.similarity:.0%} alike")
    open_ids = [concept_id for concept_id, _ in similar.concepts if concept_id not in decided]
    with st.container(horizontal=True, gap="small", key=f"similar_{number}"):
        st.button(
            f"Take over {len(open_ids)}" if open_ids else "All decided here",
            key=f"take_all_{number}",
            type="primary",
            icon=":material/done_all:",
            disabled=not open_ids,
            on_click=take_over,
            args=(document_id, open_ids, suggested),
        )
        for concept_id, label in similar.concepts[:MOST_CONCEPTS]:
            done = concept_id in decided
            st.button(
                plain(label, 80),
                key=f"take_{number}_{concept_id}",
                icon=":material/check:" if done else ":material/add:",
                disabled=done,
                on_click=take_over,
                args=(document_id, [concept_id], suggested),
            )
        st.button(
            "Open",
            key=f"open_similar_{number}",
            type="tertiary",
            icon=":material/open_in_new:",
            on_click=opening.show_document,
            args=(similar.document_id,),
        )


def take_over(document_id: str, concept_ids: Iterable[str], suggested: Iterable[str]) -> None:
    """Accept concepts of a similar document, as one action that one undo takes back.

    Args:
        suggested: concepts that the model suggests for the document; others are added.
    """
    session = current_session()
    vocabulary = session.vocabulary()
    try:
        decided = current(session.store(), document_id)  # since the page was drawn, too
        undecided = [concept_id for concept_id in concept_ids if concept_id not in decided]
        receipt = record(
            session.store(),
            document_id=document_id,
            person_id=session.person_id(),
            client_id=f"{SOURCE}-{uuid4()}",
            operations=_operations(undecided, set(suggested)),
            known=vocabulary.hierarchy if vocabulary else None,
            rules=read_rules(session.store(), session.project_id()),
        )
    except StrataError as error:
        _LOG.exception("concepts could not be taken over")
        opening.say(str(error))
        return
    for sentence in dict.fromkeys(refusal.reason for refusal in receipt.refused):
        opening.say(sentence)


def _operations(concept_ids: Sequence[str], suggested: Container[str]) -> list[Operation]:
    """Return an operation for each concept, all in one group."""
    group = str(uuid4())
    return [
        Operation(
            number,
            "accept" if concept_id in suggested else "add",
            concept_id,
            group=group,
            source=SOURCE,
        )
        for number, concept_id in enumerate(concept_ids, start=1)
    ]


def similar_to(document: Document, session: Session, language: str) -> list[Similar]:
    """Documents with accepted concepts that read like this one, as far as they are read yet."""
    index, vocabulary = _index(session), session.vocabulary()
    if index is None or vocabulary is None:
        return []
    store, project_id = session.store(), session.project_id()
    titles = titles_of_accepted(store, project_id, limit=MOST_COMPARED)
    ids = [document_id for document_id in titles if document_id != document.document_id]
    fetch = partial(fetch_document, store)
    with out_of_turn():  # the terms of documents are weighed in the process of the models
        if index.update(ids, fetch, seconds=UPDATE_SECONDS):
            _read_on(lambda: index.update(ids, fetch))
        neighbours = index.nearest(document)
    rules = read_rules(store, project_id)
    found = []
    for neighbour in neighbours:
        decided = current(store, neighbour.document_id).values()
        accepted = [decision.concept_id for decision in decided if decision.state == "accepted"]
        concepts = _labelled(accepted, vocabulary.hierarchy, rules, language)
        if concepts:
            title = titles[neighbour.document_id]
            found.append(Similar(neighbour.document_id, title, neighbour.similarity, concepts))
    return found


def _labelled(
    concept_ids: Iterable[str], hierarchy: Hierarchy, rules: Rules, language: str
) -> tuple[tuple[str, str], ...]:
    """Id and label of the concepts that may be assigned."""
    return tuple(
        (concept_id, hierarchy[concept_id].label(language))
        for concept_id in concept_ids
        if concept_id in hierarchy and not rules.forbids(concept_id, hierarchy)
    )


def _index(session: Session) -> SimilarDocuments | None:
    """Return the vectors for this model's terms; None while the model is being loaded."""
    model = session.model
    if model is None:
        return None
    known = _known.get(session.project)
    if known is None or known[0] != model.bundle_hash:
        known = (model.bundle_hash, SimilarDocuments(vectors_of(model)))
        _known[session.project] = known
    return known[1]


def _read_on(work: Callable[[], object]) -> None:
    """Go on in the background, unless that is being done."""

    def run() -> None:
        if _reading.acquire(blocking=False):
            try:
                work()
            except StrataError:
                _LOG.exception("documents could not be read for comparison")
            finally:
                _reading.release()

    threading.Thread(target=run, daemon=True).start()

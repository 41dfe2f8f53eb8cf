"""Finished documents that read like the open one, with what was assigned to them, to be taken over."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from weakref import WeakKeyDictionary

import streamlit as st

from core.documents.document import Document
from core.errors import StrataError
from core.review.decisions.recording import current
from core.review.keys import key_table
from core.review.reports.outline import outline
from core.review.reports.summaries import titles_of_finished
from core.review.store.documents import fetch_document
from core.review.store.rules import read_rules
from core.serving.project import ServedProject
from core.serving.session import Session
from core.suggest.similar import SimilarDocuments, shared_concepts, vectors_of
from core.vocabulary.conventions import conventions_of
from pages import opening
from pages.annotation.view import AnnotationView
from pages.components import asset, register, sent_event
from pages.serving import current_session, out_of_turn

_LOG = logging.getLogger(__name__)

UPDATE_SECONDS = 0.4  # the page waits so long for documents that are not known yet
MOST_COMPARED = 2000  # of the newest documents; each takes some 5 kB of memory
MOST_SIMILAR = 5
LEAST_ENCOUNTERS = 3  # half of one or two patients would be all codes of another patient
MOST_CONCEPTS = 40  # of all of them; those of most documents first
ACTION = "similar"  # of the key that takes them over

_known: WeakKeyDictionary[ServedProject, tuple[str, SimilarDocuments]] = WeakKeyDictionary()
_reading = threading.Lock()  # one thread at a time reads what is missing


@dataclass(frozen=True, slots=True)
class Similar:
    """A document that reads alike, and the ids of the concepts that it was indexed with.

    Attributes:
        similarity: in [0, 1].
    """

    document_id: str
    title: str
    similarity: float
    concept_ids: tuple[str, ...]


def render_similar(view: AnnotationView) -> None:
    """Draw a line that opens: what to take over, with a tick each, and from which documents.

    Nothing is drawn where no finished document reads like this one.
    """
    session = current_session()
    vocabulary = session.vocabulary()
    try:
        similar_documents = similar_to(view.document, session) if vocabulary else []
    except StrataError:
        _LOG.exception("similar documents could not be looked for")
        return
    if vocabulary is None or not are_enough(len(similar_documents), clinical=opening.is_clinical()):
        return
    hierarchy = vocabulary.hierarchy
    counted = shared_concepts(similar.concept_ids for similar in similar_documents)[:MOST_CONCEPTS]
    nodes = outline(
        [concept_id for concept_id, _ in counted],
        hierarchy=hierarchy,
        language=view.language,
        rules=view.rules,
    )
    with st.container(key="similar"):
        st.html(f"<style>{asset('similar/place.css')}</style>")
        register("similar", folder="similar", entry="similar.js", styles=("similar.css",))(
            key="similar_panel",
            data={
                "document_id": view.document.document_id,
                "documents": [
                    {
                        "id": similar.document_id,
                        "title": similar.title,
                        "similarity": similar.similarity,
                    }
                    for similar in similar_documents
                ],
                "concepts": [
                    {
                        "id": concept_id,
                        "label": hierarchy[concept_id].label(view.language),
                        "number": number,
                    }
                    for concept_id, number in counted
                ],
                "nodes": list(nodes),
                "key": key_table(view.keys, conventions_of(hierarchy.vocabulary_id)).get(ACTION),
                "nouns": ["code", "codes"] if opening.is_clinical() else ["concept", "concepts"],
            },
            on_open_change=_open,
            on_refresh_change=lambda: None,  # the run that follows looks for them anew
        )


def are_enough(n_similar: int, *, clinical: bool) -> bool:
    """Return whether what half of these documents have says something of another one."""
    return n_similar >= (LEAST_ENCOUNTERS if clinical else 1)


def _open() -> None:
    match sent_event("open"):
        case {"id": str(document_id)} if document_id:
            opening.show_document(document_id)


def similar_to(document: Document, session: Session) -> list[Similar]:
    """Finished documents with accepted concepts that are similar to this one."""
    index, vocabulary = _index(session), session.vocabulary()
    if index is None or vocabulary is None:
        return []
    store, project_id = session.store(), session.project_id()
    titles = titles_of_finished(store, project_id, limit=MOST_COMPARED)
    others = {one: title for one, title in titles.items() if one != document.document_id}
    fetch = partial(fetch_document, store)
    with out_of_turn():  # the terms of documents are weighed in the process of the models
        if index.update(others, fetch, seconds=UPDATE_SECONDS):
            _read_on(lambda: index.update(others, fetch))
        neighbours = index.nearest(document, limit=MOST_SIMILAR)
    rules = read_rules(store, project_id)
    similar_documents = []
    for neighbour in neighbours:
        decided = current(store, neighbour.document_id).values()
        accepted = [decision.concept_id for decision in decided if decision.state == "accepted"]
        concept_ids = tuple(
            concept_id
            for concept_id in accepted
            if concept_id in vocabulary.hierarchy
            and not rules.forbids(concept_id, vocabulary.hierarchy)
        )
        if concept_ids and neighbour.document_id in titles:
            title = opening.listed_title(neighbour.document_id, titles[neighbour.document_id])
            similar = Similar(neighbour.document_id, title, neighbour.similarity, concept_ids)
            similar_documents.append(similar)
    return similar_documents


def _index(session: Session) -> SimilarDocuments | None:
    """Return the vectors for this model's terms; None while the model is being loaded."""
    model = session.project.suggester
    if model is None:
        return None
    index = _known.get(session.project)
    if index is None or index[0] != model.bundle_hash:
        index = (model.bundle_hash, SimilarDocuments(vectors_of(model)))
        _known[session.project] = index
    return index[1]


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

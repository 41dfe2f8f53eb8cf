"""An open document: its text on the left, its concepts on the right."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

import streamlit as st

from core.documents.document import Document
from core.documents.intake import language_warning
from core.errors import StrataError
from core.review.keys import key_table
from core.review.reports.document_state import document_state
from core.review.reports.outline import outline
from core.review.store.documents import fetch_document, given_concepts
from core.review.store.people import read_preferences
from core.review.store.predictions import latest_prediction
from core.review.store.projects import project_of
from core.review.store.proposed_terms import read_proposed_terms
from core.review.store.rules import Rules, read_rules
from core.serving.project import LOADING, READY
from core.serving.queue import NO_MODEL, PredictionTask
from core.suggest.suggestions import Prediction
from core.vocabulary.conventions import Conventions, conventions_of
from pages.annotation import requests as turning
from pages.annotation.similar import render_similar
from pages.components import tree
from pages.components.markdown import escaped
from pages.components.reader import reader
from pages.opening import is_clinical
from pages.project_menu import render_way, title
from pages.serving import current_session

_LOG = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.25
# A short text is read at once; a progress bar for so long would only flicker.
PATIENCE_SECONDS = 1.5
MODEL_LANGUAGE = "en"  # where the bundle does not say
ADDED_BY_SEARCH = "can be added with the search"


@dataclass(frozen=True, slots=True)
class Sitting:
    """What one run of the page knows of the open document.

    Attributes:
        run_id: the stored prediction run that is shown; None where it could not be stored.
        reading: what the model does with it, or did since the server started.
        is_reading: whether suggestions were still to come when the prediction was looked for.
        given: concepts that came with it as assigned already.
        language: of labels.
        keys: those that the person has chosen.
    """

    document: Document
    prediction: Prediction | None
    run_id: int | None
    reading: PredictionTask | None
    is_reading: bool = False
    given: tuple[str, ...] = ()
    rules: Rules | None = None
    language: str = "en"
    keys: Mapping[str, object] = field(default_factory=dict)


def render_desk(document_id: str) -> None:
    """Draw the two halves."""
    try:
        if sentence := elsewhere(document_id):
            st.info(sentence, icon=":material/info:")
            render_way(document_id)
            return
        sitting = sit_down(document_id)
    except StrataError as error:
        _LOG.exception("the document could not be opened")
        st.error(escaped(str(error)), icon=":material/error:")
        return
    with st.container(key="desk"):
        left, right = st.columns([10, 11], gap="medium")
        with left:
            render_similar(sitting.document, sitting.prediction, sitting.language)
            reader(
                sitting.document,
                run_id=sitting.run_id,
                facts=facts(sitting),
                notes=notes(sitting),
                clinical=is_clinical(),
            )
        with right:
            render_progress(sitting)
            render_again(sitting)
            render_tree(sitting)


def elsewhere(document_id: str) -> str | None:
    """Why a document cannot be shown, where it is of another project than this tab's."""
    session = current_session()
    if session.has(document_id):
        return None
    project = project_of(session.store(), document_id)
    assert project is not None
    return f"This document is of another project, {escaped(title(project))}."


def sit_down(document_id: str) -> Sitting:
    """Fetch the document and its newest suggestions, and ask for some where there are none.

    Raises:
        StoreError: there is no such document, or the store cannot be read.
    """
    session = current_session()
    document = fetch_document(session.store(), document_id)
    stored = latest_prediction(session.store(), document_id)
    reading = session.task(document_id)
    if stored is None and reading is None and session.reads(document_id):
        reading = session.submit(document)
    if reading is not None and session.state == READY:
        reading.finished.wait(PATIENCE_SECONDS)
    # Before the store is looked into: what ends behind this look is still to come for this page.
    is_reading = reading is not None and not reading.finished.is_set()
    if reading is not None:
        stored = latest_prediction(session.store(), document_id)
    chosen = read_preferences(session.store(), session.person_id())
    prediction = stored.prediction if stored else reading.prediction if reading else None
    return Sitting(
        document,
        session.offered(prediction) if prediction else None,
        stored.run_id if stored else None,
        reading,
        is_reading,
        given=given_concepts(session.store(), document_id),
        rules=read_rules(session.store(), session.project_id()),
        language=chosen.get("label_language") or session.settings.language,
        keys=chosen.get("keys") or {},
    )


def facts(sitting: Sitting) -> str:
    """The line under the title."""
    n_words = len(sitting.document.text.split())
    words = f"{n_words:,} words" if n_words != 1 else "1 word"
    prediction = sitting.prediction
    if prediction is None or prediction.truncated:
        return words
    return f"{words}, read in full"


def notes(sitting: Sitting) -> list[str]:
    """What the reader should know before trusting the suggestions."""
    document, prediction = sitting.document, sitting.prediction
    card = current_session().project.card
    language = (*(card.languages if card else ()), MODEL_LANGUAGE)[0]
    found = [language_warning(document.text or document.title, language)]
    if prediction is not None and prediction.truncated:
        found.append(
            f"The model read the first {prediction.n_tokens_read:,} of {prediction.n_tokens:,} "
            "tokens (word pieces); what comes later did not count."
        )
    return [note for note in found if note]


def render_progress(sitting: Sitting) -> None:
    """A bar while the model reads; it needs no answer from the reader."""
    if sitting.is_reading and sitting.reading is not None:
        st.fragment(_progress, run_every=PROGRESS_SECONDS)(sitting.reading)


def _progress(reading: PredictionTask) -> None:
    if reading.finished.is_set():
        st.rerun()
    share = min(reading.done / reading.total, 1.0) if reading.total else 0.0
    st.progress(share, text=_progress_text(reading))


def _progress_text(reading: PredictionTask) -> str:
    if current_session().state == LOADING:
        return "The model is being loaded; this takes a few seconds after the start."
    if not reading.total:
        return "Waiting for the documents before this one, or cutting the text into pieces …"
    return f"Reading: part {reading.done} of {reading.total}"


def render_again(sitting: Sitting) -> None:
    """A second try, where the first failed or an earlier model made the suggestions."""
    model = current_session().model
    if model is None or sitting.is_reading or not current_session().suggests():
        return
    failed = sitting.reading is not None and sitting.reading.problem is not None
    outdated = (
        sitting.prediction is not None and sitting.prediction.bundle_hash != model.bundle_hash
    )
    if failed or outdated:
        st.button(
            "Try again" if failed else "Suggest again: another model is served now",
            key="again",
            icon=":material/refresh:",
            on_click=_read_again,
            args=(sitting.document,),
            help="Decisions stay as they are.",
        )


def _read_again(document: Document) -> None:
    """Unless a model for another vocabulary came into place since the button was drawn."""
    try:
        if current_session().reads(document.document_id):
            current_session().submit(document)
    except StrataError:
        _LOG.exception("the document could not be read again")  # drawing it says so


@st.fragment(key="tree_fragment")
def render_tree(sitting: Sitting) -> None:
    """Concepts, decisions and the search box, which send decisions by a route of their own."""
    turning.turn()
    session = current_session()
    vocabulary = session.vocabulary()
    hierarchy = vocabulary.hierarchy if vocabulary else None
    conventions = conventions_of(hierarchy.vocabulary_id) if hierarchy else Conventions()
    document_id = sitting.document.document_id
    try:
        now = document_state(session.store(), document_id, hierarchy=hierarchy)
        proposed = read_proposed_terms(session.store(), document_id)
    except StrataError as error:
        _LOG.exception("decisions could not be read")
        st.error(escaped(str(error)), icon=":material/error:")
        return
    if now is None:
        return
    tree.concept_tree(
        document_id,
        nodes=outline(
            now.decisions,
            hierarchy=hierarchy,
            prediction=sitting.prediction,
            language=sitting.language,
            given=sitting.given,
            rules=sitting.rules,
        ),
        state=now,
        callbacks=tree.Callbacks(turning.take_turn, turning.take_term),
        keys=key_table(sitting.keys, conventions),
        conventions=conventions,
        language=sitting.language,
        facts={
            "title": sitting.document.title,
            "searchable": vocabulary is not None,
            "notice": notice(sitting),
            "empty": empty(sitting),
            "proposed": [{"id": one.term_id, "text": one.text} for one in proposed],
            "said": st.session_state.get(turning.SAID_KEY),
        },
    )


def notice(sitting: Sitting) -> str | None:
    """Why there are no suggestions, or why they are not safe yet."""
    reading, problem = sitting.reading, current_session().problem
    if reading is not None and reading.problem:
        return reading.problem
    if not current_session().suggests():
        return f"{NO_MODEL} {what()} {ADDED_BY_SEARCH}."
    return f"No new suggestions can be made. {problem}" if problem else None


def empty(sitting: Sitting) -> str:
    """What stands in place of the tree."""
    if sitting.is_reading:
        return "The suggestions will stand here."
    return f"No suggestions. {what()} {ADDED_BY_SEARCH} above."


def what() -> str:
    """What is assigned here: coders have codes, others concepts."""
    return "Codes" if is_clinical() else "Concepts"

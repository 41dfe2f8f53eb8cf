"""The state of the Annotate page for the open document in one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from core.clinical.encounters import future_days
from core.documents.act_numbers import number_of
from core.documents.document import Document
from core.documents.language import language_warning
from core.errors import ModelStoppedError, TooSlowError
from core.review.decisions.recording import version
from core.review.hints import hint_switch
from core.review.reports.branch_work import waiting_in_branch
from core.review.reports.document_state import sent_back_by
from core.review.store.documents import fetch_document, given_concepts
from core.review.store.people import (
    EVERY_LEVEL,
    HINTS,
    NEXT_ORDER,
    NEXT_ORDERS,
    read_preferences,
)
from core.review.store.predictions import StoredPrediction, latest_prediction
from core.review.store.rules import Rules, read_rules
from core.serving.importing import language_read
from core.serving.learning import knows_better
from core.serving.models import LOADING, READY
from core.serving.queue import NO_MODEL, PredictionTask
from core.serving.session import is_readable
from core.suggest.protocol import ReadsNotes, find_part
from core.suggest.suggestions import Prediction, Suggestion
from pages.components.markdown import count
from pages.components.tree import SHOWN_AT_FIRST
from pages.opening import is_clinical, opened_branch, opened_id
from pages.serving import current_session, out_of_turn

REASON_KEY = "skip_reason"  # why the open document is left to others, as it is typed
SHOWN_KEY = "shown"  # how many suggestions the tree shows of a document
# A short text is read at once; a progress bar for so long would only flicker.
PATIENCE_SECONDS = 1.5
UNFAMILIAR = "Few notes like this one were learned: codes are ranked, without percentages."
ADDED_BY_SEARCH = "can be added with the search"


@dataclass(frozen=True, slots=True)
class AnnotationView:
    """What one run of the page knows of the open document.

    Attributes:
        run_id: the stored prediction run that is shown; None where it could not be stored.
        task: what the model does with it, or did since the server started.
        is_reading: whether suggestions were still to come when the prediction was looked for.
        given: concepts that came with it as assigned already.
        language: of labels.
        keys: those that the person has chosen.
        hints: whether it is pointed out what may be missed or doubtful.
        every_level: whether the tree has a row for every level.
        next_order: one of `NEXT_ORDERS`, of the key for the next suggestion.
        lost: suggestions that were stored, and that the version in use does not have.
    """

    document: Document
    prediction: Prediction | None
    run_id: int | None
    task: PredictionTask | None
    is_reading: bool = False
    given: tuple[str, ...] = ()
    rules: Rules | None = None
    language: str = "en"
    keys: Mapping[str, object] = field(default_factory=dict)
    hints: bool = False
    every_level: bool = False
    next_order: str = NEXT_ORDERS[0]
    lost: tuple[Suggestion, ...] = ()


def open_view(document_id: str) -> AnnotationView:
    """Fetch the document and its newest suggestions, and ask for some where there are none.

    Raises:
        StoreError: there is no such document, or the store cannot be read.
    """
    session = current_session()
    document = fetch_document(session.store(), document_id)
    task = session.server.queue.task(document_id)
    was_read = task is None or task.finished.is_set()
    stored = latest_prediction(session.store(), document_id)
    if _is_to_be_read(document_id, stored, task) and is_readable(session, document_id):
        task, was_read = session.server.queue.submit(document, session.project_id()), False
    if task is not None and session.project.state == READY:
        with out_of_turn():
            task.finished.wait(PATIENCE_SECONDS)
    # Before the store is looked into: what ends behind this look is still to come for this page.
    is_reading = task is not None and not task.finished.is_set()
    if not was_read:
        stored = latest_prediction(session.store(), document_id)
    chosen = read_preferences(session.store(), session.person_id())
    prediction = stored.prediction if stored else task.prediction if task else None
    vocabulary = session.vocabulary()
    offered = prediction.within(vocabulary.hierarchy) if prediction and vocabulary else prediction
    offered_suggestions = set(offered.suggestions) if offered else set()
    return AnnotationView(
        document,
        offered,
        stored.run_id if stored else None,
        task,
        is_reading,
        given=given_concepts(session.store(), document_id),
        rules=read_rules(session.store(), session.project_id()),
        language=chosen.get("label_language") or session.settings.language,
        keys=chosen.get("keys") or {},
        hints=chosen.get(HINTS, True) and _has_hints(document),
        every_level=chosen.get(EVERY_LEVEL) is True,
        next_order=chosen.get(NEXT_ORDER) or NEXT_ORDERS[0],
        lost=tuple(s for s in prediction.suggestions if s not in offered_suggestions)
        if prediction
        else (),
    )


def _has_hints(document: Document) -> bool:
    session = current_session()
    has_model = session.project.card is not None
    has_text = bool(document.text)
    return any(hint_switch(session.vocabulary_id(), has_model=has_model, has_text=has_text))


def _is_to_be_read(
    document_id: str, stored: StoredPrediction | None, task: PredictionTask | None
) -> bool:
    """Return whether there are no suggestions yet, or better ones are to be had.

    A document on which somebody has decided keeps those that were decided on.
    """
    if stored is None:
        return task is None
    if task is not None and not task.finished.is_set():
        return False
    session = current_session()
    if version(session.store(), document_id):
        return False
    return knows_better(
        session.project.suggester, session.store(), session.project_id(), document_id
    )


def facts(view: AnnotationView) -> str:
    """Return the line under the title: how long the text is, and the id."""
    n_words = len(view.document.text.split())
    read = "" if view.prediction is None or view.prediction.truncated else ", read in full"
    words = f"{count(n_words, 'word')}{read}" if n_words else "title only"
    return f"{words} · id {view.document.document_id}"


def notes(view: AnnotationView) -> list[str]:
    """Return what a person should know before trusting the suggestions."""
    document, prediction = view.document, view.prediction
    remarks = [foreign_language(view)]
    if is_clinical():
        remarks += future_days(document)
    if prediction is not None and prediction.truncated:
        n_words = len(document.text.split())
        n_read = round(n_words * prediction.n_tokens_read / max(prediction.n_tokens, 1))
        remarks.append(
            f"The model read about the first {n_read:,} of {n_words:,} words; what comes later did "
            "not count."
        )
    if prediction is not None and prediction.elsewhere is not None:
        remarks.append(prediction.elsewhere.problem)
    return [note for note in remarks if note]


def notice(view: AnnotationView) -> str | None:
    """Return why there are no suggestions, or why no new ones can be made."""
    task, problem = view.task, current_session().project.problem
    if task is not None and task.problem:
        return task.problem
    if not current_session().project.suggests:
        return f"{NO_MODEL} {assigned_noun()} {ADDED_BY_SEARCH}."
    if problem:
        return f"No new suggestions can be made. {problem}"
    return unfamiliar(view) or None


def sent_back_words(document_id: str) -> str | None:
    """Return who has sent a document back, and what is to be changed; None where nobody has."""
    sent_back = sent_back_by(current_session().store(), document_id)
    if sent_back is None:
        return None
    person, note = sent_back
    return f"Sent back by {person}: {note}" if note else f"Sent back by {person}."


def unfamiliar(view: AnnotationView) -> str:
    """Return a sentence where the probabilities of codes are not to be relied on here; or ""."""
    return UNFAMILIAR if unfamiliar_reason(view) else ""


def foreign_language(view: AnnotationView) -> str:
    """Return a sentence where a document is in a language that the model did not learn; or ""."""
    learned, document = language_read(current_session()), view.document
    return (learned and language_warning(document.text or document.title, learned)) or ""


def is_measured(view: AnnotationView) -> bool:
    """Return whether probabilities were fitted on documents like this one.

    Without a trained model, and in a language that it did not learn, they only order suggestions.
    """
    return current_session().project.card is not None and not foreign_language(view)


def listed_share(view: AnnotationView) -> float | None:
    """Return the share of the document's concepts that is expected among its suggestions.

    None where it was not measured. A document without a number counts as one of today.
    """
    card, document = current_session().project.card, view.document
    if card is None or card.coverage is None or not is_measured(view):
        return None
    number = number_of(document.document_id, document.title)
    year = int(number[1:5]) if number else datetime.now(UTC).year
    return card.coverage.share(year, has_text=bool(document.text.strip()))


def awaits_model(view: AnnotationView) -> bool:
    """Return whether only the model, which is being loaded, can say if percentages hold here."""
    is_loading = current_session().project.state == LOADING
    return is_loading and is_clinical() and view.prediction is not None


def unfamiliar_reason(view: AnnotationView) -> str:
    """Return by what figures a note is unlike those that the model has learned from; or ""."""
    model = current_session().project.suggester
    notes = find_part(model, ReadsNotes) if model is not None else None  # type: ignore[type-abstract]
    try:
        familiarity = notes.familiarity(view.document) if notes is not None else None
    except (TooSlowError, ModelStoppedError):
        return ""  # the page says so in the place of suggestions
    return "" if familiarity is None else familiarity.reason


def guard_notice() -> str | None:
    """Return a sentence where Strata itself switched learning from decisions off."""
    learning = current_session().current().learning
    if learning.is_on or not learning.reason:
        return None
    return (
        "Strata has switched off learning from finished documents: suggestions were better without."
    )


def empty(view: AnnotationView) -> str:
    """Return what stands in place of the tree."""
    if view.is_reading:
        return "The suggestions will stand here."
    sentence = "Nothing to code was found." if is_clinical() else "No suggestions."
    return f"{sentence} {assigned_noun()} {ADDED_BY_SEARCH} above."


def assigned_noun() -> str:
    """Return what is assigned here: coders have codes, others concepts."""
    return "Codes" if is_clinical() else "Concepts"


def branch_facts(language: str) -> dict[str, Any] | None:
    """Return what the tree says of the branch, and how many other documents wait in it."""
    branch = opened_branch()
    if branch is None:
        return None
    label = current_session().hierarchy()[branch].label(language)
    return {"id": branch, "label": label, "others": len(others_in_branch())}


def others_in_branch() -> list[str]:
    """Return the other documents with something undecided in the branch, the next one first."""
    session, branch = current_session(), opened_branch()
    if branch is None:
        return []
    return waiting_in_branch(
        session.store(),
        session.project_id(),
        session.hierarchy(),
        branch,
        rules=session.rules(),
        shown=st.session_state.get(SHOWN_KEY, SHOWN_AT_FIRST),
        after=opened_id(),
    )

"""The open document on the Annotate page: its text on the left, its concepts on the right.

Decisions go by a route of their own. What the tree asks this page for are another document and
terms for the vocabulary, and the text another title; the last functions here answer that.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import streamlit as st

from core.clinical.encounters import last_day, with_class
from core.clinical.joined import conventions_in
from core.clinical.stay import NO_STAY
from core.documents.intake import read_id, read_title
from core.errors import StoreError, StrataError
from core.review.guidance import latest_guidelines
from core.review.keys import key_table
from core.review.reports.document_state import document_state
from core.review.reports.outline import outline
from core.review.store.documents import (
    fetch_document,
    may_change_id,
    set_document_id,
    set_title,
)
from core.review.store.projects import project_of
from core.review.store.proposed_terms import (
    ProposedTerm,
    read_proposed_terms,
)
from core.roles import Right
from core.serving.models import LOADING
from core.serving.queue import PredictionTask
from core.serving.session import is_of_project, is_readable, note_seen
from core.suggest.protocol import Suggester
from core.suggest.suggestions import is_same_model
from core.vocabulary.conventions import Conventions
from pages import messages, opening
from pages.adding.stay_form import render_class, render_stay, said_of
from pages.annotation.adjudicating import (
    facts_of,
    render_standing,
    sides_of,
    why_not_approve,
    why_not_decide,
)
from pages.annotation.similar import render_similar
from pages.annotation.team_line import render_team_line
from pages.annotation.tree_requests import (
    is_finished,
    said_in_tree,
    take_skip,
    take_term,
    take_turn,
    turn,
)
from pages.annotation.view import (
    AnnotationView,
    awaits_model,
    branch_facts,
    empty,
    facts,
    guard_notice,
    is_measured,
    listed_share,
    notes,
    notice,
    open_view,
    sent_back_words,
    unfamiliar,
    unfamiliar_reason,
)
from pages.components import sent_event, tree
from pages.components.markdown import escaped
from pages.components.progress import Progress, follow_progress
from pages.components.reader import reader
from pages.project_menu import render_way, title
from pages.screens import screen
from pages.serving import current_session, here

_LOG = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.25
SAVED_TITLE_KEY = "saved_title"
ERASED = "This document was erased; what was decided on it stays, under a number."
OTHER_PROJECT = "This document is of another project, where its title can be changed."


def render_document(document_id: str) -> None:
    """Draw text and concepts, or say why the document cannot be shown."""
    try:
        if sentence := elsewhere(document_id):
            st.info(sentence, icon=":material/info:")
            render_way(document_id)
            return
        access = current_session().access(document_id)
        if access is not None and access.is_erased:
            st.info(ERASED, icon=":material/info:")
            return
        view = open_view(document_id)
        note_seen(current_session(), document_id)
    except StrataError as error:
        _LOG.exception("the document could not be opened")
        st.error(escaped(str(error)), icon=":material/error:")
        return
    clinical = opening.is_clinical()
    with st.container(key="annotation"), st.container(key="encounter" if clinical else "act"):
        left, right = st.columns([10, 11], gap="medium")
        with left:
            render_team_line(view, on_skip=None if is_finished(document_id) else take_skip)
            render_similar(view)
            if opening.is_clinical():
                with st.container(key="stay_line", horizontal=True, gap="small"):
                    is_closed = is_finished(document_id)
                    render_stay(view.document, is_closed=is_closed)
                    render_class(view.document, is_closed=is_closed)
            reader(
                view.document,
                run_id=view.run_id,
                facts=facts(view),
                notes=[*notes(view), *opening.noted(document_id)],
                clinical=clinical,
                keys=_keys(view),
                on_title=take_title,
                on_paste=opening.take_pasted,
                saved_title=st.session_state.get(SAVED_TITLE_KEY),
                may_change_id=not view.is_reading
                and may_change_id(current_session().store(), document_id),
            )
        with right:
            # A place of its own: where one of these goes, the tree is not mounted anew, which would
            # take the focus and the letters of whoever types in it.
            with st.container(key="reading"):
                render_progress(view)
            with st.container(gap="small"):
                render_standing(document_id)
                render_again(view)
                render_guard()
            render_tree(view)


def elsewhere(document_id: str) -> str | None:
    """Return why a document cannot be shown, where it is of another project than this tab's."""
    session = current_session()
    if is_of_project(session, document_id):
        return None
    project = project_of(session.store(), document_id)
    assert project is not None
    return f"This document is of another project, {escaped(title(project))}."


def render_progress(view: AnnotationView) -> None:
    """Draw a bar while the model reads, or is awaited; it needs no answer."""
    task = view.task
    if view.is_reading and task is not None:
        follow_progress(lambda: _progress(task), refresh_seconds=PROGRESS_SECONDS)
    elif awaits_model(view):
        follow_progress(_loading, refresh_seconds=PROGRESS_SECONDS)


def _progress(task: PredictionTask) -> list[Progress]:
    if task.finished.is_set():
        return []
    if loading := _loading():
        return loading
    if not task.total:
        return [Progress("Waiting for the documents before this one")]
    return [Progress("Reading the text in parts", task.done, task.total)]


def _loading() -> list[Progress]:
    if current_session().project.state != LOADING:
        return []
    return [Progress("Loading the model", note=" This takes a few seconds after the start.")]


def render_again(view: AnnotationView) -> None:
    """Offer a second try, where the first failed or an earlier model made the suggestions."""
    model = current_session().project.suggester
    if model is None or view.is_reading or not current_session().project.suggests:
        return
    failed = view.task is not None and view.task.problem is not None
    outdated = view.prediction is not None and view.prediction.bundle_hash != model.bundle_hash
    alone = view.prediction is not None and bool(
        view.prediction.elsewhere and view.prediction.elsewhere.problem
    )
    if failed or outdated or alone:
        st.button(
            _again_words(view, model, failed=failed, outdated=outdated),
            key="again",
            icon=":material/refresh:",
            on_click=_read_again,
            args=(view.document.document_id,),
            help="Decisions stay as they are.",
        )


def _again_words(view: AnnotationView, model: Suggester, *, failed: bool, outdated: bool) -> str:
    if failed:
        return "Try again"
    read_by = view.prediction.bundle_hash if view.prediction else None
    if outdated and is_same_model(read_by, model.bundle_hash):
        return "Suggest again: what is asked elsewhere was changed since"
    if outdated:
        return "Suggest again: another model is served now"
    return "Suggest again, and ask the suggester elsewhere"


def render_guard() -> None:
    """Say in a line where learning was switched off by its guard, which only Models explains."""
    sentence = guard_notice()
    if sentence:
        with st.container(horizontal=True, key="guard", gap="small", vertical_alignment="center"):
            st.markdown(f":small[{sentence}]")
            st.page_link(screen("models"), label="Models", query_params=here())


def _read_again(document_id: str) -> None:
    """Have it read, unless a model for another vocabulary was taken since the button was drawn."""
    session = current_session()
    try:
        if is_readable(session, document_id):
            session.server.queue.submit(
                fetch_document(session.store(), document_id), session.project_id()
            )
    except StrataError:
        _LOG.exception("the document could not be read again")  # drawing it says so


@st.fragment(key="tree_fragment")
def render_tree(view: AnnotationView) -> None:
    """Draw concepts, decisions and the search box, and turn to where the tree goes."""
    draw_tree(view)
    turn()  # last: what a fragment has not drawn is taken off the page


def draw_tree(view: AnnotationView) -> None:
    """Draw the tree as the store has it now, or say why it cannot be drawn."""
    session = current_session()
    vocabulary = session.vocabulary()
    hierarchy = vocabulary.hierarchy if vocabulary else None
    conventions = _conventions()
    document_id = view.document.document_id
    try:
        state = document_state(session.store(), document_id, hierarchy=hierarchy)
        proposed = read_proposed_terms(session.store(), document_id)
    except StrataError as error:
        _LOG.exception("decisions could not be read")
        st.error(escaped(str(error)), icon=":material/error:")
        return
    if state is None:
        return
    sides = sides_of(document_id)
    of_sides = (concept_id for side in sides for concept_id in side.decisions)
    is_outpatient = bool(conventions.system) and (
        with_class(view.document.stay, view.document).is_outpatient
    )
    tree.concept_tree(
        document_id,
        nodes=outline(
            dict.fromkeys((*state.decisions, *of_sides)),
            hierarchy=hierarchy,
            prediction=view.prediction,
            language=view.language,
            given=view.given,
            rules=view.rules,
            earlier=view.lost,
        ),
        state=state,
        on_go=take_turn,
        on_propose=take_term,
        keys=_keys(view),
        conventions=conventions,
        language=view.language,
        signed_in=session.signed_in,
        facts=_tree_facts(view, proposed, searchable=vocabulary is not None)
        | {
            "conventions": asdict(conventions) | {"outpatient": is_outpatient},
            "hints": view.hints,
            "every_level": view.every_level,
            "next_order": view.next_order,
            "sides": facts_of(sides),
        },
    )


def _conventions() -> Conventions:
    vocabulary = current_session().vocabulary()
    return conventions_in(vocabulary.hierarchy) if vocabulary else Conventions()


def _keys(view: AnnotationView) -> dict[str, str]:
    return key_table(view.keys, _conventions())


def _tree_facts(
    view: AnnotationView, proposed: Iterable[ProposedTerm], *, searchable: bool
) -> dict[str, Any]:
    project_id = current_session().project_id()
    sent_back = sent_back_words(view.document.document_id)
    return {
        "title": view.document.title,
        "hides_titles": opening.hides_titles(),
        "stay": said_of(view.document.stay or NO_STAY),
        "is_grouped": current_session().current().groups_stays,
        "last_day": str(last_day(view.document) or ""),
        "searchable": searchable,
        "notice": sent_back or notice(view),
        "notice_reason": "" if sent_back else unfamiliar_reason(view),
        "unrated": awaits_model(view) or bool(unfamiliar(view)),
        "is_measured": is_measured(view),
        "listed_share": listed_share(view),
        "run_id": view.run_id,
        "empty": empty(view),
        "proposed": [{"id": term.term_id, "text": term.text} for term in proposed],
        "said": said_in_tree(view.document.document_id),
        "branch": branch_facts(view.language),
        "has_guidelines": latest_guidelines(current_session().store(), project_id) is not None,
        "reads_alone": not current_session().may(Right.DECIDE)
        or why_not_decide(view.document.document_id),
        "may_review": current_session().may_review(),
        "own_outcome": why_not_approve(view.document.document_id),
    }


# ---------------------------------------------------------------------- what is asked for here


def take_title() -> None:
    """Give a document the title that was typed, and have it read again: models read titles, too.

    What is decided stays.
    """
    st.session_state.pop(SAVED_TITLE_KEY, None)
    match sent_event("title"):
        case {"document": str(document_id), "title": str(title), "former": str(former), **more}:
            _set_title(document_id, title, former, wanted_id=str(more.get("id") or ""))


def _set_title(document_id: str, title: str, former: str, *, wanted_id: str) -> None:
    session = current_session()
    try:
        store = session.writing(Right.DOCUMENTS)
        if not is_of_project(session, document_id):
            raise StoreError(OTHER_PROJECT)
        new_id = read_id(wanted_id) or document_id
        if new_id != document_id:
            set_document_id(store, document_id, new_id)
            opening.show_document(new_id)
        if title != former:
            set_title(store, new_id, read_title(title), former=former)
            if is_readable(session, new_id):
                session.server.queue.submit(fetch_document(store, new_id), session.project_id())
        st.session_state[SAVED_TITLE_KEY] = title
    except StrataError as error:
        _LOG.info("a title could not be changed: %s", type(error).__name__)
        messages.say(str(error))

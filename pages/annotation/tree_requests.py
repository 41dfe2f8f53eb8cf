"""What the tree of the open document asks this page for: another document, a branch, a new term."""

from __future__ import annotations

import time

import streamlit as st

from core.errors import StrataError
from core.review.people.assignments import next_to_review
from core.review.people.skips import skip_document
from core.review.reports.summaries import (
    FINISHED,
    SENT_BACK,
    DocumentSummary,
    count_unfinished,
    named_documents,
)
from core.review.store.proposed_terms import propose_term, withdraw_term
from core.roles import Right
from core.serving.session import next_document
from pages import opening
from pages.annotation.view import REASON_KEY, SHOWN_KEY, others_in_branch
from pages.components import sent_event
from pages.messages import said_next
from pages.serving import current_session
from pages.vocabularies.guidelines import show_guidelines

SAID_KEY = "tree_said"
GUIDELINES_KEY = "tree_guidelines"  # whether they are to be shown over the page
EMPTY_PAGE = ""  # no id of a document
BRANCH_KEY = "tree_branch"  # the branch to turn to; empty for all of them
TURN_KEY = "tree_turn"  # the document to turn to, once a callback has named it
NONE_IN_BRANCH = "No other unfinished document has a suggestion in this branch that waits."
LAST = "That was the last one: every document on the list is finished."
NOT_YOURS = "What else is not finished is somebody else’s, or you have skipped it today."
NO_OTHER = "This is the only document on the list that is not finished."


def turn() -> None:
    """Turn to the document or the branch that the tree named, or to the empty page, or show guidelines.

    Nothing happens if it named none.
    """
    if st.session_state.pop(GUIDELINES_KEY, False):
        show_guidelines()
    chosen = st.session_state.pop(BRANCH_KEY, None)
    if chosen is not None:
        opening.show_branch(chosen)
        st.rerun()
    document_id = st.session_state.pop(TURN_KEY, None)
    if document_id is not None and document_id != opening.opened_id():
        opening.show_document(None if document_id == EMPTY_PAGE else document_id)
        st.rerun()


def take_turn() -> None:
    """Turn to the document that the browser asks for."""
    asked = sent_event("go")
    skipped = asked.get("skips") if isinstance(asked, dict) else None
    if skipped is not None:
        if skipped != opening.opened_id():
            return  # sent again: the page has turned since
        _note_skip("")
    match asked:
        case {"branch": str(concept_id), "shown": int(shown)}:
            st.session_state[SHOWN_KEY] = shown
            st.session_state[BRANCH_KEY] = concept_id
        case {"to": "next", "shown": int(shown)} if opening.opened_branch() is not None:
            st.session_state[SHOWN_KEY] = shown
            _turn_to_next_in_branch()
        case {"to": "next"}:
            _turn_to_next(opening.opened_id())
        case {"show": "guidelines"}:
            st.session_state[GUIDELINES_KEY] = True
        case {"to": "new"}:
            st.session_state[TURN_KEY] = EMPTY_PAGE
        case {"to": str(document_id)}:
            st.session_state[TURN_KEY] = document_id


def take_skip() -> None:
    """Leave the open document with the reason that was typed, and turn to the next one."""
    _note_skip(str(st.session_state.get(REASON_KEY) or ""))
    st.session_state[REASON_KEY] = ""  # the next document has reasons of its own
    _turn_to_next(opening.opened_id())


def _note_skip(reason: str) -> None:
    """Note who leaves a document, where people sign in."""
    session, document_id = current_session(), opening.opened_id()
    if session.signed_in is None or document_id is None or not session.may(Right.DECIDE):
        return
    with said_next("a skip could not be noted", say):
        store = session.writing(Right.DECIDE, document_id)
        skip_document(store, document_id, session.person_id(), reason)


def take_term() -> None:
    """Note a proposed term on the document that the browser names, or withdraw one.

    Another one may be open by now: what the page has not taken is sent again.
    """
    session, asked = current_session(), sent_event("propose")
    with said_next("a proposed term could not be stored", say):
        match asked:
            case {"document": str(document_id), "text": str(text)}:
                store = session.writing(Right.DECIDE, document_id)
                propose_term(store, document_id, text, "", session.person_id())
            case {"document": str(document_id), "withdraw": int(term_id)}:
                withdraw_term(session.writing(Right.DECIDE, document_id), document_id, term_id)


def say(sentence: str) -> None:
    """Let the tree of the open document show a sentence, once."""
    number, document_id = time.time_ns() // 1000, opening.opened_id()
    sentence_of = {"document": document_id, "sentence": sentence, "number": number}
    st.session_state[SAID_KEY] = sentence_of


def said_in_tree(document_id: str) -> dict[str, object] | None:
    """Return what is to be shown of this document; what was said of another holds no more."""
    sentence_of: dict[str, object] | None = st.session_state.get(SAID_KEY)
    return sentence_of if sentence_of and sentence_of["document"] == document_id else None


def _turn_to_next_in_branch() -> None:
    """Turn to the next document with something undecided in the branch that is worked on."""
    try:
        waiting = others_in_branch()
    except StrataError as error:
        say(str(error))
        return
    if waiting:
        st.session_state[TURN_KEY] = waiting[0]
    else:
        say(NONE_IN_BRANCH)


def none_left(n_unfinished: int, *, is_among_them: bool) -> str:
    """Return why nothing follows, by whether the open document is among the unfinished ones."""
    if not n_unfinished:
        return LAST
    return NO_OTHER if n_unfinished == 1 and is_among_them else NOT_YOURS


def _to_review(document_id: str | None) -> str | None:
    """Return what a reviewer goes on with from a document to judge, where approval is needed.

    From one that was sent back, too: the message that says so may come before this one, or after it.
    """
    session = current_session()
    if document_id is None or not (session.may_review() and session.current().needs_approval):
        return None
    if not (is_finished(document_id) or _is_sent_back(document_id)):
        return None
    store, unless_by = session.store(), session.judges_unless_by()
    return next_to_review(store, session.project_id(), document_id, unless_by=unless_by)


def is_finished(document_id: str) -> bool:
    """Return whether a document on the list of the project is finished."""
    line = _line_of(document_id)
    return line is not None and line.status == FINISHED


def _is_sent_back(document_id: str) -> bool:
    line = _line_of(document_id)
    return line is not None and line.judged == SENT_BACK


def _line_of(document_id: str) -> DocumentSummary | None:
    session = current_session()
    return named_documents(session.store(), session.project_id(), [document_id]).get(document_id)


def _turn_to_next(document_id: str | None) -> None:
    session = current_session()
    try:
        following = _to_review(document_id) or next_document(session, document_id)
        n_unfinished = count_unfinished(session.store(), session.project_id())
        is_among_them = document_id is not None and not is_finished(document_id)
    except StrataError as error:
        say(str(error))
        return
    if following is None:
        say(none_left(n_unfinished, is_among_them=is_among_them))
    else:
        st.session_state[TURN_KEY] = following

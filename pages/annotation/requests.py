"""Where the tree turns to next, and the terms that are proposed on it."""

from __future__ import annotations

import logging
import time

import streamlit as st

from core.errors import StrataError
from core.review.reports.summaries import list_documents, next_unfinished
from core.review.store.proposed_terms import propose_term, withdraw_term
from pages import opening
from pages.components import tree
from pages.serving import current_session

_LOG = logging.getLogger(__name__)

SAID_KEY = "tree_said"
TURN_KEY = "tree_turn"  # the document to turn to, once a callback has named it
LAST = "That was the last one: every document on the list is finished."


def turn() -> None:
    """Turn to the document that was asked for, if one was."""
    document_id = st.session_state.pop(TURN_KEY, None)
    if document_id is not None and document_id != opening.opened_id():
        opening.show_document(document_id)
        st.rerun()


def take_turn() -> None:
    """Turn to the document that the browser asks for."""
    match tree.sent("go"):
        case {"to": "next"}:
            _turn_to_next(opening.opened_id())
        case {"to": str(document_id)}:
            st.session_state[TURN_KEY] = document_id


def take_term() -> None:
    """Note a proposed term on the document, or withdraw one."""
    session, document_id = current_session(), opening.opened_id()
    try:
        match tree.sent("propose"):
            case {"text": str(text)} if document_id is not None:
                propose_term(session.store(), document_id, text, "", session.person_id())
            case {"withdraw": int(term_id)}:
                withdraw_term(session.store(), term_id)
    except StrataError as error:
        _LOG.exception("a proposed term could not be stored")
        say(str(error))


def say(sentence: str) -> None:
    """Let the tree show a sentence, once."""
    st.session_state[SAID_KEY] = {"sentence": sentence, "number": time.time_ns() // 1000}


def _turn_to_next(document_id: str | None) -> None:
    """Turn to the next document of the list that is not finished."""
    session = current_session()
    try:
        following = next_unfinished(
            list_documents(session.store(), session.project_id()), document_id
        )
    except StrataError as error:
        say(str(error))
        return
    if following is None:
        say(LAST)
    else:
        st.session_state[TURN_KEY] = following

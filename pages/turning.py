"""What the browser sends from the tree: decisions to be stored, and where to turn to next."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

import streamlit as st

from core.errors import StrataError
from core.review.rules import Rules, read_rules
from core.review.standing import FINISHED, standing
from core.vocabulary.concepts import Hierarchy
from pages import opening
from pages.components import courier, tree
from pages.delivery import deliver
from pages.serving import workplace

_LOG = logging.getLogger(__name__)

DELIVERY_KEY = "tree_delivery"
SAID_KEY = "tree_said"
TURN_KEY = "tree_turn"  # the document to turn to, once a callback has named it
NEXT = "next"
LAST = "That was the last one: every document on the list is finished."


def turn() -> None:
    """Turn to the document that was asked for, if one was."""
    document_id = st.session_state.pop(TURN_KEY, None)
    if document_id is not None and document_id != opening.opened_id():
        opening.show_document(document_id)
        st.rerun()


def take_operations() -> None:
    """Store what the tree sent; the answer goes with its next drawing."""
    _take(tree.sent())


def take_overdue() -> None:
    """The same for what came by the courier."""
    _take(courier.sent_operations())


def take_turn() -> None:
    """Turn to the document that the browser asks for."""
    match tree.sent("go"):
        case {"to": "next"}:
            _turn_to_next(opening.opened_id())
        case {"to": str(document_id)}:
            st.session_state[TURN_KEY] = document_id


def take_term() -> None:
    """Note a proposed term on the document, or withdraw one."""
    shared, document_id = workplace(), opening.opened_id()
    try:
        match tree.sent("propose"):
            case {"text": str(text)} if document_id is not None:
                shared.store().propose_term(document_id, text, "", shared.person_id())
            case {"withdraw": int(term_id)}:
                shared.store().withdraw_term(term_id)
    except StrataError as error:
        _LOG.exception("a proposed term could not be stored")
        say(str(error))


def say(sentence: str) -> None:
    """Let the tree show a sentence, once."""
    st.session_state[SAID_KEY] = {"sentence": sentence, "number": time.time_ns() // 1000}


def _take(message: object) -> None:
    shared = workplace()
    vocabulary = shared.vocabulary()
    document_id = opening.opened_id()
    known = {document_id: vocabulary.hierarchy} if vocabulary and document_id else {}
    delivery = deliver(
        message,
        shared=shared,
        known=known,
        rules=_rules(),
        label=_labels(vocabulary.hierarchy if vocabulary else None),
    )
    st.session_state[DELIVERY_KEY] = delivery
    if document_id in delivery.finished and _is_finished(document_id):
        _turn_to_next(document_id)


def _rules() -> Rules | None:
    """The rules of the project; without a store there is nothing that could break them."""
    shared = workplace()
    try:
        return read_rules(shared.store(), shared.project_id())
    except StrataError:
        _LOG.exception("the rules could not be read")
        return None


def _labels(hierarchy: Hierarchy | None) -> Callable[[str], str]:
    """Names of concepts, as far as the vocabulary has them."""

    def label(concept_id: str) -> str:
        if hierarchy is None or concept_id not in hierarchy:
            return concept_id
        return hierarchy[concept_id].label(workplace().settings.language)

    return label


def _is_finished(document_id: str) -> bool:
    now = standing(workplace().store(), document_id)
    return now is not None and now.status == FINISHED


def _turn_to_next(document_id: str | None) -> None:
    """Turn to the next document of the list that is not finished, round to its beginning."""
    shared = workplace()
    try:
        listed = shared.store().documents(shared.project_id())
    except StrataError as error:
        say(str(error))
        return
    ids = [one.document_id for one in listed]
    start = ids.index(document_id) + 1 if document_id in ids else 0
    waiting = [one for one in [*listed[start:], *listed[:start]] if one.status != FINISHED]
    following = next((one for one in waiting if one.document_id != document_id), None)
    if following is None:
        say(LAST)
    else:
        st.session_state[TURN_KEY] = following.document_id

"""Whether lists show titles, how the tree of the Annotate page is drawn, what is pointed out below it, and where N goes."""

from __future__ import annotations

import streamlit as st

from core.review.keys import spoken_key
from core.review.store.people import (
    EVERY_LEVEL,
    HIDE_TITLES,
    HINTS,
    NEXT_ORDER,
    NEXT_ORDERS,
    read_preferences,
    set_preference,
)
from pages.failures import said_next
from pages.serving import current_session

ORDER_WORDS = {
    "branch": "Down the rows: branch by branch, the most probable branch first",
    "probability": "The most probable first, wherever it stands",
    "tree": "In the order of the vocabulary: by notation or by name",
}


def render_tree_view() -> None:
    """Draw what the Annotate page shows in its tree, and below it."""
    st.markdown("**Titles.** In the sidebar, on Documents and among similar documents:")
    render_hide_titles()
    st.markdown("**Tree.** On the Annotate page:")
    render_every_level()
    st.markdown("**Hints.** On the Annotate page, below the suggestions:")
    render_hints()


def render_every_level() -> None:
    """Draw the switch that gives every level of the tree a row."""
    st.session_state[EVERY_LEVEL] = _chosen(EVERY_LEVEL) is True
    st.toggle(
        "Show every level",
        key=EVERY_LEVEL,
        on_change=_take_every_level,
        help="A row for every broader concept, and a concept under each of its broader ones. "
        "Otherwise broader concepts with only one below them share its row, and each concept "
        "stands once, where it is most probable.",
    )


def render_hide_titles() -> None:
    """Draw the switch that keeps titles out of lists."""
    st.session_state[HIDE_TITLES] = _chosen(HIDE_TITLES) is True
    st.toggle(
        "Hide titles in lists",
        key=HIDE_TITLES,
        on_change=_take_hide_titles,
        help="Lists name each document by its id, because the names of patients may stand in "
        "titles. The open document shows its title.",
    )


def render_next_order(key: str) -> None:
    """Draw the choice of where the key for the next suggestion goes."""
    chosen = _chosen(NEXT_ORDER)
    st.session_state[NEXT_ORDER] = chosen if chosen in NEXT_ORDERS else NEXT_ORDERS[0]
    st.radio(
        f"The key for the next suggestion ({spoken_key(key)}) goes",
        NEXT_ORDERS,
        format_func=lambda order: ORDER_WORDS[order],
        key=NEXT_ORDER,
        on_change=_take_next_order,
    )


def render_hints() -> None:
    """Draw the switch of what is pointed out below the tree."""
    chosen = _chosen(HINTS)
    st.session_state[HINTS] = True if chosen is None else bool(chosen)
    st.toggle(
        "Point out what may be missed or odd",
        key=HINTS,
        on_change=_take_hints,
        help="Below the suggestions, before a document is finished; three concepts of each at most. "
        "Only where that was found to be right in most cases.",
    )


def _chosen(name: str) -> object:
    session = current_session()
    return read_preferences(session.store(), session.person_id()).get(name)


def _take_every_level() -> None:
    _keep(EVERY_LEVEL, True if st.session_state[EVERY_LEVEL] else None)


def _take_hide_titles() -> None:
    _keep(HIDE_TITLES, True if st.session_state[HIDE_TITLES] else None)


def _take_next_order() -> None:
    order = st.session_state[NEXT_ORDER]
    _keep(NEXT_ORDER, None if order == NEXT_ORDERS[0] else order)


def _take_hints() -> None:
    _keep(HINTS, None if st.session_state[HINTS] else False)


def _keep(name: str, value: object) -> None:
    session = current_session()
    with said_next("the view of the tree could not be stored"):
        set_preference(session.store(), session.person_id(), name, value)

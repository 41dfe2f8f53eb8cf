"""How pages look: one's name, colours, titles in lists, the tree of Annotate, and where N goes there."""

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
from core.roles import Right
from pages.components.settings import theme_choice
from pages.messages import said_next
from pages.preferences.people import render_shown_name
from pages.screens import SCREENS
from pages.serving import current_session

ORDER_WORDS = {
    "branch": "Down the rows: branch by branch, the most probable branch first",
    "probability": "The most probable first, wherever it stands",
    "tree": "In the order of the vocabulary: by notation or by name",
}


def render_appearance() -> None:
    """Draw colours, how to make everything larger, and what lists and the tree show."""
    theme_choice([name if name != "annotate" else "" for name, _, _ in SCREENS])
    st.markdown(
        ":small[Kept in this browser. The page is loaded again; nothing that you decided is lost.]"
    )
    st.markdown(
        "**Size.** `Ctrl` `+` and `Ctrl` `−` (`⌘` on a Mac) make everything larger or smaller, "
        "`Ctrl` `0` as it was; the browser remembers it. The text of a document alone is made "
        "larger or smaller by the buttons above it."
    )
    account = current_session().own_account()
    if account:
        st.markdown("**Name.** Beside all that you have decided and written, and will:")
        render_shown_name(account, "As others see you", Right.OWN)
    st.markdown("**Titles.** In the sidebar, on Documents and among similar documents:")
    _switch(
        HIDE_TITLES,
        "Hide titles in lists",
        "Lists name each document by its id, because the names of patients may stand in titles. The "
        "open document shows its title.",
    )
    st.markdown("**Tree.** On the Annotate page:")
    _switch(
        EVERY_LEVEL,
        "Show every level",
        "A row for every broader concept, and a concept under each of its broader ones. Otherwise "
        "broader concepts with only one below them share its row, and each concept stands once, "
        "where it is most probable.",
    )
    st.markdown("**Hints.** On the Annotate page, below the suggestions:")
    _switch(
        HINTS,
        "Point out what may be missed or doubtful",
        "Below the suggestions, before a document is finished; three concepts of each at most. Only "
        "where that was found to be right in most cases.",
        is_on=True,
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


def _switch(name: str, label: str, meaning: str, *, is_on: bool = False) -> None:
    """Draw a switch; `is_on` says how it stands where nothing was chosen, which is not stored."""
    chosen = _chosen(name)
    st.session_state[name] = is_on if chosen is None else bool(chosen)
    st.toggle(label, key=name, on_change=_take_switch, args=(name, is_on), help=meaning)


def _chosen(name: str) -> object:
    session = current_session()
    return read_preferences(session.store(), session.person_id()).get(name)


def _take_switch(name: str, is_on: bool) -> None:
    chosen = st.session_state[name]
    _keep(name, None if chosen == is_on else chosen)


def _take_next_order() -> None:
    order = st.session_state[NEXT_ORDER]
    _keep(NEXT_ORDER, None if order == NEXT_ORDERS[0] else order)


def _keep(name: str, value: object) -> None:
    session = current_session()
    with said_next("the view of the tree could not be stored"):
        set_preference(session.writing(Right.OWN), session.person_id(), name, value)

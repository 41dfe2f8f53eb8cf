"""Erasure on the Settings page: a document, a person, and how long a project keeps its texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from core.errors import StrataError
from core.review.erasure import (
    LONGEST_DAYS,
    SAYS_WHERE,
    SHORTEST_DAYS,
    erasable,
    erase_document,
    erase_person,
    expired,
    keep_retention,
    retention_of,
)
from core.review.people.accounts import find_account, list_accounts
from core.review.store.tables import ID_LENGTH
from core.roles import Right
from pages.components.markdown import count, escaped, plain
from pages.messages import said_next
from pages.serving import current_session

DOCUMENT_KEY, PERSON_KEY, DAYS_KEY = "erase_document", "erase_person", "erase_days"
SURE_KEY, DONE_KEY = "erase_sure", "erased"
NO_WAY_BACK = "**There is no way back.**"
USUAL_DAYS = 365


def render_erasure() -> None:
    """Draw what can be erased, what stays, and what is not reached."""
    if done := st.session_state.pop(DONE_KEY, None):
        st.success(done, icon=":material/check:")
    st.markdown(
        "Texts and names go for good; decisions and figures stay, under a number. The database is "
        f"written anew, which takes some seconds or, where it is large, minutes. {SAYS_WHERE}"
    )
    _render_document()
    if len(list_accounts(current_session().store())) > 1:
        st.divider()
        _render_person()
    st.divider()
    _render_retention()


def _render_document() -> None:
    document_id = st.text_input(
        "Document to erase, by its id", key=DOCUMENT_KEY, max_chars=ID_LENGTH, width=420
    ).strip()
    if not document_id:
        return
    try:
        session = current_session()
        session.project_of(document_id)  # may be hidden from who annotates it
        found = erasable(session.store(), document_id)
    except StrataError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        return
    st.markdown(
        f"“{plain(found.title)}”, {found.n_characters:,} characters: its text, title, id, comment, stay "
        f"and proposed terms go; {count(found.n_events, 'decision step')} and its suggestions stay. "
        f"{NO_WAY_BACK}"
    )
    _render_button("Erase the document", "erase_document_now", _erase_document, document_id)


def _render_person() -> None:
    accounts = {row.name: row for row in list_accounts(current_session().store())}
    name = st.selectbox(
        "Person to erase",
        list(accounts),
        index=None,
        format_func=lambda one: accounts[one].shown,
        key=PERSON_KEY,
        width=420,
    )
    if name is None:
        return
    st.markdown(
        f"**{plain(accounts[name].shown)}** signs in no more, and is called by a number everywhere. "
        f"Names that people wrote in texts and comments stay there. {NO_WAY_BACK}"
    )
    _render_button("Erase the person", "erase_person_now", _erase_person, name)


def _render_retention() -> None:
    session = current_session()
    store, project_id = session.store(), session.project_id()
    kept = retention_of(store, project_id)
    st.markdown(
        "**How long this project keeps texts.** Off: for ever. Otherwise each document is erased so many "
        "days after it was finished, also in the bin; unfinished ones are kept. The server looks "
        "once a day, and half a minute after its start."
    )
    days = st.number_input(
        "Days after the finish",
        SHORTEST_DAYS,
        LONGEST_DAYS,
        value=kept or USUAL_DAYS,
        key=f"{DAYS_KEY}_{project_id}",
        width=220,
    )
    if kept is not None:
        st.markdown(f":orange-badge[on] Texts are erased {count(kept, 'day')} after the finish.")
        st.button("Keep texts for ever", key="retention_off", on_click=_keep, args=(None,))
    if days == kept:
        return
    n_due = len(expired(store, project_id, days))
    st.markdown(
        f"With {count(days, 'day')}, **{count(n_due, 'document')}** would be erased at the next look, and "
        f"others as their time comes. {NO_WAY_BACK}"
    )
    _render_button("Erase by this rule", "retention_on", _keep, days)


def _render_button(words: str, key: str, erase: Callable[[Any], None], what: str | int) -> None:
    """Draw the button that erases something, once a box was ticked for this very thing."""
    if st.checkbox("I have read what goes and what stays", key=f"{SURE_KEY}_{key}_{what}"):
        icon = ":material/delete_forever:"
        st.button(words, key=key, icon=icon, on_click=erase, args=(what,))


def _erase_document(document_id: str) -> None:
    with said_next("the document could not be erased"):
        store = current_session().writing(Right.ERASE, document_id)
        new_id = erase_document(store, document_id)
        st.session_state[DONE_KEY] = f"Erased. What was decided on it stays under {new_id}."
        st.session_state[DOCUMENT_KEY] = ""


def _erase_person(name: str) -> None:
    with said_next("the person could not be erased"):
        store = current_session().writing(Right.ERASE)
        shown = find_account(store, name).shown
        new_name = erase_person(store, name)
        st.session_state[DONE_KEY] = f"Erased. {plain(shown)} is called {new_name} now."
        st.session_state[PERSON_KEY] = None


def _keep(days: int | None) -> None:
    with said_next("how long texts are kept could not be stored"):
        session = current_session()
        keep_retention(session.writing(Right.ERASE), session.project_id(), days)

"""Programs on the Settings page: whether they are answered, and their keys."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from core.api.protection.program_keys import (
    LEARN,
    LONGEST_NAME,
    PROGRAM_KEYS_FILE,
    READ,
    ProgramKey,
    ProgramKeys,
)
from core.review.audit.log import AuditKind, record_alone
from core.roles import Right
from core.settings import Settings
from pages.components.markdown import plain
from pages.messages import said_next
from pages.serving import current_session

NAME_KEY, ALLOWED_KEY, MADE_KEY = "program_name", "program_allowed", "program_made"
ALLOWED = {
    "ask for suggestions": frozenset({READ}),
    "ask for suggestions, and send finished documents": frozenset({READ, LEARN}),
}
OFF = (
    "Programs are not answered. An administrator switches it on with `STRATA_REST=1`; then "
    "tools that speak to an Annif server, and OpenRefine, can ask this one below `/v1`."
)


def render_programs() -> None:
    """Draw whether programs are answered, the keys that there are, and a form for one more."""
    settings = current_session().settings
    if settings.rest:
        st.markdown(how_they_ask(settings))
    else:
        st.info(OFF)
    keys = _keys()
    if made := st.session_state.pop(MADE_KEY, None):
        st.success("This is the key. It is shown this once: copy it to the program.")
        st.code(made, language=None)
    for key in keys.listed():
        _render_key(key)
    if settings.rest:
        _render_form()


def how_they_ask(settings: Settings) -> str:
    """Return what programs may ask, and who may."""
    sites = ", ".join(f"`{origin}`" for origin in settings.rest_origins)
    pages = f"Pages of {sites} may ask as well. " if sites else ""
    return (
        "**Programs are answered** below `/v1` (`STRATA_REST=1`): suggestions as of an Annif server, "
        "and reconciliation for OpenRefine. A program brings the access key, or a key of its own, "
        "which opens no page and nothing else. Where the server has no access key, programs of this "
        f"machine need none. {pages}A key may ask {settings.rest_per_minute:,} times a minute."
    )


def _keys() -> ProgramKeys:
    return ProgramKeys(current_session().settings.home / PROGRAM_KEYS_FILE)


def _render_key(key: ProgramKey) -> None:
    moment = datetime.fromisoformat(key.made_at).astimezone(UTC)
    allowed = next(
        words for words, scopes in ALLOWED.items() if (LEARN in scopes) == (LEARN in key.scopes)
    )
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f"**{plain(key.name)}** may {allowed}. Made on {moment.day} {moment:%B %Y}.",
            width="stretch",
        )
        st.button("Revoke", key=f"revoke_{key.key_id}", on_click=_revoke, args=(key,))


def _render_form() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Program", key=NAME_KEY, max_chars=LONGEST_NAME, width=240)
        st.selectbox("It may", list(ALLOWED), key=ALLOWED_KEY, width=400)
        st.button("Make a key", key="program_make", on_click=_make)


def _note(program: str, change: str) -> None:
    store = current_session().writing(Right.PROGRAMS)
    record_alone(store, AuditKind.PROGRAM, program=program[:LONGEST_NAME], change=change)


def _make() -> None:
    with said_next("a key could not be made"):
        _note(st.session_state[NAME_KEY], "made")
        chosen = ALLOWED[st.session_state[ALLOWED_KEY]]
        st.session_state[MADE_KEY] = _keys().make(
            st.session_state[NAME_KEY], chosen, person_id=current_session().person_id()
        )
        st.session_state[NAME_KEY] = ""


def _revoke(key: ProgramKey) -> None:
    with said_next("a key could not be revoked"):
        _note(key.name, "revoked")
        _keys().revoke(key.key_id)

"""What of the server needs Streamlit: one for all sessions, and the project of each tab.

A tab's project stands in its address (`?project=…`) and, on the way from one page to another, where
Streamlit leaves the address behind, in the state of its session.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import streamlit as st

from core.review.store.projects import project_of
from core.serving.caller import PERSON_HEADER, Caller
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings

DRAWN_AT_ONCE, TURN_SECONDS = 1, 10.0
PROJECT_PARAMETER = "project"
DOCUMENT_PARAMETER = "document"
BRANCH_PARAMETER = "branch"  # of the vocabulary, where one works on it alone
CALLER_KEY = "caller"  # whose run this one of the tab is, and in which project
PROJECT_KEY = "caller_before"  # the same of the run before
# What a tab keeps in mind of one project, and forgets on the way to another one.
OF_ONE_PROJECT = (
    "last_open",
    "removed",
    "removed_open",
    "in_bin",
    "noted",
    "documents_removed",
    "documents_begun",
    "documents_branch",
    "chosen_documents",
    "models_seen",
    "models_asked",
    "models_elsewhere",
    "vocabulary_compared",
)

_server: Server | None = None
_making = threading.Lock()
_turns = threading.Semaphore(DRAWN_AT_ONCE)
_own = threading.local()  # whether this thread has a turn


def running_server() -> Server:
    """Return the shared objects, made from the environment's settings at the first call."""
    global _server
    with _making:
        if _server is None:
            _server = _made(Settings.from_env())
        return _server


def _made(settings: Settings) -> Server:
    """Return a server whose models and texts have processes of their own, where these can be talked to."""
    if sys.platform == "win32":
        return Server(settings)
    from core.suggest.remote.names import RemoteTexts
    from core.suggest.remote.process import TEXTS_NICENESS, ModelProcess
    from core.suggest.remote.suggester import load_remote

    texts = RemoteTexts(ModelProcess(niceness=TEXTS_NICENESS))
    return Server(settings, partial(load_remote, ModelProcess()), texts=texts)


def install(replacement: Server | None) -> None:
    """Put another server in place, as tests do; None makes a new one at the next call."""
    global _server
    with _making:
        _server = replacement


# ---------------------------------------------------------------------- the tab's project


def enter() -> Session:
    """Find out in which project this run of a page is, for `current_session` to know.

    Raises:
        UnknownProjectError: the address names one that is not there.
        StoreError: the store cannot be read.
    """
    session = new_session(_named())
    before: Caller | None = st.session_state.get(PROJECT_KEY)
    if before is not None and before.person_id != session.person_id():
        st.session_state.clear()  # what somebody else had open in this tab is not for this person
    elif before is not None and before.project_id != session.project_id():
        for key in OF_ONE_PROJECT:
            st.session_state.pop(key, None)
    st.session_state[CALLER_KEY] = st.session_state[PROJECT_KEY] = session.caller
    return session


def current_session() -> Session:
    """Return the server as this run of a page sees it."""
    caller: Caller | None = st.session_state.get(CALLER_KEY)
    named = st.query_params.get(PROJECT_PARAMETER)
    if caller is not None and named in (None, str(caller.project_id)):
        return Session(
            running_server(), caller.project_id, person_id=signed_in_person(), caller=caller
        )
    return new_session(_named())


def new_session(project: str | int | None = None) -> Session:
    """Return the session of whoever has this tab open, in a project or where they were last."""
    return Session(running_server(), project, person_id=signed_in_person())


def signed_in_person() -> int | None:
    """Return who has this tab open, as the gate has noted; None where nobody signs in."""
    number = st.context.headers.get(PERSON_HEADER)
    return int(number) if number else None


def turn_to_project(project_id: int, document_id: str | None = None) -> None:
    """Turn this tab to another project, and to one of its documents."""
    st.session_state.pop(CALLER_KEY, None)
    show_address(project_id, document_id)


def show_address(project_id: int, document_id: str | None, *, branch: str | None = None) -> None:
    """Write a project, and a document and a branch where they are open, into the address at once."""
    address = {PROJECT_PARAMETER: str(project_id)}
    if document_id is not None:
        address[DOCUMENT_PARAMETER] = document_id
    if branch is not None:
        address[BRANCH_PARAMETER] = branch
    st.query_params.from_dict(address)


def here(**parameters: str) -> dict[str, str]:
    """Return the parameters of an address in this tab's project."""
    return {PROJECT_PARAMETER: str(current_session().project_id()), **parameters}


def _named() -> str | None:
    named = st.query_params.get(PROJECT_PARAMETER)
    if named is not None:
        return named
    caller: Caller | None = st.session_state.get(CALLER_KEY)
    if caller is not None:
        return str(caller.project_id)
    document_id = st.query_params.get(DOCUMENT_PARAMETER)
    project = project_of(running_server().store(), document_id) if document_id else None
    return str(project.project_id) if project else None


# ---------------------------------------------------------------------- turns


@contextmanager
def in_turn() -> Iterator[None]:
    """Draw a page when few others are being drawn, so that decisions are answered meanwhile.

    All threads of Python share one processor: of twenty pages drawn at once, each takes twenty
    times as long, and so does a decision beside them.
    """
    _own.has_turn = _turns.acquire(timeout=TURN_SECONDS)  # a page that hangs holds nobody up
    try:
        yield
    finally:
        if _own.has_turn:
            _turns.release()
        _own.has_turn = False


@contextmanager
def out_of_turn() -> Iterator[None]:
    """Let another page be drawn while this one waits for something."""
    had_turn = getattr(_own, "has_turn", False)
    if had_turn:
        _turns.release()
        _own.has_turn = False
    try:
        yield
    finally:
        if had_turn:
            _own.has_turn = _turns.acquire(timeout=TURN_SECONDS)

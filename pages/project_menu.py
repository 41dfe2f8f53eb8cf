"""The project that is open, at the top of the sidebar, and the way to another one."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping

import streamlit as st

from core.errors import StrataError
from core.review.store.projects import Project, document_counts, project_of
from pages import opening
from pages.navigation import screen
from pages.served import FAILED, Change
from pages.serving import workplace
from pages.vocabulary_names import title_of

_LOG = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0  # what opens at once needs no word about it
FOLLOW_SECONDS = 0.5
OPENING_KEY = "project_opening"  # this session waits for one; whether it turns to its Start page
TOLD_KEY = "project_told"  # what is said for a moment at the next run
FIRST_TIME = "The first time takes longer: all its codes are read and indexed, once."


def render_project() -> None:
    """The open project, and the others in a menu; nothing where there is but one."""
    try:
        projects = workplace().projects
        if render_opening():
            return
        listed, current = projects.listed(), projects.current()
        others = [one for one in listed if one.project_id != current.project_id]
        if not others:
            return
        menu = st.popover(
            opening.plain(title(current)),
            key="project",
            icon=":material/folder_open:",
            type="tertiary",
            on_change="rerun",
        )
        if menu.open:  # what the menu says takes some looking up
            with menu:
                render_choices(current, others)
    except StrataError as error:
        _LOG.exception("the projects could not be shown")
        st.error(opening.escaped(str(error)))


def render_choices(current: Project, others: list[Project]) -> None:
    """The other projects, and the vocabularies that have none yet."""
    counts = document_counts(workplace().store())
    st.markdown(f":small[Open: **{opening.plain(title(current))}**, {facts(current, counts)}]")
    for one in others:
        st.button(
            opening.plain(title(one)),
            key=f"open_project_{one.project_id}",
            icon=":material/folder:",
            width="stretch",
            help=facts(one, counts),
            on_click=open_project,
            args=(one.project_id,),
        )
    taken = {one.vocabulary_id for one in (current, *others)}
    fresh = [one for one in workplace().projects.vocabularies() if one not in taken]
    for vocabulary_id in fresh:
        st.button(
            f"New: {opening.plain(title_of(vocabulary_id))}",
            key=f"new_project_{vocabulary_id}",
            icon=":material/create_new_folder:",
            width="stretch",
            on_click=make_project,
            args=(title_of(vocabulary_id), vocabulary_id),
        )
    st.page_link(screen("settings"), label="All projects, and new ones", icon=":material/tune:")


def render_way(document_id: str) -> None:
    """A button that opens the project of a document, and the document with it."""
    project = project_of(workplace().store(), document_id)
    if project is not None:
        st.button(
            f"Open the project {opening.plain(title(project))}",
            key="open_its_project",
            type="primary",
            icon=":material/folder_open:",
            on_click=open_project,
            args=(project.project_id,),
            kwargs={"keep_document": True},
        )


def render_opening() -> bool:
    """What every session says while a project is opened, and when that failed; True while it is."""
    shared = workplace()
    change = shared.served.change if shared.projects.is_opening else None
    if change is not None and (change.project or OPENING_KEY in st.session_state):
        st.session_state.setdefault(OPENING_KEY, False)
        st.fragment(follow_opening, run_every=FOLLOW_SECONDS)()
        return True
    _end_opening()
    for sentence in st.session_state.pop(TOLD_KEY, []):
        st.toast(sentence, icon=":material/folder_open:")
    return False


def tell(sentence: str) -> None:
    """Keep a sentence that is said for a moment at the next run."""
    st.session_state.setdefault(TOLD_KEY, []).append(sentence)


def follow_opening() -> None:
    """What is said while a project is being opened; the whole page follows when that is over."""
    shared = workplace()
    if not shared.projects.is_opening:
        st.rerun()
    if shared.served.change is not None:
        st.info(words_of(shared.served.change))


def words_of(change: Change) -> str:
    """What is being opened, for how long already, and why the first time takes its time."""
    name = opening.plain(title_of(change.project)) if change.project else "It"
    seconds = seconds_of(change)
    so_far = f" {seconds} s." if seconds > PATIENCE_SECONDS else ""
    return f"{name} is being opened …{so_far}" + (f" {FIRST_TIME}" if change.is_first else "")


def seconds_of(change: Change) -> int:
    """How long ago it began."""
    return int(time.monotonic() - change.began)


def open_project(project_id: int, *, keep_document: bool = False) -> None:
    """Open another project; its documents, vocabulary and model come together.

    Args:
        keep_document: the open document is of that project, and stays on the page.
    """
    begin(lambda: workplace().projects.open(project_id), turns=not keep_document)


def make_project(name: str, vocabulary_id: str) -> bool:
    """A new project, which is opened; False where there is none, which is said."""
    return begin(lambda: workplace().projects.make(name, vocabulary_id))


def title(project: Project) -> str:
    """What a project is called; the vocabulary's name where nobody gave it one."""
    is_unnamed = project.name == project.vocabulary_id
    return title_of(project.vocabulary_id) if is_unnamed else project.name


def facts(project: Project, counts: Mapping[int, int]) -> str:
    """Number of documents and, where the title does not say it, the vocabulary."""
    n_documents = counts.get(project.project_id, 0)
    documents = "1 document" if n_documents == 1 else f"{n_documents:,} documents"
    vocabulary = title_of(project.vocabulary_id)
    return (
        documents if vocabulary == title(project) else f"{opening.plain(vocabulary)}, {documents}"
    )


def begin(start: Callable[[], object], *, turns: bool = True) -> bool:
    """Begin to open a project, and wait where that takes but a moment.

    A click on a page that was drawn before another session began to open one begins nothing; the
    page says what is being opened.

    Args:
        turns: to the Start page of the project, when it is open.
    Returns:
        False where nothing was begun.
    """
    projects = workplace().projects
    if projects.is_opening:
        st.session_state.setdefault(OPENING_KEY, False)
        return False
    try:
        start()
    except StrataError as error:
        _LOG.exception("the project could not be opened")
        opening.say(str(error))
        return False
    st.session_state[OPENING_KEY] = turns
    projects.wait(PATIENCE_SECONDS)
    return True


def _end_opening() -> None:
    """After a project was opened: turn from the document of the one before, or say what failed."""
    turns = st.session_state.pop(OPENING_KEY, None)
    if turns is None:
        return
    change = workplace().served.change
    if change is not None and change.state == FAILED:
        st.error(
            f"{opening.plain(title_of(change.project))} could not be opened. {opening.escaped(change.problem)}"
        )
    else:
        if change is not None and change.project and seconds_of(change) > PATIENCE_SECONDS:
            tell(f"{opening.plain(title_of(change.project))} is open.")
        if turns:
            opening.show_document(None)
        st.rerun()

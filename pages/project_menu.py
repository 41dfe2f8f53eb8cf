"""The project that is open, at the top of the sidebar, and the way to another one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

import streamlit as st

from core.errors import StrataError
from core.review.owners import Project
from core.review.projects import document_counts
from pages import opening
from pages.navigation import screen
from pages.served import FAILED
from pages.serving import workplace
from pages.vocabulary_names import title_of

_LOG = logging.getLogger(__name__)

PATIENCE_SECONDS = 1.0  # what opens at once needs no word about it
FOLLOW_SECONDS = 0.5
OPENING_KEY = "project_opening"  # the id of the project that this session waits for


def render_project() -> None:
    """The open project, and the others in a menu."""
    try:
        projects = workplace().projects
        if projects.is_opening and OPENING_KEY in st.session_state:
            st.fragment(follow_opening, run_every=FOLLOW_SECONDS)()
            return
        _end_opening()
        listed, current = projects.listed(), projects.current()
        others = [one for one in listed if one.project_id != current.project_id]
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
    st.page_link(screen("settings"), label="All projects", icon=":material/tune:")


def follow_opening() -> None:
    """What is said while a project is being opened; the whole page follows when that is over."""
    shared = workplace()
    if not shared.projects.is_opening:
        st.rerun()
    change = shared.served.change
    st.info(f"{opening.plain(change.project or 'It') if change else 'It'} is being opened …")


def open_project(project_id: int) -> None:
    """Open another project; its documents, vocabulary and model come together."""
    _begin(lambda: workplace().projects.open(project_id))


def make_project(name: str, vocabulary_id: str) -> None:
    """A new project, which is opened."""
    _begin(lambda: workplace().projects.make(name, vocabulary_id))


def title(project: Project) -> str:
    """What a project is called; the vocabulary's name where nobody gave it one."""
    is_unnamed = project.name == project.vocabulary_id
    return title_of(project.vocabulary_id) if is_unnamed else project.name


def facts(project: Project, counts: Mapping[int, int]) -> str:
    """Vocabulary and number of documents, for a person."""
    n_documents = counts.get(project.project_id, 0)
    documents = "1 document" if n_documents == 1 else f"{n_documents:,} documents"
    return f"{opening.plain(title_of(project.vocabulary_id))}, {documents}"


def _begin(start: Callable[[], object]) -> None:
    """Begin to open a project, and wait where that takes but a moment."""
    try:
        start()
    except StrataError as error:
        _LOG.exception("the project could not be opened")
        opening.say(str(error))
        return
    st.session_state[OPENING_KEY] = True
    workplace().projects.wait(PATIENCE_SECONDS)


def _end_opening() -> None:
    """After a project was opened: turn from the document of the one before, or say what failed."""
    if st.session_state.pop(OPENING_KEY, None) is None:
        return
    change = workplace().served.change
    if change is not None and change.state == FAILED:
        st.error(
            f"{opening.plain(change.project)} could not be opened. {opening.escaped(change.problem)}"
        )
    else:
        opening.show_document(None)
        st.rerun()

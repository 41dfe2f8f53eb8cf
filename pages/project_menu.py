"""The project of this tab, at the top of the sidebar, and the way to another one."""

from __future__ import annotations

import time
from collections.abc import Mapping

import streamlit as st

from core.errors import StrataError
from core.review.store import projects
from core.review.store.projects import (
    Project,
    bring_back_project,
    document_counts,
    project_of,
)
from core.roles import Right
from core.serving import choosing
from core.serving.caller import UnknownProjectError
from core.serving.choosing import begin_loading, known_vocabularies, listed_projects
from core.serving.session import Session
from pages import messages
from pages.components.markdown import count, escaped, plain
from pages.components.progress import Progress, follow_progress
from pages.messages import said_next, shown_here
from pages.screens import screen
from pages.serving import current_session, new_session, out_of_turn, turn_to_project
from pages.vocabularies.names import title_of

PATIENCE_SECONDS = 1.0  # what opens at once needs no word about it
MESSAGES_KEY = "project_messages"  # what is said for a moment at the next run
FIRST_TIME = (
    "The first time takes a minute or more: all its codes are read and indexed, once. Then this page "
    "goes on by itself."
)


def render_project() -> None:
    """This tab's project, and the others in a menu; nothing where there is but one."""
    with shown_here("the projects could not be shown"):
        session = current_session()
        listed, current = listed_projects(session), session.current()
        others = [row for row in listed if row.project_id != current.project_id]
        if not others:
            return
        menu = st.popover(
            plain(title(current)),
            key="project",
            icon=":material/folder_open:",
            type="tertiary",
            on_change="rerun",
        )
        if menu.open:  # what the menu says takes some looking up
            with menu:
                render_choices(current, others)


def render_choices(current: Project, others: list[Project]) -> None:
    """Draw the other projects, and the vocabularies that have none yet."""
    session = current_session()
    counts = document_counts(session.store())
    st.markdown(f":small[Open: **{plain(title(current))}**, {facts(current, counts)}]")
    for row in others:
        st.button(
            plain(title(row)),
            key=f"open_project_{row.project_id}",
            icon=":material/folder:",
            width="stretch",
            help=facts(row, counts),
            on_click=open_project,
            args=(row.project_id,),
        )
    taken = {row.vocabulary_id for row in (current, *others)}
    fresh = [other_id for other_id in known_vocabularies(session) if other_id not in taken]
    for vocabulary_id in fresh:
        st.button(
            f"New: {plain(title_of(vocabulary_id))}",
            key=f"new_project_{vocabulary_id}",
            icon=":material/create_new_folder:",
            width="stretch",
            on_click=_make_first,
            args=(vocabulary_id,),
        )
    st.page_link(screen("settings"), label="All projects, and new ones", icon=":material/tune:")


def render_way(document_id: str) -> None:
    """Draw a button that opens the project of a document, and the document with it."""
    project = project_of(current_session().store(), document_id)
    if project is not None:
        st.button(
            f"Open the project {plain(title(project))}",
            key="open_its_project",
            type="primary",
            icon=":material/folder_open:",
            on_click=open_project,
            args=(project.project_id,),
            kwargs={"document_id": document_id},
        )


# ---------------------------------------------------------------------- at the top of every page


def is_ready(session: Session) -> bool:
    """Open this tab's project, say how far that is, and return whether the page can be drawn."""
    if session.current().is_archived:
        render_archived(session)
        return False
    begin_loading(session)
    served = session.project
    with out_of_turn():
        is_open = served.wait_until_open(PATIENCE_SECONDS)
    if not is_open:
        follow_progress(_opening)
        render_others(session, but=session.project_id())
        return False
    if served.vocabulary_problem and served.card is None and not served.problem:
        name = plain(title(session.current()))
        st.error(f"{name} could not be opened. {escaped(served.vocabulary_problem)}")
    for sentence in st.session_state.pop(MESSAGES_KEY, []):
        st.toast(sentence, icon=":material/folder_open:")
    return True


def _opening() -> list[Progress]:
    served = current_session().project
    if not served.is_opening:
        return []
    seconds = int(time.monotonic() - served.began)
    so_far = f" {seconds} s." if seconds > PATIENCE_SECONDS else ""
    first = f" {FIRST_TIME}" if served.is_first_time else ""
    return [Progress(f"Opening {plain(title(current_session().current()))}", note=so_far + first)]


def render_archived(session: Session) -> None:
    """Say that the project is archived, and draw the ways back and on."""
    current = session.current()
    st.info(
        f"The project {plain(title(current))} was archived, with all that is in it.",
        icon=":material/archive:",
    )
    st.button(
        "Bring it back", key="bring_back_project", on_click=bring_back, args=(current.project_id,)
    )
    render_others(session, but=current.project_id)


def render_unknown(error: UnknownProjectError) -> None:
    """Say that the address names no project, and draw the ways on."""
    st.error(escaped(str(error)), icon=":material/error:")
    render_others(new_session())


def render_others(session: Session, *, but: int | None = None) -> None:
    """Draw a button for each project but this one, which may be the last opened, unnamed."""
    with st.container(horizontal=True):
        for row in listed_projects(session):
            if row.project_id != but:
                st.button(
                    f"Go to {plain(title(row))}",
                    key=f"go_to_{row.project_id}",
                    on_click=open_project,
                    args=(row.project_id,),
                )


def announce(sentence: str) -> None:
    """Keep a sentence that is said for a moment at the next run."""
    st.session_state.setdefault(MESSAGES_KEY, []).append(sentence)


# ---------------------------------------------------------------------- to another project


def open_project(project_id: int, *, document_id: str | None = None) -> None:
    """Turn this tab to another project; its documents, vocabulary and model come together.

    Args:
        document_id: of the document that is opened with it.
    """
    with said_next("the project could not be opened"):
        choosing.open_project(new_session(), project_id)
        turn_to_project(project_id, document_id)


def make_project(name: str, vocabulary_id: str) -> bool:
    """Make a new project and turn to it; False where there is none, which is said."""
    try:
        made = projects.make_project(current_session().writing(Right.PROJECTS), name, vocabulary_id)
    except StrataError as error:
        messages.say(str(error))
        return False
    open_project(made.project_id)
    return True


def _make_first(vocabulary_id: str) -> None:
    make_project(title_of(vocabulary_id), vocabulary_id)


def bring_back(project_id: int) -> None:
    """Put an archived project back on the list."""
    with said_next("the project could not be brought back"):
        bring_back_project(current_session().writing(Right.PROJECTS), project_id)


def title(project: Project) -> str:
    """Return what a project is called; the vocabulary's name where nobody gave it one."""
    is_unnamed = project.name == project.vocabulary_id
    return title_of(project.vocabulary_id) if is_unnamed else project.name


def facts(project: Project, counts: Mapping[int, int]) -> str:
    """Return number of documents and, where the title does not say it, the vocabulary."""
    n_documents = counts.get(project.project_id, 0)
    documents = count(n_documents, "document")
    vocabulary = title_of(project.vocabulary_id)
    return documents if vocabulary == title(project) else f"{plain(vocabulary)}, {documents}"

"""Projects on the Settings page: their names and models, and new ones."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.clinical.notation import ICD9CM, ICD10PCS
from core.model.bundle.cards import BundleCard
from core.review.store.projects import (
    LONGEST_NAME,
    Contents,
    Project,
    contents,
    document_counts,
    keep_companions,
    rename_project,
)
from core.review.store.store import Store
from core.roles import Right
from core.serving.choosing import (
    choose_model,
    known_vocabularies,
    listed_projects,
    model_of,
    remove_project,
    visible_projects,
)
from core.serving.session import Session
from core.vocabulary.conventions import conventions_of
from pages.components.markdown import count, plain
from pages.messages import said_next
from pages.preferences.elsewhere import render_elsewhere
from pages.preferences.switches import render_switches
from pages.project_menu import (
    announce,
    bring_back,
    facts,
    make_project,
    open_project,
    title,
)
from pages.screens import screen
from pages.serving import current_session
from pages.vocabularies.names import title_of, without_model

NAME_KEY, VOCABULARY_KEY = "project_name", "project_vocabulary"
THESAURI = ("eurovoc", "stw")  # never codes of an encounter
NEED_FILES = (ICD9CM, ICD10PCS)  # known code systems that are imported before they are whole


def render_projects() -> None:
    """Draw a card for each project, and a form for a new one."""
    session = current_session()
    listed, here = listed_projects(session), session.project_id()
    counts = document_counts(session.store())
    st.markdown(
        "A project has documents, rules and decisions of its own, one vocabulary, and the model "
        "that reads for it. Each tab of the browser has a project of its own in its address; what "
        "is opened in one tab changes nothing in the others."
    )
    for project in listed:
        with st.container(border=True, key=f"project_{project.project_id}"):
            render_one(
                project,
                facts(project, counts),
                is_open=project.project_id == here,
                is_only=len(listed) == 1,
            )
    render_archived(counts)
    render_new()


def render_one(project: Project, about: str, *, is_open: bool, is_only: bool) -> None:
    """Draw name and model, both to be changed, and the buttons that open and remove it."""
    number = project.project_id
    mark = "  :green-badge[open]" if is_open else ""
    st.markdown(f"**{plain(title(project))}**{mark}  \n{about}")
    st.session_state[f"name_{number}"] = title(project)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Name",
            key=f"name_{number}",
            max_chars=LONGEST_NAME,
            on_change=_rename,
            args=(number,),
            width=280,
        )
        render_model(project)
        if not is_open:
            st.button(
                "Open",
                key=f"settings_open_{number}",
                icon=":material/folder_open:",
                on_click=open_project,
                args=(number,),
            )
        if not is_only:
            render_removal(project, is_open=is_open)
    render_companions(project)
    render_elsewhere(project)
    render_switches(project)


def render_companions(project: Project) -> None:
    """Draw the choice of further code systems, where the project has one and others are here."""
    if not conventions_of(project.vocabulary_id).sequenced:
        return
    vocabularies = {entry.vocabulary_id for entry in current_session().server.versions.entries()}
    offered = sorted({*vocabularies, *project.companions} - {project.vocabulary_id, *THESAURI})
    if not offered:
        return
    key = f"companions_{project.project_id}"
    st.session_state[key] = list(project.companions)
    st.multiselect(
        "Further code systems",
        offered,
        format_func=title_of,
        key=key,
        on_change=_choose_companions,
        args=(project, key),
        placeholder="None",
        help="Their codes are found, accepted and exported beside those of "
        f"{plain(title_of(project.vocabulary_id))}, as procedures or other services. The newest imported "
        "version of each is used.",
        width=640,
    )


def render_removal(project: Project, *, is_open: bool) -> None:
    """Draw the button that removes it: an empty project is deleted, another one archived."""
    number = project.project_id
    held = contents(current_session().store(), number)
    verb = "Delete" if held.is_empty else "Archive"
    menu = st.popover(f"{verb} …", key=f"removal_{number}", type="tertiary", on_change="rerun")
    if not menu.open:
        return
    with menu:
        st.markdown(removal_words(held, is_open=is_open))
        st.button(
            verb if held.is_empty else f"{verb} it",
            key=f"remove_{number}",
            type="primary",
            on_click=_remove,
            args=(project,),
        )


def removal_words(held: Contents, *, is_open: bool) -> str:
    """Return what goes with a project, or stays though it is put aside."""
    then = " This tab goes on with another project." if is_open else ""
    if held.is_empty:
        return f"It has no documents. Its name and its rules go; nothing else is lost.{then}"
    in_bin = f" and {held.n_in_bin:,} in the bin" if held.n_in_bin else ""
    return (
        f"It leaves this list and the menu, with {count(held.n_documents, 'document')}{in_bin}, "
        f"and {count(held.n_decisions, 'decision')}. Nothing is lost: it can be brought back "
        f"here.{then}"
    )


def render_archived(counts: Mapping[int, int]) -> None:
    """Draw the archived projects, and the way back of each."""
    archived = [row for row in visible_projects(current_session()) if row.is_archived]
    if not archived:
        return
    with st.expander(f"Archived: {len(archived)}", icon=":material/archive:", key="archived"):
        for project in archived:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(title(project))}**, {facts(project, counts)}")
                st.button(
                    "Bring it back",
                    key=f"bring_back_{project.project_id}",
                    on_click=bring_back,
                    args=(project.project_id,),
                )


def render_model(project: Project) -> None:
    """Draw the bundles that know its vocabulary; none is a choice as well."""
    session = current_session()
    offered: dict[str, BundleCard | None] = {
        str(card.directory): card for card in _models(session, project)
    }
    offered[""] = None
    key = f"model_of_{project.project_id}"
    card = model_of(session, project)
    chosen = str(card.directory) if card else ""
    asked = st.session_state.get(_asked_key(project))
    st.session_state[key] = next(
        folder for folder in (asked, chosen, *offered) if folder in offered
    )
    st.selectbox(
        "Model",
        list(offered),
        format_func=lambda folder: _words(offered[folder], project.vocabulary_id),
        key=key,
        on_change=_ask_model,
        args=(project, key, chosen),
        width=340,
    )
    if asked in offered:
        render_question(project, _words(offered[asked], project.vocabulary_id))


def render_question(project: Project, words: str) -> None:
    """Ask for confirmation before the chosen model serves, with the consequences."""
    with st.container(border=True, key=f"ask_model_{project.project_id}"):
        st.markdown(
            f"Have **{plain(words)}** suggest for all who work in {plain(title(project))}? "
            "Decisions stay as they are, and documents are not read again by themselves."
        )
        with st.container(horizontal=True):
            st.button(
                "Change the model",
                key=f"change_model_{project.project_id}",
                type="primary",
                on_click=_choose_model,
                args=(project,),
            )
            st.button(
                "Keep the one it has",
                key=f"keep_model_{project.project_id}",
                on_click=_forget_model,
                args=(project,),
            )


def render_new() -> None:
    """Draw a form with a name and a vocabulary; one without its files leads to their import."""
    st.markdown("#### A new project")
    here = known_vocabularies(current_session())
    missing = [vocabulary_id for vocabulary_id in NEED_FILES if vocabulary_id not in here]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Name", key=NAME_KEY, placeholder="Ward 7", max_chars=LONGEST_NAME, width=280)
        chosen = st.selectbox(
            "Vocabulary",
            [*here, *missing],
            format_func=lambda vocabulary_id: (
                f"{title_of(vocabulary_id)}{' (needs its files)' * (vocabulary_id in missing)}"
            ),
            key=VOCABULARY_KEY,
            width=340,
        )
        st.button(
            "Make and open it",
            key="make_project",
            type="primary",
            disabled=chosen in missing,
            on_click=_make,
        )
    if chosen in NEED_FILES and not any(
        version.vocabulary_id == chosen for version in current_session().server.versions.entries()
    ):
        render_missing(title_of(chosen), is_missing=chosen in missing)
    else:
        st.markdown(
            ":small[Other vocabularies are imported on the Vocabulary page, and stand here then.]"
        )


def render_missing(name: str, *, is_missing: bool) -> None:
    """Draw the state of a code system without its files, and the link to their import."""
    if is_missing:
        st.markdown(f"The files of {name} are imported first:")
    else:
        st.markdown(
            f"Of {name}, only the codes that a model knows are here. All are, once it was imported:"
        )
    label = "Vocabulary > Versions and import > Code systems"
    st.page_link(screen("vocabulary"), label=label, icon=":material/account_tree:")


def _words(card: BundleCard | None, vocabulary_id: str) -> str:
    if card is None:
        return f"No model: {without_model(vocabulary_id)}"
    folder = card.directory.name
    return card.name if card.name == folder else f"{card.name} ({folder})"


def _rename(project_id: int) -> None:
    with said_next("the project could not be renamed"):
        name = str(st.session_state[f"name_{project_id}"])
        rename_project(current_session().writing(Right.PROJECTS), project_id, name)


def _remove(project: Project) -> None:
    session = current_session()
    with said_next("the project could not be taken away"):
        left = remove_project(session, project)
        if project.project_id == session.project_id():
            open_project(left.project_id)
        announce(f"{plain(title(project))} is not on the list any more.")


def _models(session: Session, project: Project) -> list[BundleCard]:
    return session.server.setups.models(project.vocabulary_id)


def _asked_key(project: Project) -> str:
    return f"asked_model_{project.project_id}"


def _ask_model(project: Project, key: str, serving: str) -> None:
    """Keep the choice for the question; the serving model needs none."""
    _forget_model(project)
    if st.session_state[key] != serving:
        st.session_state[_asked_key(project)] = str(st.session_state[key])


def _forget_model(project: Project) -> None:
    st.session_state.pop(_asked_key(project), None)


def _choose_model(project: Project) -> None:
    session = current_session()
    folder = str(st.session_state.pop(_asked_key(project), ""))
    with said_next("the model of the project could not be changed"):
        directories = {str(card.directory): card.directory for card in _models(session, project)}
        choose_model(session, project, directories.get(folder))


def _writing(project: Project) -> Store:
    return current_session().elsewhere(project.project_id).writing(Right.VOCABULARIES)


def _choose_companions(project: Project, key: str) -> None:
    session = current_session()
    with said_next("the code systems of the project could not be changed"):
        keep_companions(_writing(project), project.project_id, st.session_state[key])
        session.server.registry.reopen(project.project_id)


def _make() -> None:
    """Make and open it; the field is emptied where that worked.

    Without a name, it is called as its vocabulary.
    """
    vocabulary_id = st.session_state[VOCABULARY_KEY]
    name = st.session_state[NAME_KEY].strip() or title_of(vocabulary_id or "")
    if vocabulary_id and make_project(name, vocabulary_id):
        st.session_state[NAME_KEY] = ""

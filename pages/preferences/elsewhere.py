"""The suggester elsewhere of a project, on the Settings page: none, unless somebody names one."""

from __future__ import annotations

import streamlit as st

from core.errors import ConfigError
from core.review.store.projects import Project, keep_elsewhere
from core.roles import Right
from core.serving.choosing import listed_projects
from core.suggest.elsewhere.choice import (
    KINDS,
    LONGEST_ADDRESS,
    LONGEST_NAME,
    MOST_TEXT,
    MOST_TITLE,
    AllowedSuggesters,
    SuggesterElsewhere,
)
from core.vocabulary.conventions import conventions_of
from pages import messages
from pages.components.markdown import code, escaped, plain
from pages.messages import said_next
from pages.project_menu import announce, title
from pages.serving import current_session

SENT = (
    "the title and text of each document that is read, at most "
    f"{MOST_TITLE:,} and {MOST_TEXT:,} characters of them"
)
WORTH = (
    "What it alone suggests counts little at first, and then by how often it is accepted in this "
    "project's finished documents. Where it does not answer in time, it is left out."
)
OF_PATIENTS = (
    "Notes of patients are sent as they are, with all names and dates in them. Ask whoever answers "
    "for their protection first."
)


def render_elsewhere(project: Project) -> None:
    """Draw what a project asks elsewhere; nothing where no host is allowed and none is named."""
    allowed, chosen = _allowed(), project.elsewhere
    if not allowed.hosts and chosen is None:
        return
    named = plain(chosen.said) if chosen else "none"
    with st.expander(f"Suggester elsewhere: {named}", key=f"elsewhere_{project.project_id}"):
        if chosen is not None:
            render_state(chosen, allowed)
        if allowed.hosts:
            # Typed as a whole: a run after each field would move the button from under the pointer.
            with st.form(f"elsewhere_form_{project.project_id}", border=False):
                render_fields(project, allowed)
                st.form_submit_button(
                    "Ask it as well",
                    key=f"elsewhere_begin_{project.project_id}",
                    type="primary",
                    on_click=_take,
                    args=(project,),
                )
        if chosen is not None:
            st.button(
                "Ask it no more",
                key=f"elsewhere_end_{project.project_id}",
                on_click=_keep,
                args=(project, None),
            )


def render_state(chosen: SuggesterElsewhere, allowed: AllowedSuggesters) -> None:
    """Say that it is asked, or why it is not any more."""
    try:
        chosen.checked(allowed)
    except ConfigError as error:
        st.warning(f"It is not asked. {escaped(str(error))}", icon=":material/warning:")
    else:
        st.markdown(f"**{plain(chosen.said)}** is asked as well.")


def render_fields(project: Project, allowed: AllowedSuggesters) -> None:
    """Draw the fields of another suggester, and what asking it means."""
    keys = _field_keys(project)
    kind, address, name = keys
    chosen = project.elsewhere
    st.session_state.setdefault(kind, chosen.kind if chosen else next(iter(KINDS)))
    st.session_state.setdefault(address, chosen.address if chosen else "")
    st.session_state.setdefault(name, chosen.name if chosen else "")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "What is asked", list(KINDS), format_func=KINDS.__getitem__, key=kind, width=300
        )
        st.text_input(
            "Address",
            key=address,
            max_chars=LONGEST_ADDRESS,
            placeholder=f"https://{allowed.hosts[0]}",
            width=300,
            help="Of an Annif server as it is; of a language model up to where "
            f"/chat/completions follows. Allowed: {escaped(allowed.policy.named)}.",
        )
        st.text_input("Annif project, or model", key=name, max_chars=LONGEST_NAME, width=220)
    of_patients = conventions_of(project.vocabulary_id).sequenced
    st.markdown(f":small[It is sent {SENT}. {WORTH}{f' **{OF_PATIENTS}**' if of_patients else ''}]")


def what_goes_elsewhere() -> str:
    """Return which projects ask which suggesters, for the list of what leaves this machine."""
    allowed = _allowed()
    asking = projects_asking()
    if not allowed.hosts:
        return (
            "A project can ask a suggester on another machine where an administrator lists its "
            "host, such as `STRATA_SUGGESTERS=api.annif.org`; none is listed here."
        )
    hosts = ", ".join(code(host) for host in allowed.hosts)
    if not asking:
        return (
            f"Projects may ask suggesters elsewhere, at {hosts} (`STRATA_SUGGESTERS`). None does."
        )
    rows = "; ".join(
        f"in {plain(title(project))}, **{plain(chosen.said)}**" for project, chosen in asking
    )
    return (
        "**A suggester elsewhere is asked** (`STRATA_SUGGESTERS`, set for each project on the "
        f"Projects tab): {rows}. It is sent {SENT}, also of texts that programs send; decisions are "
        "not sent. Its host sees this server's network address, and the name Strata with its "
        "version. Each of its suggestions is marked."
    )


def projects_asking() -> list[tuple[Project, SuggesterElsewhere]]:
    """Return the projects that ask a suggester elsewhere, archived ones left out."""
    allowed = _allowed()
    return [
        (project, project.elsewhere)
        for project in listed_projects(current_session())
        if project.elsewhere is not None and project.elsewhere.host in allowed.hosts
    ]


def asked_here() -> SuggesterElsewhere | None:
    """Return the suggester elsewhere that the open project asks; None where it asks none."""
    here = current_session().project_id()
    return next((chosen for one, chosen in projects_asking() if one.project_id == here), None)


def _allowed() -> AllowedSuggesters:
    return AllowedSuggesters.of(current_session().settings)


def _field_keys(project: Project) -> tuple[str, str, str]:
    number = project.project_id
    return f"elsewhere_kind_{number}", f"elsewhere_address_{number}", f"elsewhere_name_{number}"


def _take(project: Project) -> None:
    """Ask what was typed from now on, or say why not; what was typed stays."""
    kind, address, name = (str(st.session_state[key]) for key in _field_keys(project))
    try:
        chosen = SuggesterElsewhere(kind, address, name).checked(_allowed())
    except ConfigError as error:
        messages.say(str(error))
        return
    _keep(project, chosen)


def _keep(project: Project, chosen: SuggesterElsewhere | None) -> None:
    session = current_session()
    with said_next("what a project asks elsewhere could not be changed"):
        store = session.elsewhere(project.project_id).writing(Right.MODELS)
        keep_elsewhere(store, project.project_id, chosen)
        session.server.registry.reopen(project.project_id)
        for key in _field_keys(project):
            st.session_state.pop(key, None)
        asks = f"asks {plain(chosen.said)} as well" if chosen else "asks no suggester elsewhere"
        announce(f"{plain(title(project))} {asks}.")

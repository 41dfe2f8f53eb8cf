"""The switches of a project on the Settings page: groups of stays, times, approval and names of people."""

from __future__ import annotations

import streamlit as st

from core.clinical.drg import NOT_OFFICIAL
from core.clinical.notation import ICD10CM
from core.review.people.accounts import list_accounts
from core.review.store.projects import Project, keep_switches
from core.roles import Right
from pages.messages import said_next
from pages.serving import current_session

GROUPS = (
    "Beside the accepted codes: the diagnosis related group of Medicare, and what each "
    "code does to it. It is computed here by the published definitions, without the age and "
    "the birth weight, and for information only. Suggestions are never ordered by it."
)
TIMES = "*Insights → Team* has no times then, nor has its file. Who switches it stands in the audit log."
APPROVAL = (
    "By a reviewer or a lead. Exports have approved documents alone then, unless others are asked "
    "for, and only approved documents teach models."
)
NAMES = (
    "FHIR names who decided and who approved, HL7 v2 who finished, MARC 21 and MARCXML who finished and who approved. "
    "Tables and JSON Lines always do; other formats have no place for it."
)


def render_switches(project: Project) -> None:
    """Draw those that there are for a project and for who looks."""
    session = current_session()
    if project.vocabulary_id == ICD10CM:
        words = f"Show the MS-DRG of a stay ({NOT_OFFICIAL})"
        _render(project, "groups_stays", words, GROUPS, Right.VOCABULARIES)
    if session.may(Right.PROJECTS) and len(list_accounts(session.store())) > 1:
        _render(project, "hides_times", "Hide from leads how long people took", TIMES)
        _render(project, "needs_approval", "Finished documents need approval", APPROVAL)
        _render(project, "names_people", "Name people in exported records", NAMES)


def _render(
    project: Project, name: str, words: str, about: str, right: Right = Right.PROJECTS
) -> None:
    key = f"{name}_{project.project_id}"
    st.session_state[key] = getattr(project, name)
    st.toggle(words, key=key, on_change=_switch, args=(project, name, right), help=about)


def _switch(project: Project, name: str, right: Right) -> None:
    chosen = bool(st.session_state[f"{name}_{project.project_id}"])
    with said_next("the project could not be switched"):
        store = current_session().elsewhere(project.project_id).writing(right)
        keep_switches(store, project.project_id, **{name: chosen})

"""The sidebar, the same on every page: a new document, the export, and the list of documents."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from core.clinical.formats import FHIR
from core.errors import StrataError
from core.export.formats import forms_of
from core.export.gathering import Selection
from core.review.annotations.access import annotation_states
from core.review.reports.snapshot import ACCEPTED, EXPLICIT
from core.review.reports.summaries import count_documents
from core.serving.session import listed_documents
from pages import opening, project_menu
from pages.charts.document import show_chart
from pages.components.documents import document_list, named_document
from pages.components.downloads import Wanted, render_download
from pages.components.markdown import escaped
from pages.components.removal import REMOVED_KEY, removed
from pages.screens import screen
from pages.serving import current_session

LIST_REFRESH_SECONDS = 1.0
MOST_LISTED = 1000  # of the newest; the Documents page finds the others
TURNED_KEY = "turned"  # whether the last click in the list concerns the rest of the page
ONLY_ACCEPTED, EVERYTHING = "Accepted", "Accepted and rejected"
THIS, ALL, ALL_APPROVED = "This document", "All documents", "All approved documents"


def render_sidebar() -> None:
    """Draw it; while documents are being read, the list follows."""
    document_id = opening.opened_id()
    with st.sidebar:
        project_menu.render_project()
        with st.container(horizontal=True, key="actions"):
            st.button(
                "New",
                key="new",
                icon=":material/add:",
                on_click=opening.show_document,
                args=(None,),
            )
            wants_chart = document_id is not None and st.button("Chart", key="chart")
            render_export()
        # Always a fragment: Streamlit drops a click on what was drawn in one that is no more.
        follows = bool(current_session().server.queue.unfinished(current_session().project_id()))
        every = LIST_REFRESH_SECONDS if follows else None
        st.fragment(follow_documents, run_every=every)(follows=follows)
        render_signed_in()
    if wants_chart and document_id is not None:
        show_chart(document_id)


def render_signed_in() -> None:
    """Draw who has signed in, and the way out; nothing where nobody signs in."""
    account = current_session().own_account()
    if account:
        st.html(
            f'<p class="signed-in"><span>{escape(account.shown)}</span> '
            '<a href="sign-in" target="_self">Sign out</a></p>'
        )


def render_export() -> None:
    """Draw the menu that downloads decisions; files are made on the click."""
    opened = opening.opened_id()
    with st.popover("Export", key="export"):
        choices = [THIS, ALL] if opened else [ALL]
        scope = st.radio("Decisions of", choices, format_func=_scope_words, key="export_scope")
        which = st.radio("Which", [ONLY_ACCEPTED, EVERYTHING], key="export_which")
        chosen = _of_project()
        if scope == THIS and opened:
            chosen = replace(chosen, document_ids=(opened,), approved=False)
        table = wanted_table(chosen, accepted_only=which == ONLY_ACCEPTED)
        render_download("Download CSV", table, key="download", type="primary")
        if FHIR.name in forms_of(current_session().vocabulary_id()):
            render_download(
                "Download FHIR",
                Wanted(chosen, FHIR.name),
                key="download_fhir",
                help="The accepted codes as a FHIR R4 Bundle, without the text.",
            )
        st.page_link(screen("export"), label="More choices", icon=":material/tune:")


def _scope_words(scope: str) -> str:
    needs_approval = scope == ALL and current_session().current().needs_approval
    return ALL_APPROVED if needs_approval else scope


def _of_project() -> Selection:
    project = current_session().current()
    return Selection(project_id=project.project_id, approved=project.needs_approval)


def wanted_table(documents: Selection, *, accepted_only: bool) -> Wanted:
    """Return the decisions on these documents as a table."""
    decisions = (ACCEPTED,) if accepted_only else EXPLICIT
    return Wanted(replace(documents, decisions=frozenset(decisions)), "csv")


def follow_documents(*, follows: bool) -> None:
    """Draw the list; the whole page follows a click, and the last document that is read.

    Args:
        follows: whether documents were being read when the page was drawn.
    """
    is_read = follows and not current_session().server.queue.unfinished(
        current_session().project_id()
    )
    render_documents()  # first: what a fragment has not drawn is taken off the page
    if st.session_state.pop(TURNED_KEY, False) or is_read:
        st.rerun()


def render_documents() -> None:
    """Draw the list, or why there is none."""
    session = current_session()
    annotations = {}
    try:
        summaries = listed_documents(session, limit=MOST_LISTED)
        if session.signed_in is not None:
            annotations = annotation_states(session.store(), session.project_id())
    except StrataError as error:
        st.error(escaped(str(error)))
        return
    document_list(
        opening.without_titles(summaries),
        opened=opening.opened_id(),
        waiting=session.server.queue.unfinished(session.project_id()),
        annotations=annotations,
        removed=removed(),
        hides_titles=opening.hides_titles(),
        on_open=_open,
        on_remove=_remove,
        on_restore=_restore,
    )
    if len(summaries) == MOST_LISTED < count_documents(session.store(), session.project_id()):
        st.caption(f"The newest {MOST_LISTED:,}; *Documents* has the others.")


def _open() -> None:
    st.session_state.pop(REMOVED_KEY, None)
    st.session_state[TURNED_KEY] = True
    opening.show_document(named_document("open"))


def _remove() -> None:
    st.session_state[TURNED_KEY] = True
    opening.remove(named_document("remove"))


def _restore() -> None:
    st.session_state[TURNED_KEY] = True
    opening.restore(named_document("restore"))

"""The audit log on the Settings page: who did what, to be searched and downloaded."""

from __future__ import annotations

from datetime import date
from html import escape

import streamlit as st

from core.api.audit import query_of
from core.review.audit.log import AuditKind
from core.review.audit.search import AuditSearch, FoundEvent, count_events, search_log
from core.review.people.accounts import list_accounts
from core.serving.session import Session
from pages.components.markdown import count
from pages.serving import current_session

SHOWN = 200
NOTHING = "Nothing fits. The log begins when a second person is added; a person alone has none."
DETAILS = {
    "program": "{}",
    "change": "{}",
    "role": "{}",
    "form": "{}",
    "n_documents": "{:,} documents",
    "former": "before: {}",
    "bundle": "now: {}",
    "version": "now: {}",
    "hides_times": "times hidden",
    "needs_approval": "approval needed",
    "names_people": "names in records",
    "groups_stays": "groups shown",
    "retention_days": "texts kept for {} days",
    "made": "of {}",
}


def render_audit() -> None:
    """Draw what may be asked for, the newest events that fit, and the link to all of them."""
    st.markdown(
        "Who signed in, saw documents of patients, exported, changed rights, models or vocabularies, "
        "and restored. Days and times are UTC. Decisions are in each document's history "
        "(*Export → History*). `python -m core doctor` checks that nothing was changed in it."
    )
    session, wanted = current_session(), _wanted()
    n_events = count_events(session.store(), wanted)
    if not n_events:
        st.info(NOTHING)
        return
    address = escape(f"api/audit?{query_of(wanted)}")
    shown = f"the newest {SHOWN} of " if n_events > SHOWN else ""
    st.markdown(f"**{shown}{count(n_events, 'event')}**")
    st.html(f'<a href="{address}" class="strata-download" download>Download CSV</a>')
    st.dataframe(_rows(session, wanted), hide_index=True, height="auto", key="audit_events")


def _wanted() -> AuditSearch:
    people = {row.person_id: row.shown for row in list_accounts(current_session().store())}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        person_id = st.selectbox(
            "Person",
            list(people),
            index=None,
            placeholder="Anybody",
            format_func=people.__getitem__,
            key="audit_person",
            width=200,
        )
        kind = st.selectbox(
            "Event",
            list(AuditKind),
            index=None,
            placeholder="Any",
            format_func=str.capitalize,
            key="audit_kind",
            width=200,
        )
        document_id = st.text_input("Document, by its id", key="audit_document", width=200)
        since: date | None = st.date_input("From", None, key="audit_since", width=150)
        until: date | None = st.date_input("To", None, key="audit_until", width=150)
    return AuditSearch(person_id, kind, document_id.strip() or None, since, until)


def _rows(session: Session, wanted: AuditSearch) -> list[dict[str, object]]:
    return [
        {
            "at": f"{found.row['at']:%Y-%m-%d %H:%M:%S}",
            "person": found.person,
            "event": found.row["kind"],
            "account": found.account,
            "project": found.project,
            "document": found.row["document_id"] or "",
            "detail": _detail(found),
        }
        for found in search_log(session.store(), wanted, newest=SHOWN)
    ]


def _detail(found: FoundEvent) -> str:
    detail = dict(found.row["detail"] or {})
    if found.row["kind"] == AuditKind.ROLE and detail["role"] is None:
        detail["role"] = "none"
    words = [
        DETAILS[name].format(value) for name, value in detail.items() if name in DETAILS and value
    ]
    return ", ".join(words)

"""The history of a document, over the page: who did what, and when, the newest first."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from core.review.people.accounts import list_accounts
from core.review.people.comments import read_thread
from core.review.reports.history import PROPOSE, HistoryEvent, read_history
from core.serving.session import require_seen
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from pages.components.markdown import in_order
from pages.messages import shown_here
from pages.serving import current_session

WORDS = {
    "accept": "accepted",
    "add": "added",
    "reject": "rejected",
    "back_off": "gave up for a broader one:",
    "exclude": "ruled out the branch of",
    "hold": "put down to be specified:",
    "clear": "cleared the decision on",
    "mark": "marked as a main topic:",
    "unmark": "no main topic any more:",
    "present": "said whether present on admission:",
    "performed": "gave a date to",
    "cite": "attached evidence to",
    "order": "ordered the codes",
    "finish": "finished",
    "reopen": "reopened",
    "approve": "approved",
    "send_back": "sent back",
    "undo": "took an action back",
    PROPOSE: "missed in the vocabulary:",
}
TAKEN_BACK = " (taken back)"
WITH_VALUE = frozenset({"present", "performed", "send_back"})
WHEN, WHO, WHAT = "When", "Who", "What"


@st.dialog("History", width="large")
def show_history(document_id: str) -> None:
    """Draw decisions, sign-offs and comments as a table."""
    session = current_session()
    with shown_here("the history could not be shown"):
        require_seen(session, document_id)  # it may be hidden since the page was drawn
        _render_table(document_id, session.vocabulary())


def _render_table(document_id: str, vocabulary: Vocabulary | None) -> None:
    rows = history_rows(document_id, vocabulary.hierarchy if vocabulary else None)
    if not rows:
        st.markdown("Nothing has happened yet.")
        return
    columns = {name: [row[at] for row in rows] for at, name in enumerate((WHEN, WHO, WHAT))}
    config = {
        WHEN: st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", timezone="UTC"),
        WHAT: st.column_config.TextColumn(width="large"),
    }
    st.dataframe(columns, hide_index=True, key="history_table", column_config=config)
    st.markdown(
        ":small[Times are in UTC. The export *History* has all that is known of each event.]"
    )


def history_rows(document_id: str, hierarchy: Hierarchy | None) -> list[tuple[datetime, str, str]]:
    """Return when, who and what, the newest first."""
    session = current_session()
    names = {account.name: account.shown for account in list_accounts(session.store())}
    rows = [
        (
            event.decided_at,
            names.get(event.person, event.person),
            _words(event, hierarchy, session.language()),
        )
        for event in read_history(session.store(), document_id)
    ]
    rows += [
        (entry.created_at, entry.author, in_order(f"commented: {entry.text}"))
        for entry in read_thread(session.store(), document_id)
        if entry.created_at is not None
    ]
    return sorted(rows, key=lambda row: row[0])[::-1]  # of one moment, too, the last comes first


def _words(event: HistoryEvent, hierarchy: Hierarchy | None, language: str) -> str:
    said = str(event.value or "") if event.action in WITH_VALUE else ""
    parts = (WORDS.get(event.action, event.action), _called(event, hierarchy, language), said)
    return in_order(" ".join(filter(None, parts))) + TAKEN_BACK * (event.undone_by is not None)


def _called(event: HistoryEvent, hierarchy: Hierarchy | None, language: str) -> str:
    """What the concept of an event is called, as in the tree: a code stands before its label."""
    concept_id, label, code = event.concept_id or "", event.label or "", event.notation
    if hierarchy is not None and concept_id in hierarchy:
        concept = hierarchy[concept_id]
        label, code = concept.label(language), concept.notation
    if not code or not conventions_of(current_session().vocabulary_id()).code_first:
        return label or concept_id
    plain = label.replace(f" ({code})", "")
    return plain if plain.startswith(f"{code} ") else f"{code} {plain}".strip()

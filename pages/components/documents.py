"""The list of documents in the sidebar."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

import streamlit as st

from core.review.reports.summaries import DocumentSummary
from pages.components import register

KEY = "documents"
SHOWN_AT_ONCE = 200


def document_list(
    summaries: Sequence[DocumentSummary],
    *,
    opened: str | None,
    waiting: Container[str],
    removed: dict[str, str] | None,
    on_open: Callable[[], None],
    on_remove: Callable[[], None],
    on_restore: Callable[[], None],
) -> None:
    """Draw the list.

    Args:
        opened: id of the document on the page.
        waiting: ids of those that the model has not read yet.
        removed: id and title of what was removed last, to be taken back.
    """
    register(
        "documents",
        folder="documents",
        scripts=("titles.js", "documents.js"),
        styles=("documents.css",),
    )(
        key=KEY,
        data={
            "documents": [
                {
                    "id": document.document_id,
                    "title": document.title,
                    "status": document.status,
                    "suggested": document.n_suggested,
                    "given": document.n_given,
                    "accepted": document.n_accepted,
                    "rejected": document.n_rejected,
                    "waiting": "being read …" if document.document_id in waiting else "",
                }
                for document in summaries
            ],
            "open": opened,
            "removed": removed,
            "limit": SHOWN_AT_ONCE,
        },
        on_open_change=on_open,
        on_remove_change=on_remove,
        on_restore_change=on_restore,
    )


def named_document(event: str) -> str:
    """Return the id of the document that an event ("open", "remove", "restore") is about."""
    value = st.session_state[KEY].get(event)
    return str(value["id"]) if isinstance(value, dict) and "id" in value else ""

"""Documents read by another model than the serving one, and reading them again."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from core.review.jobs import waiting_documents
from core.review.reports.summaries import read_by_others
from core.serving.session import read_in_background
from core.suggest.suggestions import is_same_model
from pages.messages import said_next
from pages.serving import current_session


def render_outdated() -> None:
    """Draw how many there are, and the offer to read them again; nothing where there are none.

    Finished documents are left out: they keep the suggestions with which they were finished, until
    somebody reopens them.
    """
    readers = to_read_again()
    if not readers:
        return
    number = len(readers)
    subject = (
        "1 unfinished document was" if number == 1 else f"{number:,} unfinished documents were"
    )
    with st.container(horizontal=True, vertical_alignment="center", key="outdated"):
        st.markdown(f"{subject} {_how(readers.values())}.", width="content")
        st.button(
            "Read again",
            key="read_again",
            icon=":material/refresh:",
            on_click=_read_again,
            help="In the background. Decisions stay as they are.",
        )


def _how(readers: Collection[str]) -> str:
    """Return by what documents were read: another model, or the same with another beside it."""
    model = current_session().project.suggester
    served = model.bundle_hash if model else None
    same = sum(is_same_model(reader, served) for reader in readers)
    if not same:
        return "read by another model than the one that is served now"
    before = "before what the project asks elsewhere was changed"
    return f"read {before}" if same == len(readers) else f"read by another model, or {before}"


def to_read_again() -> dict[str, str]:
    """Return ids of the unfinished ones that no job has before it, and what read them; newest first."""
    session = current_session()
    model = session.project.suggester
    if model is None or not session.project.suggests:
        return {}
    store, project_id = session.store(), session.project_id()
    outdated = read_by_others(store, project_id, model.bundle_hash)
    waiting = waiting_documents(store, project_id) if outdated else ()
    return {one: reader for one, reader in outdated.items() if one not in waiting}


def _read_again() -> None:
    with said_next("documents could not be queued"):
        read_in_background(current_session(), list(to_read_again()))

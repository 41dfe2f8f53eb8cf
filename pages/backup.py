"""A backup of everything to one file, and the way back from it."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import streamlit as st

from pages.serving import workplace


def render_backup() -> None:
    """Download and upload."""
    render_download()


def render_download() -> None:
    """One file with all there is, made when it is asked for."""
    st.markdown(
        "**Back up.** One file with all documents, suggestions, decisions, preferences and "
        "imported vocabularies. The model is not in it. Whoever has the file can read the texts."
    )
    st.download_button(
        "Download the backup",
        data=make_backup,
        file_name=f"strata-{datetime.now(UTC):%Y-%m-%d}.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/download:",
        key="download_backup",
    )


def make_backup() -> bytes:
    """The file's bytes."""
    from core.review.backup import write_backup

    shared = workplace()
    file = io.BytesIO()
    write_backup(shared.store(), shared.settings.home, file)
    return file.getvalue()

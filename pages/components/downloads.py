"""Files that are made when somebody clicks, of what holds then.

Streamlit's own button holds a file in memory; a link to a route of ours does not.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from html import escape
from typing import Any

import streamlit as st

from core.api.export import query_of
from core.errors import StrataError
from core.export.export import Export
from core.export.formats import FORMATS
from core.export.gathering import Selection
from core.serving.session import Session, note_export
from pages.components.counting import is_large
from pages.serving import current_session

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks for."""

    selection: Selection
    form: str
    with_text: bool = False

    def export(self, session: Session) -> Export:
        """Return the export, with what holds in the project now."""
        return Export(
            session.store(), self.selection, session.hierarchy(), session.language(), self.with_text
        )


def make_file(session: Session, wanted: Wanted) -> bytes:
    """Return the file, or as its only line the reason why there is none."""
    export = wanted.export(session)
    try:
        note_export(session, wanted.form, export.count())
        return export.file(wanted.form)
    except StrataError as error:
        _LOG.exception("the export could not be made")
        return f"{error}\n".encode()


def render_download(label: str, wanted: Wanted, *, key: str, **look: Any) -> None:
    """Draw the button that makes a file, or of very many documents the link to it.

    Args:
        look: further arguments of the button.
    """
    if is_large() and wanted.selection.document_ids is None:
        _render_link(label, wanted)
        return
    session, form = current_session(), FORMATS[wanted.form]  # made outside the run of the page
    st.download_button(
        label,
        data=lambda: make_file(session, wanted),
        file_name=f"strata-decisions.{form.suffix}",
        mime=form.media_type,
        on_click="ignore",
        key=key,
        **look,
    )


def _render_link(label: str, wanted: Wanted) -> None:
    query = query_of(wanted.selection, wanted.form, with_text=wanted.with_text)
    address = escape(f"api/export?{query}")
    st.html(f'<a href="{address}" class="strata-download" download>{escape(label)}</a>')
    st.caption("The server writes the file first, which takes minutes where there is much.")

"""Annotate: from a text to decided concepts."""

from __future__ import annotations

import streamlit as st

from pages import opening
from pages.adding.report import render_alike
from pages.adding.start import render_welcome
from pages.annotation.adjudicating import own_in_place_of
from pages.annotation.document import render_document
from pages.sidebar import render_sidebar


def main() -> None:
    """Draw the open document, or an empty page."""
    document_id = opening.opened_id()
    if document_id is not None and (own := own_in_place_of(document_id)):
        opening.show_document(own)
        document_id = own
    if document_id is None:
        render_welcome()
    else:
        with st.container(key="notices"):  # lies over the page, which does not move
            opening.render_said()
            render_alike(document_id)
        render_document(document_id)


render_sidebar()
main()

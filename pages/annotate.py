"""Annotate: from a text to decided concepts."""

from __future__ import annotations

import streamlit as st

from core.errors import StrataError
from pages import opening
from pages.adding.report import render_alike
from pages.adding.start import render_welcome
from pages.annotation.adjudicating import own_in_place_of
from pages.annotation.document import render_document
from pages.sidebar import render_sidebar


def main() -> None:
    """Draw the open document, or an empty page."""
    document_id = opening.opened_id()
    if document_id is None:
        render_welcome()
    else:
        with st.container(key="notices"):  # lies over the page, which does not move
            opening.render_said()
            render_alike(document_id)
        render_document(document_id)


def turn_to_own() -> None:
    """Open the person's own annotation where the address names its document."""
    opened = opening.opened_id()
    try:
        own = own_in_place_of(opened) if opened is not None else None
    except StrataError:
        return  # drawing the document says so
    if own is not None:
        opening.show_document(own)


opening.turn_from_removed()
turn_to_own()
render_sidebar()
main()

"""Annotate: from a text to decided concepts."""

from __future__ import annotations

from pages import opening
from pages.adding.start import render_welcome
from pages.annotation.document import render_document
from pages.annotation.sidebar import render_sidebar
from pages.screens import came_from_elsewhere


def main() -> None:
    """Draw the list of documents, and the open one or an empty page."""
    opening.return_to_last(from_elsewhere=came_from_elsewhere())
    render_sidebar()
    document_id = opening.opened_id()
    if document_id is None:
        render_welcome()
    else:
        opening.render_said()
        render_document(document_id)


main()

"""The text of a document, in its own scrolling pane."""

from __future__ import annotations

from collections.abc import Sequence

from core.documents.document import Document
from pages.components import register

MAX_SHOWN_CHARACTERS = 400_000


def reader(document: Document, *, facts: str, notes: Sequence[str]) -> None:
    """Draw title and text.

    Args:
        facts: a line under the title.
        notes: sentences that the reader should know before the text.
    """
    text = document.text
    n_omitted = len(text) - MAX_SHOWN_CHARACTERS
    omitted = f"The last {n_omitted:,} characters are kept, but not shown." if n_omitted > 0 else ""
    register("reader", scripts=("reader.js",), styles=("reader.css",))(
        key="reader",
        data={
            "document_id": document.document_id,
            "version": "\n".join([document.document_id, facts, *notes]),
            "title": document.title,
            "text": text[:MAX_SHOWN_CHARACTERS],
            "omitted": omitted,
            "facts": facts,
            "notes": list(notes),
        },
    )

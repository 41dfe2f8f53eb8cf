"""The text of a document, in its own scrolling pane, with what speaks for a concept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from core.documents.document import PART_BREAK, Document, Part
from pages.components import register

MAX_SHOWN_CHARACTERS = 400_000
SCRIPTS = ("reader_text.js", "reader_search.js", "reader_evidence.js", "reader.js")


def reader(document: Document, *, run_id: int | None, facts: str, notes: Sequence[str]) -> None:
    """Draw title and text.

    Args:
        run_id: of the suggestions beside it; what the browser knows of why is of these alone.
        facts: a line under the title.
        notes: sentences that the reader should know before the text.
    """
    text = document.text
    n_omitted = len(text) - MAX_SHOWN_CHARACTERS
    omitted = f"The last {n_omitted:,} characters are kept, but not shown." if n_omitted > 0 else ""
    register("reader", scripts=SCRIPTS, styles=("reader.css",))(
        key="reader",
        data={
            "document_id": document.document_id,
            "version": "\n".join([document.document_id, str(run_id), facts, *notes]),
            "title": document.title,
            "text": text[:MAX_SHOWN_CHARACTERS],
            "parts": list(outlined(document.parts)),
            "omitted": omitted,
            "facts": facts,
            "notes": list(notes),
        },
    )


def outlined(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """Where each part begins in the text, its name where the text lacks it, and its headings."""
    start = 0
    for part in parts:
        if start >= MAX_SHOWN_CHARACTERS:
            return
        headings = [[h.start + start, h.end + start, h.level] for h in part.headings]
        yield {
            "start": start,
            "title": "" if _is_named_in_text(part) else part.title,
            "headings": [h for h in headings if h[1] <= MAX_SHOWN_CHARACTERS],
        }
        start += len(part.text) + len(PART_BREAK)


def _is_named_in_text(part: Part) -> bool:
    beginning = " ".join(part.text[: len(part.title) + 100].split()).casefold()
    return beginning.startswith(" ".join(part.title.split()).casefold())

"""Finished documents that read like the open one, and what was assigned to them, to be taken over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.review.reports.outline import OutlineNode
from pages.components import asset, register, sent_event

KEY = "similar"


@dataclass(frozen=True, slots=True)
class SimilarDocument:
    """A document that reads alike.

    Attributes:
        similarity: in [0, 1].
    """

    document_id: str
    title: str
    similarity: float


@dataclass(frozen=True, slots=True)
class SharedConcept:
    """A concept that was assigned to so many of the similar documents."""

    concept_id: str
    label: str
    n_documents: int


def similar_panel(
    document_id: str,
    *,
    documents: Sequence[SimilarDocument],
    concepts: Sequence[SharedConcept],
    nodes: Sequence[OutlineNode],
    key: str | None,
    nouns: tuple[str, str],
    on_open: Callable[[], None],
) -> None:
    """Draw a line that opens: what to take over, with a tick each, and from which documents.

    Args:
        document_id: of the open document.
        nodes: of the concepts and all above them, for the tree.
        key: that takes what is ticked.
        nouns: what is assigned here, one and many of them.
        on_open: called for one of the documents; `wanted_document` says which.
    """
    with st.container(key="similar"):
        st.html(f"<style>{asset('similar/place.css')}</style>")
        register("similar", folder="similar", entry="similar.js", styles=("similar.css",))(
            key=f"{KEY}_panel",
            data={
                "document_id": document_id,
                "documents": [
                    {
                        "id": document.document_id,
                        "title": document.title,
                        "similarity": document.similarity,
                    }
                    for document in documents
                ],
                "concepts": [
                    {
                        "id": concept.concept_id,
                        "label": concept.label,
                        "number": concept.n_documents,
                    }
                    for concept in concepts
                ],
                "nodes": list(nodes),
                "key": key,
                "nouns": list(nouns),
            },
            on_open_change=on_open,
            on_refresh_change=lambda: None,  # the run that follows looks for them anew
        )


def wanted_document() -> str | None:
    """Return the document that the browser asks for."""
    match sent_event("open"):
        case {"id": str(document_id)} if document_id:
            return document_id
    return None

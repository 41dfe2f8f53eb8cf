"""The tree of concepts with its search box: shows what was suggested, and sends decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.review.decisions import Decision
from core.review.outline import OutlineNode
from pages.components import register
from pages.delivery import Delivery

KEY = "tree"
SHOWN_AT_FIRST = 25
SCRIPTS = ("queue.js", "outline.js", "tree.js", "search.js", "outage.js", "workbench.js")


def concept_tree(
    document_id: str,
    *,
    nodes: Sequence[OutlineNode],
    decisions: dict[str, Decision],
    delivery: Delivery,
    on_operations: Callable[[], None],
    searchable: bool,
    language: str,
    notice: str | None = None,
    empty: str = "",
) -> None:
    """Draw the tree of a document.

    Args:
        delivery: what became of the decisions that were sent last.
        on_operations: called when decisions have arrived; `sent_operations` returns them.
        notice: a sentence above the tree.
        empty: what stands in place of a tree without rows.
    """
    register("tree", scripts=SCRIPTS, styles=("tree.css",))(
        key=KEY,
        data={
            "document_id": document_id,
            "nodes": list(nodes),
            "decisions": {
                concept_id: {"state": decision.state, "added": decision.added}
                for concept_id, decision in decisions.items()
            },
            "receipts": delivery.receipts,
            "problem": delivery.problem,
            "search_url": "api/search" if searchable else None,
            "language": language,
            "shown": SHOWN_AT_FIRST,
            "notice": notice,
            "empty": empty,
        },
        on_operations_change=on_operations,
    )


def sent_operations() -> object:
    """The decisions that the browser has just sent."""
    return st.session_state[KEY].get("operations")

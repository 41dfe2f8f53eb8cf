"""The tree of concepts with its search box: shows what was suggested, and takes decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from core.review.decisions.tree import rule
from core.review.keys import shortcuts
from core.review.reports.document_state import DocumentState
from core.review.reports.outline import OutlineNode
from core.vocabulary.conventions import Conventions
from pages.components import register

KEY = "tree"
SHOWN_AT_FIRST = 25
STYLES = ("workbench.css", "shared/search.css", "tree.css", "shared/card.css", "codes.css")


def concept_tree(
    document_id: str,
    *,
    nodes: Sequence[OutlineNode],
    state: DocumentState,
    keys: Mapping[str, str],
    conventions: Conventions,
    language: str,
    facts: Mapping[str, Any],
    signed_in: int | None,
    on_go: Callable[[], None],
    on_propose: Callable[[], None],
) -> None:
    """Draw the tree of a document.

    Args:
        keys: the key of every action that these conventions have.
        facts: `title`, `last_day` (of an encounter, or ""), `searchable`, `hints` (whether there may be some), `every_level` (whether
            nothing is folded), `next_order` (of the key for the next suggestion), `notice` (a
            sentence above the tree), `unrated` (whether percentages are withheld), `listed_share` (share of
            the concepts that are expected among the suggestions, or None), `is_measured` (whether probabilities were
            fitted on documents like this one), `run_id` (of the suggestions), `empty` (what stands in place of a tree without rows),
            `has_guidelines` (of the project), `reads_alone` (whether the person may not decide, or why), `may_review` (whether they judge finished ones), `own_outcome` (why they do not approve this one, or ""),
            `sides` (both annotations, for who adjudicates, or None), `stay` (of an encounter, in words), `is_grouped` (whether its group is shown), `proposed` (terms), `said` (a sentence, once).
        signed_in: who reads it, as `DocumentState.facts` takes them.
        on_go: called to turn to the document of an id, or to the "next" one.
        on_propose: called for a term that the vocabulary lacks, or the withdrawal of one.
    """
    search_url = f"api/search?document={quote(document_id, safe='')}"
    register("tree", folder="tree", entry="workbench.js", styles=STYLES)(
        key=KEY,
        data={
            "document_id": document_id,
            "nodes": list(nodes),
            **state.facts(signed_in),
            "search_url": search_url if facts.get("searchable") else None,
            "decisions_url": "api/decisions",
            "outline_url": "api/outline",
            "below_url": "api/below",
            "check_url": "api/check",
            "drg_url": "api/drg" if facts.get("is_grouped") else None,
            "hints_url": "api/hints" if facts.get("hints") else None,
            "conventions": asdict(conventions),
            "language": language,
            "keys": dict(keys),
            "rule": list(rule()),
            "shortcuts": [
                {"action": shortcut.action, "words": shortcut.words}
                for shortcut in shortcuts(conventions)
            ],
            "shown": SHOWN_AT_FIRST,
            **facts,
        },
        on_go_change=on_go,
        on_propose_change=on_propose,
    )

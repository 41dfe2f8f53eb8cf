"""How decisions look on the tree: what was decided there, and what follows for the levels above."""

from __future__ import annotations

from collections.abc import Mapping

from core.review.decisions import Decision
from core.vocabulary.concepts import Hierarchy


def tree_states(hierarchy: Hierarchy, decisions: Mapping[str, Decision]) -> dict[str, str]:
    """The state of every concept that is decided or implied; all others are undecided.

    An accepted concept implies all its ancestors. What a person decided on an ancestor stays as
    decided: rejecting a concept says nothing about the narrower ones.

    Returns:
        "accepted", "rejected" or "implied" by concept id; a decided concept that the vocabulary
        no longer has keeps its state and implies nothing.
    """
    states: dict[str, str] = {}
    for concept_id, decision in decisions.items():
        if decision.state == "accepted" and concept_id in hierarchy:
            states.update(dict.fromkeys(hierarchy.ancestors(concept_id), "implied"))
    return states | {concept_id: decision.state for concept_id, decision in decisions.items()}

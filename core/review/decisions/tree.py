"""How decisions look on the tree: what was decided there, and what follows for other concepts.

`assets/components/tree/states.js` is the same rule in the browser, where a key is answered at once; a
test holds the two together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from core.vocabulary.concepts import Hierarchy


class TreeDecision(Protocol):
    """What the tree needs of a decision."""

    @property
    def state(self) -> str:
        """Either "accepted", "rejected", "excluded" or "open"."""
        ...


class TreeState(NamedTuple):
    """How one concept stands.

    Attributes:
        word: "accepted", "rejected", "excluded" (nothing in this branch) and "open" (a category of
            which a code is still to be chosen) were decided here;
            "conflict" was accepted below an excluded concept; "below excluded" and "implied" (a
            narrower concept is accepted) follow from decisions elsewhere; "unresolved" is none of
            these, and waits for a decision.
        causes: the decisions that it follows from, by concept id, in order: the excluded concepts
            above, or the accepted ones below. Empty where it was decided here, or waits.
        unresolved: whether a decision is still wanted; an implied concept may be suggested too.
    """

    word: str
    causes: tuple[str, ...] = ()
    unresolved: bool = False


def tree_states(
    hierarchy: Hierarchy,
    decisions: Mapping[str, TreeDecision],
    *,
    suggested: Collection[str] = (),
) -> dict[str, TreeState]:
    """Return the state of every decided or suggested concept, and of all that is above one.

    Rejecting a concept says nothing about what is below it; excluding does, on every path. A
    decided concept that the vocabulary no longer has keeps its state and says nothing of others.

    Args:
        suggested: what is shown to be decided, by a model or because it came with the document.
    Returns:
        By concept id; a concept of which there is nothing to say has no entry.
    """
    excluded = {c for c, d in decisions.items() if d.state == "excluded"}
    below = _accepted_below(hierarchy, decisions)
    states = {}
    for concept_id in _concerned(hierarchy, [*decisions, *suggested]):
        above = hierarchy.ancestors(concept_id) if concept_id in hierarchy else frozenset()
        decision = decisions.get(concept_id)
        state = _state(
            decision.state if decision else None,
            barring=sorted(excluded & above),
            implying=sorted(below.get(concept_id, ())),
            suggested=concept_id in suggested,
        )
        if state is not None:
            states[concept_id] = state
    return states


def _state(
    decided: str | None, *, barring: list[str], implying: list[str], suggested: bool
) -> TreeState | None:
    if decided == "accepted" and barring:
        return TreeState("conflict", tuple(barring))
    if decided == "open" and implying:  # a code below it was chosen
        return TreeState("implied", tuple(implying))
    if decided is not None:
        return TreeState(decided)
    if barring:
        return TreeState("below excluded", tuple(barring))
    if implying:
        return TreeState("implied", tuple(implying), unresolved=suggested)
    return TreeState("unresolved", unresolved=True) if suggested else None


def _accepted_below(
    hierarchy: Hierarchy, decisions: Mapping[str, TreeDecision]
) -> dict[str, set[str]]:
    """For every concept above an accepted one, the accepted ones that are below it."""
    below: dict[str, set[str]] = {}
    for concept_id, decision in decisions.items():
        if decision.state == "accepted" and concept_id in hierarchy:
            for above in hierarchy.ancestors(concept_id):
                below.setdefault(above, set()).add(concept_id)
    return below


def _concerned(hierarchy: Hierarchy, concept_ids: Iterable[str]) -> list[str]:
    wanted = dict.fromkeys(concept_ids)
    present = [concept_id for concept_id in wanted if concept_id in hierarchy]
    return list(wanted | dict.fromkeys(sorted(hierarchy.augment(present))))

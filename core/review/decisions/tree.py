"""How decisions look on the tree: what was decided there, and what follows for other concepts.

The rule is the table `assets/tree_states.tsv`: the first row that fits a concept says how it stands.
The browser is handed the same rows, because a key is answered there without asking the server.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import NamedTuple, Protocol

from core.settings import PROJECT_ROOT
from core.vocabulary.concepts import Hierarchy

TABLE = PROJECT_ROOT / "assets" / "tree_states.tsv"
CONDITIONS = ("decided", "excluded_above", "accepted_below", "suggested")


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


@cache
def rule() -> tuple[dict[str, str], ...]:
    """Return the rows of the rule, in the order in which they are tried.

    Each has the conditions, where "*" fits everything, and what they lead to: `word`, `causes` (the
    condition whose concepts are the causes, or "") and `unresolved`.
    """
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, delimiter="\t"))


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
            decision.state if decision else "no",
            {
                "excluded_above": sorted(excluded & above),
                "accepted_below": sorted(below.get(concept_id, ())),
            },
            suggested=concept_id in suggested,
        )
        if state is not None:
            states[concept_id] = state
    return states


def _state(decided: str, causes: Mapping[str, list[str]], *, suggested: bool) -> TreeState | None:
    facts = {"decided": decided, "suggested": _yes(suggested)}
    facts |= {name: _yes(bool(concept_ids)) for name, concept_ids in causes.items()}
    for row in rule():
        if all(row[name] in ("*", facts[name]) for name in CONDITIONS):
            cause_states = tuple(causes.get(row["causes"], ()))
            return TreeState(row["word"], cause_states, unresolved=row["unresolved"] == "yes")
    return None


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


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

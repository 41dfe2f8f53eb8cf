"""How decisions look on the tree: what was decided there, and what follows for other concepts.

The rule is the table `assets/tree_states.tsv`: the first row that fits a concept says how it stands.
The browser is handed the same rows, because a key is answered there without asking the server.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from core.paths import PROJECT_ROOT
from core.vocabulary.concepts import Hierarchy

TABLE = PROJECT_ROOT / "assets" / "tree_states.tsv"


@cache
def rule() -> tuple[dict[str, str], ...]:
    """Return the rows of the rule, in the order in which they are tried.

    Each has the conditions, where "*" fits everything, and what they lead to: `word`, `causes` (the
    condition whose concepts are the causes, or "") and `unresolved`.
    """
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file, delimiter="\t"))


def tree_states(
    hierarchy: Hierarchy, decided: Mapping[str, str], *, suggested: Collection[str] = ()
) -> dict[str, str]:
    """Return how every decided or suggested concept stands, and all that is above one.

    Rejecting a concept says nothing about what is below it; excluding does, on every path. A
    decided concept that the vocabulary no longer has keeps its state and says nothing of others.

    Args:
        decided: "accepted", "rejected", "excluded" or "open", by concept id.
        suggested: what is shown to be decided, by a model or because it came with the document.
    Returns:
        The word of the rule by concept id: "accepted", "rejected", "excluded" (nothing in this
        branch) and "open" (a category of which a code is still to be chosen) were decided here;
        "conflict" was accepted below an excluded concept; "below excluded" and "implied" (a
        narrower concept is accepted) follow from decisions elsewhere; "unresolved" is none of
        these, and waits for a decision. A concept of which there is nothing to say has no entry.
    """
    excluded = {i for i, state in decided.items() if state == "excluded"}
    accepted = [i for i, state in decided.items() if state == "accepted" and i in hierarchy]
    implied = {above for concept_id in accepted for above in hierarchy.ancestors(concept_id)}
    states = {}
    for concept_id in _concerned(hierarchy, [*decided, *suggested]):
        above = hierarchy.ancestors(concept_id) if concept_id in hierarchy else frozenset()
        facts = {
            "decided": decided.get(concept_id, "no"),
            "excluded_above": _yes(not excluded.isdisjoint(above)),
            "accepted_below": _yes(concept_id in implied),
            "suggested": _yes(concept_id in suggested),
        }
        for row in rule():
            if all(row[name] in ("*", fact) for name, fact in facts.items()):
                states[concept_id] = row["word"]
                break
    return states


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _concerned(hierarchy: Hierarchy, concept_ids: Iterable[str]) -> list[str]:
    wanted = dict.fromkeys(concept_ids)
    present = [concept_id for concept_id in wanted if concept_id in hierarchy]
    return list(wanted | dict.fromkeys(sorted(hierarchy.augment(present))))

"""Plain functions over broader links, given as concept id to ids of broader concepts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from core.errors import VocabularyError

Links = Mapping[str, Sequence[str]]

MOST_LEVELS = 60


def inverse(links: Links) -> dict[str, list[str]]:
    """Concept id to ids of narrower concepts, in the order of the links."""
    narrower: dict[str, list[str]] = {concept_id: [] for concept_id in links}
    for concept_id, broader in links.items():
        for above in broader:
            narrower[above].append(concept_id)
    return narrower


def longest_paths(links: Links, narrower: Links) -> dict[str, int]:
    """Level of every concept that is not in or below a cycle, 1 = without a broader concept.

    Source: Kahn (1962), topological sorting: what has no broader concept left is taken off. They
    go off level by level, so the last of the broader ones to go is one of the lowest.
    """
    waiting = {concept_id: len(broader) for concept_id, broader in links.items()}
    queue = [concept_id for concept_id, count in waiting.items() if not count]
    level = dict.fromkeys(queue, 1)
    for concept_id in queue:  # which grows meanwhile
        for below in narrower[concept_id]:
            waiting[below] -= 1
            if not waiting[below]:
                level[below] = level[concept_id] + 1
                queue.append(below)
    return level


def refuse_deep(links: Links, level: Mapping[str, int], name: Callable[[str], str]) -> None:
    """Refuse links that make more levels than any vocabulary has.

    A concept is kept with all that is above it, so a chain of 100,000 would fill the memory.

    Raises:
        VocabularyError: it says between which concepts the longest path runs.
    """
    lowest = max(level, key=level.__getitem__, default="")
    if level.get(lowest, 0) <= MOST_LEVELS:
        return
    top = lowest
    while above := [broader for broader in links[top] if broader in level]:
        top = max(above, key=level.__getitem__)
    raise VocabularyError(
        f"The vocabulary has {level[lowest]:,} levels, from {name(top)} down to {name(lowest)}; "
        f"at most {MOST_LEVELS} can be read, and real ones have 8 to 15. Look among its broader "
        "links for those that make a chain of what should stand side by side."
    )


def cycle_outside(links: Links, level: Mapping[str, int]) -> list[str]:
    """Return a cycle among the concepts without a level, upwards and back to the first."""
    path = [next(concept_id for concept_id in links if concept_id not in level)]
    while path.count(path[-1]) == 1:
        path.append(next(above for above in links[path[-1]] if above not in level))
    return path[path.index(path[-1]) :]


def bridged(broader: Iterable[str], links: Links, gone: Collection[str]) -> tuple[str, ...]:
    """Broader ids with each one that is gone replaced by the nearest above it that is not."""
    pairs: dict[str, None] = {}
    seen: set[str] = set()
    stack = list(reversed(list(broader)))
    while stack:
        concept_id = stack.pop()
        if concept_id in seen:
            continue
        seen.add(concept_id)
        if concept_id in gone:
            stack.extend(reversed(links[concept_id]))
        else:
            pairs[concept_id] = None
    return tuple(pairs)

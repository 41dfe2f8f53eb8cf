"""Links of a file that cannot stand in a hierarchy, and what is done about each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.vocabulary.links import bridged

# Importing it takes a quarter of a second, which what reads no file need not wait for.
if TYPE_CHECKING:
    import networkx as nx

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing in a file that could not stand as it was.

    Attributes:
        concept: URI of the concept.
        problem: what is wrong, naming the concept.
        action: what was done about it.
    """

    concept: str
    problem: str
    action: str


def known_links(
    pairs: Pairs, names: Mapping[str, str], others: Mapping[str, str]
) -> tuple[list[tuple[str, str]], list[Repair]]:
    """Return the links between concepts of the file, in its order, none from a concept to itself.

    Args:
        pairs: (narrower, broader) URIs.
        names: concepts by URI, as a sentence names them.
        others: what else the file holds by URI, with its kind ("a collection").
    """
    remaining = []
    mended = []
    for narrower, broader in pairs:
        if narrower == broader and narrower in names:
            problem = f"{names[narrower]} is named as broader than itself"
            mended.append(Repair(narrower, problem, "the link was dropped"))
        elif narrower in names and broader in names:
            remaining.append((narrower, broader))
        elif narrower in names:
            reason = f"the broader concept {broader} of {names[narrower]} {_why(broader, others)}"
            mended.append(Repair(narrower, reason, "the link was dropped"))
        elif broader in names:
            reason = f"the narrower concept {narrower} of {names[broader]} {_why(narrower, others)}"
            mended.append(Repair(broader, reason, "the link was dropped"))
    return remaining, mended


def past_collections(
    stated: Pairs, members: Pairs, collections: Collection[str]
) -> list[tuple[str, str]]:
    """Return the links that are stated, with those that lead through a collection past it.

    What stands in an array of ISO 25964, or below a guide term, is narrower than the concept to
    which that belongs; a collection that belongs to none stays in the links that name it.

    Args:
        stated: (narrower, broader) URIs.
        members: (member, collection) and (collection, superordinate concept).
    """
    links: dict[str, list[str]] = defaultdict(list)
    for narrower, broader in [*stated, *members]:
        links[narrower].append(broader)

    def above(uri: str) -> list[str]:
        return [u for u in bridged([uri], links, collections) if u not in collections]

    remaining: dict[tuple[str, str], None] = {}
    for narrower, broader in stated:
        superordinate = above(broader) if broader in collections else []
        if not (narrower in collections and above(narrower)):
            remaining.update({(narrower, uri): None for uri in superordinate or [broader]})
    for member, collection in members:
        if member not in collections and collection in collections:
            reached = _all_above(member, links, collections)
            remaining.update(
                {(member, uri): None for uri in above(collection) if uri not in reached}
            )
    return list(remaining)


def _all_above(uri: str, links: Mapping[str, list[str]], collections: Collection[str]) -> set[str]:
    reached = {uri}
    stack = [uri]
    while stack:
        direct = {u for u in links.get(stack.pop(), ()) if u not in collections} - reached
        reached |= direct
        stack += direct
    return reached


def _why(uri: str, others: Mapping[str, str]) -> str:
    return f"is {others[uri]}, no concept" if uri in others else "is no concept of the file"


def bridge(pairs: Pairs, gone: Collection[str]) -> list[tuple[str, str]]:
    """Return the links without the concepts that are gone, past which they now lead."""
    if not gone:
        return list(pairs)
    links: dict[str, list[str]] = defaultdict(list)
    for narrower, broader in pairs:
        links[narrower].append(broader)
    missing = dict.fromkeys(gone)
    remaining: dict[tuple[str, str], None] = {}
    for narrower, broader in pairs:
        if narrower not in missing:
            remaining.update({(narrower, b): None for b in bridged([broader], links, missing)})
    return [(narrower, broader) for narrower, broader in remaining if narrower != broader]


def without_cycles(
    pairs: list[tuple[str, str]], names: Mapping[str, str]
) -> tuple[list[tuple[str, str]], list[Repair]]:
    """Drop each link that closes a cycle when the links are laid in the order of the file.

    Only links inside a strongly connected component can do so; a sound file costs one pass.
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph(pairs)
    knot = {
        uri: number
        for number, component in enumerate(nx.strongly_connected_components(graph))
        if len(component) > 1
        for uri in component
    }
    laid: nx.DiGraph[str] = nx.DiGraph()
    remaining = []
    mended = []
    for narrower, broader in pairs:
        if narrower in knot and knot[narrower] == knot.get(broader):
            path = _path(laid, broader, narrower)
            if path:
                mended.append(_closing(narrower, path, names))
                continue
            laid.add_edge(narrower, broader)
        remaining.append((narrower, broader))
    return remaining, mended


def _path(graph: nx.DiGraph[str], source: str, target: str) -> list[str]:
    import networkx as nx

    if source not in graph or target not in graph:
        return []
    try:
        return list(nx.bidirectional_shortest_path(graph, source, target))
    except nx.NetworkXNoPath:
        return []


def _closing(narrower: str, path: list[str], names: Mapping[str, str]) -> Repair:
    circle = " > ".join(names[uri] for uri in [*reversed(path), path[-1]][:8])
    problem = f"{names[path[0]]} as broader concept of {names[narrower]} closes a cycle: {circle}"
    return Repair(narrower, problem, f"the link to {path[0]} was dropped")


def transitive_reduction(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of transitive links without cycles, those that do not follow from the others."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph(pairs)
    reduced = nx.transitive_reduction(graph)
    return [pair for pair in pairs if reduced.has_edge(*pair)]

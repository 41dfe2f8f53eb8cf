"""A thesaurus of thirty concepts for suggestions without a model, and notes about them."""

from __future__ import annotations

from core.documents.document import Document
from core.suggest.protocol import FinishedDocument
from core.vocabulary.concepts import Concept, Hierarchy

_TREE = {
    "plants": ("fruit tree", "vegetable", "herb", "lawn", "hedge", "rose"),
    "tools": ("spade", "rake", "lawn mower", "wheelbarrow", "watering can", "pruning shears"),
    "work": ("sowing", "mulching", "pruning", "composting", "irrigation", "weed control"),
    "animals": ("honey bee", "earthworm", "snail", "hedgehog"),
    "places": ("greenhouse", "orchard", "allotment", "kitchen garden"),
}


def garden(*more: Concept) -> Hierarchy:
    """Return the thesaurus, with further concepts."""
    concepts = [_concept(top, (), assignable=True) for top in _TREE]
    concepts += [_concept(name, (_id(top),)) for top, names in _TREE.items() for name in names]
    return Hierarchy([*concepts, *more], vocabulary_id="garden", version="1")


def _concept(name: str, broader: tuple[str, ...], *, assignable: bool = True) -> Concept:
    uri = f"https://example.org/garden/{_id(name)}"
    return Concept(_id(name), uri, None, {"en": name}, broader=broader, assignable=assignable)


def _id(name: str) -> str:
    return name.replace(" ", "-")


def note(number: int, title: str, text: str = "") -> Document:
    """Return a document."""
    return Document.from_text(f"note-{number}", title, text)


def finished(
    document: Document,
    assigned: tuple[str, ...],
    rejected: tuple[str, ...] = (),
    *,
    version: int = 1,
) -> FinishedDocument:
    """Return a document as it was finished."""
    return FinishedDocument(document, version, assigned, rejected)


def slimy(number: int) -> Document:
    """Return one of many documents about snails, in none of which a label stands."""
    return note(number, f"Slimy visitors ate the lettuce in week {number}, traps were set")


SLUGS = [finished(slimy(number), ("snail",)) for number in range(10)]
"""Ten of them."""


def turtle() -> str:
    """Return the thesaurus as a file in Turtle."""
    hierarchy, scheme = garden(), "<https://example.org/garden>"
    lines = [
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .",
        f"{scheme} a skos:ConceptScheme .",
    ]
    for concept_id in hierarchy:
        concept = hierarchy[concept_id]
        broader = [f"skos:broader <{hierarchy[i].uri}> ;" for i in concept.broader]
        label = f'skos:prefLabel "{concept.label()}"@en ;'
        says = ["a skos:Concept ;", label, *broader, f"skos:inScheme {scheme} ."]
        lines.append(f"<{concept.uri}> {' '.join(says)}")
    return "\n".join(lines) + "\n"

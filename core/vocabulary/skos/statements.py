"""The SKOS statements of an RDF file, as they stand there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

SKOS = "http://www.w3.org/2004/02/skos/core#"
SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
ISO_THES = "http://purl.org/iso25964/skos-thes#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
DCTERMS = "http://purl.org/dc/terms/"
DC = "http://purl.org/dc/elements/1.1/"
GVP = "http://vocab.getty.edu/ontology#"
EUVOC = "http://publications.europa.eu/ontology/euvoc#"

CONCEPT = SKOS + "Concept"
SCHEME = SKOS + "ConceptScheme"

Labels = dict[str, list[tuple[str, str]]]
Pairs = dict[tuple[str, str], None]


def _pairs() -> Pairs:
    return {}


def _labels() -> Labels:
    return defaultdict(list)


@dataclass(slots=True)
class Statements:
    """The file's SKOS statements by subject; dicts serve as sets that keep the file's order.

    Attributes:
        types: classes of each resource that has any.
        pref, alt, hidden, other: (language, text) of the preferred, alternative, hidden and rdfs labels.
        titles: the same of titles, which schemes have.
        edges: (narrower, broader) as first stated, in either direction.
        transitive: the same for broaderTransitive and narrowerTransitive.
        members: (member, collection), and (collection, superordinate concept).
        member_of, top_of: (concept, scheme).
        schemes: all that are typed or used as a concept scheme.
        links: (resource, resource) by which a micro-thesaurus may name its domain.
        superclass: class to superclasses.
        notes: (language, text) of each kind of note.
        related: pairs of concepts.
        replaced_by: (old, new).
    """

    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    pref: Labels = field(default_factory=_labels)
    alt: Labels = field(default_factory=_labels)
    hidden: Labels = field(default_factory=_labels)
    other: Labels = field(default_factory=_labels)
    titles: Labels = field(default_factory=_labels)
    notation: dict[str, str] = field(default_factory=dict)
    edges: Pairs = field(default_factory=_pairs)
    transitive: Pairs = field(default_factory=_pairs)
    members: Pairs = field(default_factory=_pairs)
    member_of: Pairs = field(default_factory=_pairs)
    top_of: Pairs = field(default_factory=_pairs)
    links: Pairs = field(default_factory=_pairs)
    schemes: dict[str, None] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)
    versions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    superclass: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    notes: dict[str, Labels] = field(default_factory=lambda: defaultdict(_labels))
    related: Pairs = field(default_factory=_pairs)
    replaced_by: Pairs = field(default_factory=_pairs)
    n_statements: int = 0

    def classes(self, base: str) -> set[str]:
        """Return this class and all that the file declares to be below it."""
        classes = {base}
        while more := {c for c, above in self.superclass.items() if above & classes} - classes:
            classes |= more
        return classes

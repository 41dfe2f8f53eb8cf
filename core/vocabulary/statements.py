"""What an RDF file says in the words of SKOS, gathered as it stands and not yet judged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pyoxigraph as ox

from core.vocabulary.rdf import statements

SKOS = "http://www.w3.org/2004/02/skos/core#"
SKOS_XL = "http://www.w3.org/2008/05/skos-xl#"
ISO_THES = "http://purl.org/iso25964/skos-thes#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
DCTERMS = "http://purl.org/dc/terms/"
EUVOC = "http://publications.europa.eu/ontology/euvoc#"

CONCEPT = SKOS + "Concept"
SCHEME = SKOS + "ConceptScheme"

_BROADER = (
    SKOS + "broader",
    *(ISO_THES + name for name in ("broaderGeneric", "broaderPartitive", "broaderInstantial")),
)
_NARROWER = (
    SKOS + "narrower",
    *(ISO_THES + name for name in ("narrowerGeneric", "narrowerPartitive", "narrowerInstantial")),
)
_STATUS = (
    EUVOC + "status",
    ISO_THES + "status",
    "http://www.w3.org/ns/adms#status",
    "http://www.w3.org/2003/06/sw-vocab-status/ns#term_status",
)
_DOMAIN_LINKS = (DCTERMS + "subject", EUVOC + "domain", "http://eurovoc.europa.eu/schema#domain")
_RETIRED = {"DEPRECATED", "WITHDRAWN", "OBSOLETE", "RETIRED"}
_TRUE = {"true", "1"}

Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple
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
        pref, alt, other: (language, text) of the preferred, alternative and rdfs labels.
        edges: (narrower, broader) as first stated, in either direction.
        transitive: the same for broaderTransitive and narrowerTransitive.
        member_of, top_of: (concept, scheme).
        schemes: all that are typed or used as a concept scheme.
        links: (resource, resource) by which a micro-thesaurus may name its domain.
        superclass: class to superclasses.
    """

    types: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    pref: Labels = field(default_factory=_labels)
    alt: Labels = field(default_factory=_labels)
    other: Labels = field(default_factory=_labels)
    notation: dict[str, str] = field(default_factory=dict)
    edges: Pairs = field(default_factory=_pairs)
    transitive: Pairs = field(default_factory=_pairs)
    member_of: Pairs = field(default_factory=_pairs)
    top_of: Pairs = field(default_factory=_pairs)
    links: Pairs = field(default_factory=_pairs)
    schemes: dict[str, None] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)
    versions: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    superclass: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    n_statements: int = 0

    def classes(self, base: str) -> set[str]:
        """This class and all that the file declares to be below it."""
        found = {base}
        while more := {c for c, above in self.superclass.items() if above & found} - found:
            found |= more
        return found


def gather(path: Path) -> Statements:
    """Read the whole file once.

    Raises:
        VocabularyError: the file cannot be read, or is no RDF.
    """
    found = Statements()
    labels = _LexicalLabels(found)
    handlers = _handlers(found, labels)
    count = 0
    for quad in statements(path):
        count += 1
        handle = handlers.get(quad.predicate.value)
        if handle is not None:
            handle(_name(quad.subject), quad.object)
    found.n_statements = count
    labels.resolve()
    found.types = dict(found.types)
    return found


Handler = Callable[[str, Node], None]


def _handlers(found: Statements, labels: _LexicalLabels) -> dict[str, Handler]:
    """What to do with a statement, by its predicate."""

    def scheme_pair(pairs: Pairs) -> Handler:
        def handle(concept: str, scheme: Node) -> None:
            pairs[concept, _name(scheme)] = None
            found.schemes[_name(scheme)] = None

        return handle

    def has_top_concept(scheme: str, concept: Node) -> None:
        found.top_of[_name(concept), scheme] = None
        found.schemes[scheme] = None

    def is_a(subject: str, kind: Node) -> None:
        found.types[subject].add(_name(kind))
        if _name(kind) == SCHEME:
            found.schemes[subject] = None

    return {
        RDF_TYPE: is_a,
        SKOS + "prefLabel": _label(found.pref),
        SKOS + "altLabel": _label(found.alt),
        RDFS + "label": _label(found.other),
        SKOS + "notation": lambda s, o: _first(found.notation, s, o),
        SKOS + "inScheme": scheme_pair(found.member_of),
        SKOS + "topConceptOf": scheme_pair(found.top_of),
        SKOS + "hasTopConcept": has_top_concept,
        SKOS + "broaderTransitive": _edge(found.transitive),
        SKOS + "narrowerTransitive": _edge(found.transitive, downwards=True),
        SKOS_XL + "prefLabel": lambda s, o: labels.pref.append((s, _name(o))),
        SKOS_XL + "altLabel": lambda s, o: labels.alt.append((s, _name(o))),
        SKOS_XL + "literalForm": _label(labels.forms),
        OWL + "deprecated": lambda s, o: _retire(found, s, _name(o) in _TRUE),
        OWL + "versionInfo": lambda s, o: found.versions[s].insert(0, _name(o)),
        DCTERMS + "modified": lambda s, o: found.versions[s].append(_name(o)),
        DCTERMS + "issued": lambda s, o: found.versions[s].append(_name(o)),
        RDFS + "subClassOf": lambda s, o: found.superclass[s].add(_name(o)),
        **dict.fromkeys(_BROADER, _edge(found.edges)),
        **dict.fromkeys(_NARROWER, _edge(found.edges, downwards=True)),
        **dict.fromkeys(_STATUS, lambda s, o: _retire(found, s, _segment(o) in _RETIRED)),
        **dict.fromkeys(_DOMAIN_LINKS, _edge(found.links)),
    }


@dataclass(slots=True)
class _LexicalLabels:
    """SKOS-XL: labels that are resources, resolved when all of the file is read."""

    found: Statements
    pref: list[tuple[str, str]] = field(default_factory=list)
    alt: list[tuple[str, str]] = field(default_factory=list)
    forms: Labels = field(default_factory=_labels)

    def resolve(self) -> None:
        """Add the literal forms to the plain labels."""
        for pairs, labels in ((self.pref, self.found.pref), (self.alt, self.found.alt)):
            for concept, label in pairs:
                if label in self.forms:
                    labels[concept].extend(self.forms[label])


def _label(labels: Labels) -> Handler:
    def handle(subject: str, label: Node) -> None:
        if isinstance(label, ox.Literal):
            text = " ".join(label.value.split())
            if text:
                labels[subject].append((label.language or "", text))

    return handle


def _edge(pairs: Pairs, *, downwards: bool = False) -> Handler:
    """Collect (subject, object), or (object, subject) of a property that points to the narrower."""

    def handle(subject: str, target: Node) -> None:
        if not isinstance(target, ox.Literal):
            other = _name(target)
            pairs[(other, subject) if downwards else (subject, other)] = None

    return handle


def _first(values: dict[str, str], subject: str, value: Node) -> None:
    text = _name(value).strip()
    if text:
        values.setdefault(subject, text)


def _retire(found: Statements, subject: str, retired: bool) -> None:
    if retired:
        found.deprecated.add(subject)


def _name(node: Node) -> str:
    """A URI as it is, a blank node with its mark, the text of a literal."""
    if isinstance(node, ox.BlankNode):
        return f"_:{node.value}"
    return str(node) if isinstance(node, ox.Triple) else node.value


def _segment(node: Node) -> str:
    return _name(node).rpartition("/")[2].rpartition("#")[2].upper()

"""Gathers the SKOS statements of an RDF file in one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import pyoxigraph as ox

from core.vocabulary.folding import label_line
from core.vocabulary.reading import Progress
from core.vocabulary.skos.rdf import statements
from core.vocabulary.skos.statements import (
    DC,
    DCTERMS,
    EUVOC,
    GVP,
    ISO_THES,
    OWL,
    RDF_TYPE,
    RDFS,
    SCHEME,
    SKOS,
    SKOS_XL,
    Labels,
    Pairs,
    Statements,
)

Node = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple
Handler = Callable[[str, Node], None]

# Subproperties of `broader` and `narrower`, by their last word: ISO 25964 and older extensions of
# SKOS have them under several namespaces.
_BROADER_WORDS = {
    *("broaderGeneric", "broaderPartitive", "broaderInstantial", "broaderPreferred"),
    *("broaderNonPreferred", "BTG", "BTP", "BTI"),
}
_NARROWER_WORDS = {
    *("narrowerGeneric", "narrowerPartitive", "narrowerInstantial"),
    *("NTG", "NTP", "NTI"),
}
_STATUS_WORDS = {"status", "term_status"}
_RETIRED = {"DEPRECATED", "WITHDRAWN", "OBSOLETE", "RETIRED"}
# The order in which a person reads them.
NOTE_KINDS = (
    *("definition", "scopeNote", "note", "example"),
    *("historyNote", "changeNote", "editorialNote"),
)
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_DOMAIN_LINKS = (DCTERMS + "subject", EUVOC + "domain", "http://eurovoc.europa.eu/schema#domain")


def gather_statements(path: Path, on_progress: Progress | None = None) -> Statements:
    """Read the whole file once, or twice where it declares properties of its own below SKOS's.

    Raises:
        VocabularyError: the file cannot be read, or is no RDF.
    """
    gatherer = _Gatherer({})
    statements = gatherer.read(path, on_progress)
    if synonyms := gatherer.own_properties():
        statements = _Gatherer(synonyms).read(path, on_progress)
    return statements


class _Gatherer:
    """Sorts statements by predicate.

    Args:
        own: properties to be read as the SKOS property that the file declares them to be below.
    """

    def __init__(self, synonyms: Mapping[str, str]) -> None:
        self.found = Statements()
        self._label_resources: tuple[Pairs, Pairs, Pairs] = ({}, {}, {})
        self._forms: Labels = defaultdict(list)
        self._lists: Pairs = {}
        self._first: Pairs = {}
        self._rest: Pairs = {}
        self._note_resources: dict[tuple[str, str, str], None] = {}
        self._values: Labels = defaultdict(list)
        self._handlers: dict[str, Handler | None] = dict(self._known_handlers())
        self._handlers.update({p: self._handlers[handled] for p, handled in synonyms.items()})
        self._unread: set[str] = set()
        self._above: dict[str, set[str]] = defaultdict(set)
        self._blank: dict[str, str] = {}

    def read(self, path: Path, on_progress: Progress | None) -> Statements:
        """Go through the file."""
        handlers = self._handlers
        count = 0
        for quad in statements(path, on_progress):
            count += 1
            predicate = quad.predicate.value
            handle = handlers[predicate] if predicate in handlers else self._meet(predicate)
            if handle is not None:
                handle(self._name(quad.subject), quad.object)
        self.found.n_statements = count
        self._resolve_labels()
        self._resolve_lists()
        self._resolve_notes()
        return self.found

    def own_properties(self) -> dict[str, str]:
        """Unread properties that occur, each with the SKOS one that it is declared to be below.

        Not through a mapping property: SKOS itself puts `broadMatch` below `broader`, but it leads
        to other vocabularies.
        """
        handled = {p for p in self._known_handlers() if p.startswith(SKOS)}
        synonyms = {}
        for unread in self._unread:
            above = {unread}
            while (
                more := set().union(
                    *(self._above.get(p, ()) for p in above if not p.startswith(SKOS))
                )
                - above
            ):
                above |= more
            if not unread.startswith(SKOS) and (first := min(above & handled, default=None)):
                synonyms[unread] = first
        return synonyms

    def _meet(self, predicate: str) -> Handler | None:
        """Return what to do with a property that was not seen before, by its last word."""
        word = _last_word(predicate)
        handle: Handler | None = None
        if word in _BROADER_WORDS:
            handle = self._edge(self.found.edges)
        elif word in _NARROWER_WORDS:
            handle = self._edge(self.found.edges, downwards=True)
        elif word in _STATUS_WORDS:
            handle = self._status
        else:
            self._unread.add(predicate)
        self._handlers[predicate] = handle
        return handle

    def _known_handlers(self) -> dict[str, Handler]:
        statements = self.found
        return {
            RDF_TYPE: self._type,
            SKOS + "prefLabel": self._label(statements.pref),
            SKOS + "altLabel": self._label(statements.alt),
            SKOS + "hiddenLabel": self._label(statements.hidden),
            SKOS + "notation": self._notation,
            SKOS + "broader": self._edge(statements.edges),
            SKOS + "narrower": self._edge(statements.edges, downwards=True),
            SKOS + "broaderTransitive": self._edge(statements.transitive),
            SKOS + "narrowerTransitive": self._edge(statements.transitive, downwards=True),
            SKOS + "member": self._edge(statements.members, downwards=True),
            SKOS + "memberList": self._edge(self._lists, downwards=True),
            ISO_THES + "superOrdinate": self._edge(statements.members),
            ISO_THES + "subordinateArray": self._edge(statements.members, downwards=True),
            GVP + "broader": self._edge(statements.edges),
            GVP + "narrower": self._edge(statements.edges, downwards=True),
            _RDF + "first": self._edge(self._first),
            _RDF + "rest": self._edge(self._rest),
            SKOS + "inScheme": self._in_scheme(statements.member_of),
            SKOS + "topConceptOf": self._in_scheme(statements.top_of),
            SKOS + "hasTopConcept": self._has_top_concept,
            SKOS_XL + "prefLabel": lambda s, o: self._label_resource(0, s, o),
            SKOS_XL + "altLabel": lambda s, o: self._label_resource(1, s, o),
            SKOS_XL + "hiddenLabel": lambda s, o: self._label_resource(2, s, o),
            SKOS_XL + "literalForm": self._label(self._forms),
            RDFS + "label": self._label(statements.other),
            DCTERMS + "title": self._label(statements.titles),
            DC + "title": self._label(statements.titles),
            RDFS + "subClassOf": lambda s, o: statements.superclass[s].add(self._name(o)),
            RDFS + "subPropertyOf": lambda s, o: self._above[s].add(self._name(o)),
            OWL + "deprecated": self._deprecated,
            OWL + "versionInfo": lambda s, o: statements.versions[s].insert(0, self._name(o)),
            DCTERMS + "modified": lambda s, o: statements.versions[s].append(self._name(o)),
            DCTERMS + "issued": lambda s, o: statements.versions[s].append(self._name(o)),
            SKOS + "related": self._edge(statements.related),
            DCTERMS + "isReplacedBy": self._edge(statements.replaced_by),
            DCTERMS + "replaces": self._edge(statements.replaced_by, downwards=True),
            _RDF + "value": self._note_text(self._values),
            **{SKOS + kind: self._note(kind) for kind in NOTE_KINDS},
            **dict.fromkeys(_DOMAIN_LINKS, self._edge(statements.links)),
        }

    def _type(self, subject: str, kind: Node) -> None:
        name = self._name(kind)
        self.found.types[subject].add(name)
        if name == SCHEME:
            self.found.schemes[subject] = None

    def _label(self, labels: Labels) -> Handler:
        def handle(subject: str, label: Node) -> None:
            if isinstance(label, ox.Literal):
                text = label_line(label.value)
                if text:
                    labels[subject].append((_language(label), text))

        return handle

    def _note(self, kind: str) -> Handler:
        take = self._note_text(self.found.notes[kind])

        def handle(subject: str, note: Node) -> None:
            if isinstance(note, ox.Literal):
                take(subject, note)
            else:
                self._note_resources[kind, subject, self._name(note)] = None

        return handle

    def _note_text(self, notes: Labels) -> Handler:
        def handle(subject: str, note: Node) -> None:
            if isinstance(note, ox.Literal) and (text := _paragraphs(note.value)):
                notes[subject].append((_language(note), text))

        return handle

    def _edge(self, pairs: Pairs, *, downwards: bool = False) -> Handler:
        """Collect (subject, object), or the reverse where the property leads to the narrower."""

        def handle(subject: str, target: Node) -> None:
            if not isinstance(target, ox.Literal):
                other = self._name(target)
                pairs[(other, subject) if downwards else (subject, other)] = None

        return handle

    def _in_scheme(self, pairs: Pairs) -> Handler:
        def handle(concept: str, scheme: Node) -> None:
            if not isinstance(scheme, ox.Literal):
                pairs[concept, self._name(scheme)] = None
                self.found.schemes[self._name(scheme)] = None

        return handle

    def _has_top_concept(self, scheme: str, concept: Node) -> None:
        self.found.top_of[self._name(concept), scheme] = None
        self.found.schemes[scheme] = None

    def _notation(self, subject: str, notation: Node) -> None:
        text = label_line(self._name(notation))
        if text:
            self.found.notation.setdefault(subject, text)

    def _deprecated(self, subject: str, value: Node) -> None:
        if self._name(value).strip().lower() in {"true", "1"}:
            self.found.deprecated.add(subject)

    def _status(self, subject: str, value: Node) -> None:
        if _last_word(self._name(value)).upper() in _RETIRED:
            self.found.deprecated.add(subject)

    def _label_resource(self, place: int, concept: str, label: Node) -> None:
        self._label_resources[place][concept, self._name(label)] = None

    def _resolve_labels(self) -> None:
        """SKOS-XL: add the literal forms of labels that are resources to the plain labels."""
        plain = (self.found.pref, self.found.alt, self.found.hidden)
        for pairs, labels in zip(self._label_resources, plain, strict=True):
            for concept, label in pairs:
                labels[concept].extend(self._forms.get(label, ()))

    def _resolve_lists(self) -> None:
        """Add the members that an ordered collection names in a list."""
        first, rest = dict(self._first.keys()), dict(self._rest.keys())
        for node, collection in self._lists:
            while member := first.pop(node, None):  # once, so that a list in a circle ends
                self.found.members[member, collection] = None
                node = rest.get(node, "")

    def _resolve_notes(self) -> None:
        """A note may be a resource whose rdf:value is the text."""
        for kind, concept, note in self._note_resources:
            if texts := self._values.get(note):
                self.found.notes[kind][concept].extend(texts)

    def _name(self, node: Node) -> str:
        """Return a URI or the text of a literal; blank nodes are numbered in the order of the file.

        The parser gives a new random name to a blank node that has none in the file.
        """
        if isinstance(node, ox.BlankNode):
            return self._blank.setdefault(node.value, f"_:b{len(self._blank) + 1}")
        return str(node) if isinstance(node, ox.Triple) else node.value


def _language(text: ox.Literal) -> str:
    """Return the tag of a text, "" without one; RDF/XML is read with those of Java, such as en_US."""
    return (text.language or "").replace("_", "-")


def _last_word(uri: str) -> str:
    return uri.rstrip("/#").replace("#", "/").rpartition("/")[2]


def _paragraphs(text: str) -> str:
    """Return the text with its lines, without empty ones and white space around them."""
    lines = map(label_line, text.splitlines())
    return "\n".join(line for line in lines if line)

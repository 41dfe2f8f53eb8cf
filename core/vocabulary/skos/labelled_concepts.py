"""Which resources of an RDF file are concepts, and by what labels they go."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from core.errors import VocabularyError
from core.vocabulary.repairs import Repair
from core.vocabulary.skos.eurovoc import Divisions
from core.vocabulary.skos.statements import CONCEPT, ISO_THES, SCHEME, SKOS, SKOS_XL, Statements

_COLLECTIONS = (
    SKOS + "Collection",
    SKOS + "OrderedCollection",
    ISO_THES + "ThesaurusArray",
    ISO_THES + "ConceptGroup",
)
COLLECTION = "a collection"
_KINDS = {SCHEME: "a concept scheme", SKOS_XL + "Label": "a label"}


@dataclass(frozen=True, slots=True)
class LabelledConcepts:
    """The concepts of a file under their URIs, in its order.

    Attributes:
        pref, alt, hidden: labels of each concept, by language.
        unlabelled: concepts that go by no name, and so are left out.
        others: what else there is that a link may lead to, with its kind ("a collection").
        names: each concept, unlabelled ones too, as a sentence names it.
    """

    pref: dict[str, dict[str, str]]
    alt: dict[str, dict[str, tuple[str, ...]]]
    hidden: dict[str, dict[str, tuple[str, ...]]]
    unlabelled: list[str]
    others: dict[str, str]
    names: dict[str, str]
    mended: list[Repair]

    @property
    def collections(self) -> set[str]:
        """URIs of the collections, among them the arrays of ISO 25964 and Getty's guide terms."""
        return {uri for uri, kind in self.others.items() if kind == COLLECTION}


def label_concepts(
    statements: Statements, divided: Divisions | None, path: Path
) -> LabelledConcepts:
    """Tell concepts from the rest, and give each one preferred label a language.

    Raises:
        VocabularyError: there is no concept, or none with a label.
    """
    others = _others(statements)
    typed = _typed(statements)
    implied = _implied(statements, typed, others)
    divisions = dict.fromkeys([*divided.domains, *divided.thesauri]) if divided else {}
    uris = list(dict.fromkeys([*divisions, *typed, *implied]))
    if not uris:
        raise VocabularyError(
            f"{path} holds {statements.n_statements} RDF statements but no skos:Concept; "
            "give a vocabulary in SKOS."
        )
    result = LabelledConcepts({}, {}, {}, [], others, {}, [])
    for uri in implied:
        problem = f"{_name(statements, uri)} is used as a concept, but is not declared as one"
        result.mended.append(Repair(uri, problem, "it was read as a concept"))
    for uri in uris:
        _add(result, statements, uri)
    if not result.pref:
        raise VocabularyError(
            f"{path} holds {len(uris)} concepts and not one label; add skos:prefLabel to them."
        )
    return result


def _typed(statements: Statements) -> list[str]:
    """Declared as concepts; a class below skos:Concept counts where there is a SKOS label too."""
    below = statements.classes(CONCEPT) - {CONCEPT}
    return [
        uri
        for uri, kinds in statements.types.items()
        if CONCEPT in kinds or (kinds & below and (uri in statements.pref or uri in statements.alt))
    ]


def _others(statements: Statements) -> dict[str, str]:
    """Schemes, collections and labels: never concepts unless the file says that they are."""
    kinds = dict(_KINDS)
    for base in _COLLECTIONS:
        kinds.update(dict.fromkeys(statements.classes(base), COLLECTION))
    others = dict.fromkeys(statements.schemes, _KINDS[SCHEME])
    for uri, types in statements.types.items():
        if CONCEPT not in types and types & kinds.keys():
            others[uri] = kinds[min(types & kinds.keys())]
    return {u: k for u, k in others.items() if CONCEPT not in statements.types.get(u, ())}


def _implied(statements: Statements, typed: list[str], others: dict[str, str]) -> list[str]:
    """Not declared, but with a preferred label and used as only a concept is.

    Membership in a scheme says so only of a resource that has no class at all: schemes may hold
    labels and groups of other vocabularies' own classes.
    """
    used = dict.fromkeys(
        uri for pair in [*statements.edges, *statements.transitive] for uri in pair
    )
    used.update(dict.fromkeys(uri for uri, _ in statements.top_of))
    used.update(
        dict.fromkeys(uri for uri, _ in statements.member_of if uri not in statements.types)
    )
    declared = set(typed)
    return [u for u in used if u in statements.pref and u not in declared and u not in others]


def _add(result: LabelledConcepts, statements: Statements, uri: str) -> None:
    """Give a concept its labels, or leave it out."""
    pref, spare = _preferred(statements.pref.get(uri, []))
    stand_in = None if pref else _stand_in(statements, uri)
    if stand_in:
        kind, pref = stand_in
        problem = f"the concept {uri} has no preferred label"
        text = next(iter(pref.values()))
        result.mended.append(Repair(uri, problem, f'its {kind} "{text}" was taken for one'))
    elif not pref:
        result.unlabelled.append(uri)
        result.names[uri] = uri
        action = "it was left out; what is narrower was put below what is broader than it"
        result.mended.append(Repair(uri, f"the concept {uri} has no label", action))
        return
    result.pref[uri] = pref
    result.names[uri] = _name(statements, uri)
    result.alt[uri] = _alternative([*spare, *statements.alt.get(uri, [])], pref)
    result.hidden[uri] = _alternative(statements.hidden.get(uri, []), pref)
    for language, text in spare:
        tag = f'in "{language}"' if language else "without a language"
        problem = f"{result.names[uri]} has more than one preferred label {tag}"
        action = f'"{pref[language]}" was kept, "{text}" became an alternative label'
        result.mended.append(Repair(uri, problem, action))


def _preferred(labels: list[tuple[str, str]]) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the first label of each language, and those that are too many."""
    pref: dict[str, str] = {}
    spare: dict[tuple[str, str], None] = {}
    for language, text in labels:
        if pref.setdefault(language, text) != text:
            spare[language, text] = None
    return pref, list(spare)


def _stand_in(statements: Statements, uri: str) -> tuple[str, dict[str, str]] | None:
    for kind, labels in (("rdfs:label", statements.other), ("alternative label", statements.alt)):
        if pref := _preferred(labels.get(uri, []))[0]:
            return kind, pref
    notation = statements.notation.get(uri)
    return ("notation", {"": notation}) if notation else None


def _alternative(labels: list[tuple[str, str]], pref: dict[str, str]) -> dict[str, tuple[str, ...]]:
    by_language: dict[str, dict[str, None]] = defaultdict(dict)
    for language, text in labels:
        if pref.get(language) != text:
            by_language[language][text] = None
    return {language: tuple(texts) for language, texts in by_language.items()}


def _name(statements: Statements, uri: str) -> str:
    for labels in (statements.pref, statements.other, statements.alt):
        if texts := labels.get(uri):
            by_language = dict(reversed(texts))
            return f'"{by_language.get("en", texts[0][1])}" ({uri})'
    return uri

"""Concepts as the Reconciliation Service API has entities: by URI, of one type, with properties."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rapidfuzz.fuzz import token_sort_ratio

from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Concept, Hierarchy, plain_uri, same_language, texts_in
from core.vocabulary.folding import fold_text
from core.vocabulary.full_titles import full_title
from core.vocabulary.search.hits import SearchHit

Value = dict[str, Any]
Values = Callable[[Concept, Hierarchy, str], list[Value]]

TYPE = {"id": "Concept", "name": "Concept"}
SCHEMA_SPACE = "http://www.w3.org/2004/02/skos/core#"
# Hyphens and apostrophes of all kinds, and what is not printed.
_SAME = str.maketrans("‐‑‒–’‘`´", "----''''", "\u00ad\u200b\u200c\u200d\ufeff")
BEST_SCORE, BEST_OF_OTHERS, CONTRADICTED = 100.0, 99.0, 0.5
LEAST_COMPARED = 10  # hits, however few are asked for: another may have the same label


def _texts(texts: Iterable[str | None]) -> list[Value]:
    return [{"str": text} for text in texts if text]


def _entities(concept_ids: Sequence[str], hierarchy: Hierarchy, language: str) -> list[Value]:
    concepts = [hierarchy[i] for i in concept_ids if i in hierarchy]
    return [{"id": concept.uri, "name": concept.label(language)} for concept in concepts]


def _notes(kind: str) -> Values:
    return lambda concept, _, language: _texts(texts_in(concept.notes.get(kind, {}), language))


# By the names that SKOS gives them.
PROPERTIES: Mapping[str, tuple[str, Values]] = {
    "prefLabel": ("preferred label", lambda c, _, language: _texts([c.label(language)])),
    "altLabel": ("other labels", lambda c, _, language: _texts(texts_in(c.alt_labels, language))),
    "notation": ("notation", lambda c, _, __: _texts([c.notation])),
    "broader": ("broader concepts", lambda c, h, language: _entities(c.broader, h, language)),
    "narrower": (
        "narrower concepts",
        lambda c, h, language: _entities(h.narrower(c.concept_id), h, language),
    ),
    "related": ("related concepts", lambda c, h, language: _entities(c.related, h, language)),
    "definition": ("definition", _notes("definition")),
    "scopeNote": ("scope note", _notes("scopeNote")),
}


def described(property_id: str) -> dict[str, str]:
    """Return a property as the API names it."""
    return {"id": property_id, "name": PROPERTIES[property_id][0]}


def values(property_id: str, concept: Concept, hierarchy: Hierarchy, language: str) -> list[Value]:
    """Return what a concept has of a property; nothing of one that is not known."""
    property_and_values = PROPERTIES.get(property_id)
    return property_and_values[1](concept, hierarchy, language) if property_and_values else []


def entity(concept_id: str, vocabulary: Vocabulary, language: str) -> dict[str, Any]:
    """Return a concept as an entity; its path tells it from concepts of the same name."""
    concept = vocabulary.hierarchy[concept_id]
    path = vocabulary.index.hit(concept_id, language).path
    name = full_title(concept_id, vocabulary.hierarchy, language)
    return {"id": concept.uri, "name": name, "description": path}


def candidates(
    query: Mapping[str, Any], vocabulary: Vocabulary, *, language: str, limit: int
) -> list[dict[str, Any]]:
    """Return what a cell may mean, the best first, with scores from 0 to 100.

    A label or notation that is the very text, but for case and spaces, has 100, others what their
    words have in common with it (RapidFuzz). A candidate whose properties are others than those of the row has half of that.
    It is a match where it is the only one with 100 by a label of the language, by its notation or
    URI; where none is, the only one with 100. Those that the limit leaves out count as well.
    """
    text = str(query.get("query", ""))
    index = vocabulary.index
    hits = index.search(text, language=language, limit=max(limit, LEAST_COMPARED))
    # A search ends at its limit, before labels of other languages.
    others = set(index.called(text)).difference(hit.concept_id for hit in hits)
    hits += [index.hit(concept_id, language) for concept_id in sorted(others)]
    scored = [
        (
            _score(hit, text, vocabulary.hierarchy) * _agreement(hit, query, vocabulary, language),
            hit,
        )
        for hit in hits
    ]
    ranked = sorted(scored, key=lambda pair: -pair[0])
    best = [hit.concept_id for score, hit in ranked if score == BEST_SCORE]
    hierarchy = vocabulary.hierarchy
    named = [i for i in best if _is_named(hierarchy[i], text, hierarchy, language)]
    sure = named or best
    return [
        entity(hit.concept_id, vocabulary, language)
        | {"score": score, "match": sure == [hit.concept_id], "type": [TYPE]}
        for score, hit in ranked[:limit]
    ]


def _score(hit: SearchHit, text: str, hierarchy: Hierarchy) -> float:
    concept = hierarchy[hit.concept_id]
    if _is_named(concept, text, hierarchy):
        return BEST_SCORE
    alike = token_sort_ratio(fold_text(text), fold_text(hit.matched or hit.label))
    return min(round(alike, 1), BEST_OF_OTHERS)


def _is_named(
    concept: Concept, text: str, hierarchy: Hierarchy, language: str | None = None
) -> bool:
    """Return whether a text is its URI, its notation or a label: of this language, or of any."""
    preferred = {tag: (label,) for tag, label in concept.pref_label.items()}
    labels = (
        label
        for by_language in (preferred, concept.alt_labels, concept.hidden_labels)
        for tag, texts in by_language.items()
        if language is None or same_language(tag, language)
        for label in texts
    )
    notation = concept.notation or concept.concept_id
    names = (concept.concept_id, concept.uri, notation, *labels)
    return (
        _plain(text) in map(_plain, names)
        or plain_uri(text) == plain_uri(concept.uri)
        or (hierarchy.has_codes and _pointless(text) == _pointless(notation))
    )


def _plain(text: str) -> str:
    """Return a text without what differs between ways of writing the very same."""
    same = unicodedata.normalize("NFKC", text).casefold().translate(_SAME)
    return " ".join(same.split())


def _pointless(code: str) -> str:
    return _plain(code).replace(".", "")


def _agreement(
    hit: SearchHit, query: Mapping[str, Any], vocabulary: Vocabulary, language: str
) -> float:
    """Return 1 where a candidate has the properties that a row states, or else `CONTRADICTED`."""
    hierarchy = vocabulary.hierarchy
    concept = hierarchy[hit.concept_id]
    for asked in query.get("properties", ()):
        if asked["pid"] not in PROPERTIES:
            continue
        stated = values(asked["pid"], concept, hierarchy, language)
        texts = {fold_text(str(text)) for value in stated for text in value.values()}
        wanted = asked["v"] if isinstance(asked["v"], list) else [asked["v"]]
        folded = {fold_text(_text(one)) for one in wanted if _text(one).strip()}
        if folded and texts.isdisjoint(folded):
            return CONTRADICTED
    return 1.0


def _text(value: Any) -> str:
    return str(value.get("id", "")) if isinstance(value, dict) else str(value)

"""Finds the stored vocabulary that an import is a version of, or a new id for it; and the ids that
its concepts have there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from core.vocabulary.concepts import Hierarchy, may_be_id, plain_uri

_SEPARATORS = re.compile(r"[/#]+")
_NO_WORD = re.compile(r"[^a-z0-9]+")
_VERSION = re.compile(r"v?[\d._-]+", re.IGNORECASE)


def is_version_of(stored: Mapping[str, Any], hierarchy: Hierarchy) -> bool:
    """Return whether a vocabulary has the concept scheme of a stored one that has the same id.

    A vocabulary that states no scheme, as those of codes, is known by its id alone. The URI of a
    scheme may have a version or a date in it; then it is the URIs of concepts that stay.

    Args:
        stored: what the file of the stored version says of it, as `read_head` returns it.
    """
    stored_uri, new = plain_uri(stored.get("scheme_uri", "")), plain_uri(hierarchy.scheme_uri)
    if not stored_uri or not new or stored_uri == new:
        return True
    is_dated = re.sub(r"\d+", "0", stored_uri) == re.sub(r"\d+", "0", new)
    return is_dated and stored.get("uri_base") == hierarchy.uri_base


def possible_ids(hierarchy: Hierarchy) -> Iterator[str]:
    """Yield what a vocabulary may be called: by its id, with the word before it, with a number."""
    vocabulary_id = hierarchy.vocabulary_id
    yield vocabulary_id
    _, *words = _SEPARATORS.split(hierarchy.scheme_uri.rstrip("/#"))
    before = [word for word in words[:-1] if not _VERSION.fullmatch(word)]
    longer = (
        f"{_NO_WORD.sub('-', before[-1].lower()).strip('-')}-{vocabulary_id}".strip("-")
        if before
        else vocabulary_id
    )
    yield longer
    for number in count(2):
        yield f"{longer}-{number}"


def with_stored_ids(hierarchy: Hierarchy, stored: Mapping[str, str]) -> Hierarchy:
    """Return a vocabulary whose concepts have the ids of stored versions, by which people decided.

    A reader knows one file: in the next, another URI may end alike, and both get other ids. A
    concept that is new goes by its URI where the id that was read belongs to another one of the file.

    Args:
        stored: id by URI, each id once; the newest versions first.
    """
    concepts = [*map(hierarchy.__getitem__, hierarchy), *hierarchy.deprecated.values()]
    uses = Counter(plain_uri(concept.uri) for concept in concepts)
    by_uri = {
        plain_uri(uri): concept_id
        for uri, concept_id in reversed([*stored.items()])  # the newest counts
        if may_be_id(concept_id) and uses[plain_uri(uri)] == 1
    }
    belonging = {*by_uri.values()}
    ids: dict[str, str] = {}
    for concept in concepts:
        new = concept.uri if concept.concept_id in belonging else concept.concept_id
        ids[concept.concept_id] = by_uri.get(plain_uri(concept.uri), new)
    if all(old == new for old, new in ids.items()):
        return hierarchy
    return hierarchy.with_concepts(
        replace(
            concept,
            concept_id=ids[concept.concept_id],
            broader=tuple(map(ids.__getitem__, concept.broader)),
            related=tuple(map(ids.__getitem__, concept.related)),
            replaced_by=tuple(map(ids.__getitem__, concept.replaced_by)),
        )
        for concept in concepts
    )

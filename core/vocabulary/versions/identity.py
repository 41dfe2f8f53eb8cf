"""Finds the stored vocabulary that an import is a version of, or a new id for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from core.vocabulary.concepts import Hierarchy

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
    stored_uri, new = _plain(stored.get("scheme_uri", "")), _plain(hierarchy.scheme_uri)
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


def _plain(uri: str) -> str:
    """Return a URI without what differs between ways of writing the same one."""
    return uri.rstrip("/#").removeprefix("http://").removeprefix("https://")

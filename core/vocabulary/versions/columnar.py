"""Concepts in one JSON document by columns, which a large vocabulary is read from in a moment.

What most concepts share is not written: a URI that is the base and the id, a notation that is the
id, a label in English alone. What few have (notes, alternative labels) is kept by number of row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy

FORMAT = "strata-vocabulary-2"
DEFAULT_LANGUAGE = "en"
HEAD_CHARACTERS = 16_384
_FIRST_COLUMN = ',"concept_ids":'
_NOTHING: dict[str, Any] = {}

Column = list[Any]
"""A value of each concept."""


def to_document(hierarchy: Hierarchy) -> str:
    """Return the text of the file that a vocabulary is kept in."""
    offered = [hierarchy[concept_id] for concept_id in hierarchy]
    columns = _to_columns([*offered, *hierarchy.deprecated.values()], hierarchy.uri_base)
    stated = {"scheme_uri": hierarchy.scheme_uri, "title": hierarchy.title}
    scheme = {name: text for name, text in stated.items() if text}
    return json.dumps(
        {"format": FORMAT, **scheme, **columns}, ensure_ascii=False, separators=(",", ":")
    )


def read_concepts(path: Path) -> tuple[dict[str, Any], list[Concept], str]:
    """Return what a file says of the vocabulary, such as its URI base, its concepts, and the
    SHA-256 of the file.

    Raises:
        VocabularyError: it is of another format.
        KeyError, TypeError, ValueError, AttributeError: it is damaged.
    """
    data = path.read_bytes()
    content = json.loads(data)
    if content["format"] != FORMAT:
        raise VocabularyError(f"{path} is of the format {content['format']}, not {FORMAT}.")
    return content, _from_columns(content), hashlib.sha256(data).hexdigest()


def read_ids(path: Path) -> dict[str, str]:
    """Return the id of each concept of a file by its URI, in the order of the file.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is damaged.
    """
    content = json.loads(path.read_bytes())
    ids = content["concept_ids"]
    usual = [content["uri_base"] + concept_id for concept_id in ids]
    return dict(zip(_filled(usual, content["uris"]), ids, strict=True))


def content_checksum(hierarchy: Hierarchy) -> str:
    """Return the SHA-256 of the file of a vocabulary, or of the one that it would be kept in."""
    if hierarchy.checksum:
        return hierarchy.checksum
    return hashlib.sha256(to_document(hierarchy).encode("utf-8", "replace")).hexdigest()


def read_head(path: Path) -> object:
    """Return what a file says of the vocabulary, without reading its concepts.

    Raises:
        OSError, ValueError: it cannot be read, or is damaged.
    """
    with path.open(encoding="utf-8") as file:
        head = file.read(HEAD_CHARACTERS)
    about, separator, _ = head.partition(_FIRST_COLUMN)
    return json.loads(f"{about}}}" if separator else about)


def _to_columns(concepts: Sequence[Concept], uri_base: str) -> dict[str, Any]:
    return {
        "uri_base": uri_base,
        "concept_ids": [concept.concept_id for concept in concepts],
        "labels": [_label(concept.pref_label) for concept in concepts],
        "broader": [_broader(concept.broader) for concept in concepts],
        "uris": _few({n: o.uri for n, o in _each(concepts) if o.uri != uri_base + o.concept_id}),
        "notations": _few(
            {n: o.notation for n, o in _each(concepts) if o.notation != o.concept_id}
        ),
        "alt_labels": _few({n: dict(o.alt_labels) for n, o in _each(concepts) if o.alt_labels}),
        "notes": _few(
            {n: {k: dict(v) for k, v in o.notes.items()} for n, o in _each(concepts) if o.notes}
        ),
        "related": _few({n: list(o.related) for n, o in _each(concepts) if o.related}),
        "replaced_by": _few({n: list(o.replaced_by) for n, o in _each(concepts) if o.replaced_by}),
        "hidden_labels": _few(
            {n: dict(o.hidden_labels) for n, o in _each(concepts) if o.hidden_labels}
        ),
        "deprecated": [n for n, concept in _each(concepts) if concept.deprecated],
        "divisions": [n for n, concept in _each(concepts) if not concept.assignable],
    }


def _from_columns(columns: Mapping[str, Any]) -> list[Concept]:
    ids, n_rows = columns["concept_ids"], len(columns["concept_ids"])
    labels = [
        {DEFAULT_LANGUAGE: label} if isinstance(label, str) else label
        for label in columns["labels"]
    ]
    above = [(row,) if isinstance(row, str) else tuple(row) for row in columns["broader"]]
    nothing: Column = [_NOTHING] * n_rows
    none: Column = [()] * n_rows
    rows = (
        ids,
        _filled([columns["uri_base"] + concept_id for concept_id in ids], columns["uris"]),
        _filled(ids, columns["notations"]),
        labels,
        _filled(nothing, columns["alt_labels"], _texts),
        above,
        _marked(n_rows, columns["deprecated"], marked=True),
        _marked(n_rows, columns["divisions"], marked=False),
        _filled(nothing, columns["notes"], _texts_by_kind),
        _filled(none, columns["related"], tuple),
        _filled(none, columns["replaced_by"], tuple),
        _filled(nothing, columns.get("hidden_labels", {}), _texts),
    )
    return list(starmap(Concept, zip(*rows, strict=True)))


def _filled(
    usual: Column, few: Mapping[str, Any], read: Callable[[Any], Any] = lambda value: value
) -> Column:
    """Return a column with the values of those rows that have another than the usual one."""
    column = list(usual)
    for number, value in few.items():
        column[int(number)] = read(value)
    return column


def _marked(n_rows: int, numbers: Iterable[int], *, marked: bool) -> Column:
    column: Column = [not marked] * n_rows
    for number in numbers:
        column[number] = marked
    return column


def _each(concepts: Sequence[Concept]) -> Iterator[tuple[int, Concept]]:
    return iter(enumerate(concepts))


def _few(by_number: Mapping[int, Any]) -> dict[str, Any]:
    return {str(number): value for number, value in by_number.items()}


def _label(labels: Mapping[str, str]) -> str | dict[str, str]:
    return labels[DEFAULT_LANGUAGE] if labels.keys() == {DEFAULT_LANGUAGE} else dict(labels)


def _broader(broader: tuple[str, ...]) -> str | list[str]:
    return broader[0] if len(broader) == 1 else list(broader)


def _texts_by_kind(kinds: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Any]:
    return {kind: _texts(texts) for kind, texts in kinds.items()}


def _texts(by_language: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {language: tuple(texts) for language, texts in by_language.items()}

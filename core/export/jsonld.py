"""What documents are about, as linked data: JSON-LD 1.1 with Dublin Core and SKOS.

A document has `dct:identifier`, `dct:title` and, for each subject, `dct:subject` with a
`skos:Concept`. Everything is made of the store alone: the context stands in the file, so that
nothing is fetched to read it.

Source: W3C JSON-LD 1.1 (2020); DCMI Metadata Terms; W3C SKOS Reference (2009).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from core.documents.rows.spreadsheet_cells import without_control_characters
from core.export.content import ConceptNaming, ExportContent, ExportFormat, subjects
from core.export.gathering import ExportedDocument
from core.review.reports.snapshot import ExportedDecision
from core.vocabulary.concepts import IRI, Hierarchy
from core.vocabulary.conventions import conventions_of

Node = dict[str, Any]

CONTEXT = {
    "dct": "http://purl.org/dc/terms/",
    "dcmitype": "http://purl.org/dc/dcmitype/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}
# Of vocabularies that were read before their files were asked for their scheme.
SCHEMES = {"eurovoc": "http://eurovoc.europa.eu/100141", "stw": "http://zbw.eu/stw"}
LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield one JSON object with a graph of all documents, a line each."""
    yield f'{{"@context": {json.dumps(CONTEXT)},\n"@graph": ['.encode()
    separator = "\n"
    for exported in content.documents:
        node = json.dumps(_document(exported, content.naming), ensure_ascii=False)
        yield f"{separator}{node}".encode("utf-8", "replace")
        separator = ",\n"
    yield b"\n]}\n"


def spread_out(content: bytes) -> str:
    """Return a file with a line for each value, to be read."""
    return json.dumps(json.loads(content), indent=2, ensure_ascii=False)


def scheme_of(hierarchy: Hierarchy) -> str:
    """Return the URI of a vocabulary as its file states it, or as is known; "" where neither is.

    What the URIs of its concepts begin with is not tried: often nothing has that name.
    """
    vocabulary_id = hierarchy.vocabulary_id
    stated = conventions_of(vocabulary_id).system or hierarchy.scheme_uri
    scheme = stated or SCHEMES.get(vocabulary_id, "")
    return scheme if IRI.fullmatch(scheme) else ""


def _document(exported: ExportedDocument, naming: ConceptNaming) -> Node:
    """Return a document with its subjects; one whose id is no URI is a node without a name."""
    document_id = exported.summary.document_id
    title = without_control_characters(exported.summary.title)
    return {
        **_named(document_id),
        "@type": "dcmitype:Text",
        "dct:identifier": without_control_characters(document_id),
        **({"dct:title": title} if title else {}),
        "dct:subject": [_concept(item, naming) for item in subjects(exported)],
    }


def _concept(item: ExportedDecision, naming: ConceptNaming) -> Node:
    name, scheme = naming.name(item), scheme_of(naming.hierarchy)
    label: Node = {"@value": without_control_characters(name.label)}
    if LANGUAGE.fullmatch(name.language):
        label["@language"] = name.language
    return {
        **_named(name.uri),
        "@type": "skos:Concept",
        "skos:prefLabel": label,
        **({"skos:notation": without_control_characters(name.notation)} if name.notation else {}),
        **({"skos:inScheme": {"@id": scheme}} if scheme else {}),
    }


def _named(uri: str) -> Node:
    return {"@id": uri} if IRI.fullmatch(uri) else {}


JSON_LD = ExportFormat(
    "jsonld",
    "jsonld",
    "application/ld+json",
    write,
    meaning=(
        "JSON-LD: each document with its title and, as `dct:subject`, its accepted concepts in "
        "SKOS; given ones too if you choose them. Other decisions and proposed terms stay out."
    ),
    preview_note="The first document, spread out to be read; the file is one graph of all.",
    title="JSON-LD",
    has_subjects=True,
    has_text=False,
    as_text=spread_out,
)

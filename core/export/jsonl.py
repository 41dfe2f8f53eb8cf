"""Documents with their decisions as JSON Lines: one object a line, one line a document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from core.clinical.joined import system_of
from core.clinical.stay import NO_STAY, Stay
from core.clinical.validity import edition_of, mark_of
from core.documents.document import Document
from core.export.content import ConceptNaming, ExportContent, ExportFormat
from core.export.decision_table import PERSON, cited_words, stay_fields
from core.export.gathering import ExportedDocument
from core.export.tables import format_moment
from core.review.reports.snapshot import ACCEPTED, ExportedDecision
from core.vocabulary.conventions import conventions_of

IDENTIFIERS = ("patient", "encounter")
# Some readers take these for the end of a line, though JSON does not.
OTHER_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield the lines of all documents."""
    return (line(exported, content) for exported in content.documents)


def line(exported: ExportedDocument, content: ExportContent) -> bytes:
    """Return a document with its line end, in UTF-8; one without a decision has a line as well."""
    summary, naming = exported.summary, content.naming
    fields: dict[str, Any] = {"id": summary.document_id, "title": summary.title}
    document, stay = content.text_of(exported), content.stay_of(exported)
    if document is not None:
        fields["parts"] = [
            {
                "kind": part.kind,
                "title": part.title,
                "date": part.date.isoformat() if part.date else None,
                "text": part.text,
            }
            for part in document.parts
        ]
        fields |= _stay(document)
    fields |= {
        "status": summary.status,
        "comment": summary.comment,
        "batch": summary.batch,
        "vocabulary": naming.hierarchy.vocabulary_id,
        "concepts": [_concept(item, naming, stay, document) for item in exported.items],
        "proposed_terms": [
            {
                "text": term.text,
                "note": term.note,
                "person": term.person,
                "created_at": format_moment(term.created_at),
            }
            for term in exported.proposed_terms
        ],
    }
    fields |= {name: value_of(exported) for name, value_of in content.people_columns.items()}
    return json_line(fields)


def json_line(fields: dict[str, Any]) -> bytes:
    """Return an object with its line end, in UTF-8."""
    return f"{json.dumps(fields, ensure_ascii=False).translate(OTHER_LINE_ENDS)}\n".encode()


def rounded(probability: float | None) -> float | None:
    """Return a probability with the digits that are exported."""
    return None if probability is None else round(probability, 6)


def _stay(document: Document) -> dict[str, Any]:
    fields: dict[str, Any] = dict(stay_fields(document.stay or NO_STAY))
    for name in IDENTIFIERS:
        if name in fields:
            fields[name] = {"value": fields[name], "system": fields.pop(f"{name}_system", "")}
    return fields


def _evidence(item: ExportedDecision, document: Document | None) -> list[dict[str, Any]]:
    """Return the places that a person attached to a code; the words where the text comes along."""
    if document is None:
        places = [place.split("-") for place in (item.cited or "").split()]
        return [{"start": int(start), "end": int(end)} for start, end in places]
    cited = cited_words(item.cited, document)
    return [{"start": start, "end": end, "text": words} for start, end, words in cited]


def _concept(
    item: ExportedDecision, naming: ConceptNaming, stay: Stay, document: Document | None
) -> dict[str, Any]:
    name = naming.name(item)
    content = {
        "id": item.concept_id,
        "uri": name.uri,
        "notation": name.notation,
        "label": name.label,
        "path": name.path,
        "decision": item.decision,
        "main": item.main,
        "probability": rounded(item.probability),
        "rank": item.rank,
        "source": item.source or PERSON,
        "model": item.bundle_hash,
        "vocabulary_version": naming.version(item),
        "person": item.person,
        "decided_at": format_moment(item.decided_at) or None,
    }
    if not conventions_of(naming.hierarchy.vocabulary_id).system:
        return content
    is_accepted = item.decision == ACCEPTED
    mark = (
        mark_of(item.present or "", item.concept_id, naming.hierarchy, stay) if is_accepted else ""
    )
    return content | {
        "code_system": system_of(item.concept_id, naming.hierarchy) or None,
        "edition": edition_of(item.concept_id, naming.hierarchy, stay),
        "place": item.place,
        "present_on_admission": mark or None,
        "performed_on": item.performed_on.isoformat() if item.performed_on else None,
        "evidence": _evidence(item, document),
    }


JSON_LINES = ExportFormat("jsonl", "jsonl", "application/jsonl", write, layout="lines")

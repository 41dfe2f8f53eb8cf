"""Decisions as a table: one row a decision.

A further column is a line of `COLUMNS`, or of those beside it that only some tables have.
`PEOPLE_COLUMNS` of `core/export/content.py`, where people sign in, are those of other formats too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import methodcaller

from core.clinical.joined import part_of, system_of
from core.clinical.stay import NO_STAY, Stay
from core.clinical.validity import edition_of, mark_of
from core.documents.document import Document
from core.documents.rows.spreadsheet_cells import without_control_characters
from core.export.content import ExportContent, ExportedConcept, ExportFormat
from core.export.gathering import PROPOSED, ExportedDocument
from core.export.tables import COMMA, TAB, Columns, columns_from, format_moment, write_table
from core.review.reports.snapshot import ACCEPTED, ExportedDecision
from core.review.reports.summaries import DocumentSummary
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

PERSON = "person"  # the source of a concept that no suggester named
STAY_FIELDS = (
    "admitted", "discharged", "age", "sex", "disposition", "class",
    "patient", "patient_system", "encounter", "encounter_system",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A decision on a document, or a term that was proposed there.

    Attributes:
        name: of the concept; of a term, its words.
        vocabulary: id and version of the concept's vocabulary.
        code_system, edition, present, evidence: of a code; "" otherwise.
        note: on a proposed term.
        text: the document, in its first row where text is asked for.
    """

    exported: ExportedDocument
    decision: ExportedDecision
    name: ExportedConcept
    vocabulary: str
    code_system: str = ""
    edition: str = ""
    present: str = ""
    evidence: str = ""
    note: str = ""
    text: Document | None = None

    @property
    def document(self) -> DocumentSummary:
        """What is known of the document without its text."""
        return self.exported.summary


COLUMNS: Columns[DecisionRow] = {
    "document_id": lambda row: row.document.document_id,
    "title": lambda row: row.document.title,
    "uri": lambda row: row.name.uri,
    "notation": lambda row: row.name.notation,
    "label": lambda row: row.name.label,
    "path": lambda row: row.name.path,
    "decision": lambda row: row.decision.decision,
    "probability": lambda row: _decimals(row.decision.probability),
    "rank": lambda row: row.decision.rank,
    "source": lambda row: row.decision.source or PERSON,
    "model": lambda row: row.decision.bundle_hash,
    "vocabulary": lambda row: row.vocabulary,
    "person": lambda row: row.decision.person,
    "decided_at": lambda row: format_moment(row.decision.decided_at),
    "main_topic": lambda row: "yes" if row.decision.main else "",
    "status": lambda row: row.document.status,
    "comment": lambda row: row.document.comment,
    "batch": lambda row: row.document.batch,
    "note": lambda row: row.note,
}
CODE_COLUMNS: Columns[DecisionRow] = {
    "code_system": lambda row: row.code_system,
    "edition": lambda row: row.edition,
    "place": lambda row: row.decision.place,
    "present_on_admission": lambda row: row.present,
    "performed_on": lambda row: row.decision.performed_on and str(row.decision.performed_on),
    "evidence_at": lambda row: row.decision.cited,
}
"""Of codes alone."""


def _stay(row: DecisionRow) -> dict[str, str | int]:
    return stay_fields(row.text.stay or NO_STAY) if row.text else {}


ENCOUNTER_COLUMNS: Columns[DecisionRow] = {
    **columns_from(_stay, {name: methodcaller("get", name) for name in STAY_FIELDS}),
    "evidence": lambda row: row.evidence,
    "parts": lambda row: row.text and _parts(row.text),
}
"""Of codes with the text: what is known of the stay, and how long each note is."""
TEXT_COLUMN: Columns[DecisionRow] = {"text": lambda row: row.text and row.text.text}


def columns_of(content: ExportContent) -> Columns[DecisionRow]:
    """Return the columns of a vocabulary's decisions; a code system has more of them."""
    is_coded = bool(conventions_of(content.naming.hierarchy.vocabulary_id).system)
    with_text = content.with_text
    return {
        **COLUMNS,
        **columns_from(lambda row: row.exported, content.people_columns),
        **(CODE_COLUMNS if is_coded else {}),
        **(ENCOUNTER_COLUMNS if is_coded and with_text else {}),
        **(TEXT_COLUMN if with_text else {}),
    }


def write(content: ExportContent, *, delimiter: str = COMMA) -> Iterator[bytes]:
    """Yield the bytes of the table of decisions."""
    return write_table(columns_of(content), rows(content), delimiter=delimiter)


def rows(content: ExportContent) -> Iterator[DecisionRow]:
    """Yield a row for each decision and proposed term; the first of a document has its text."""
    for exported in content.documents:
        its_rows = _rows_of(exported, content)
        for first in its_rows:
            yield replace(first, text=content.text_of(exported)) if content.with_text else first
            yield from its_rows


def _rows_of(exported: ExportedDocument, content: ExportContent) -> Iterator[DecisionRow]:
    naming, stay = content.naming, content.stay_of(exported)
    hierarchy = naming.hierarchy
    for item in exported.items:
        vocabulary_id = part_of(item.concept_id, hierarchy).vocabulary_id
        vocabulary = f"{vocabulary_id} {naming.version(item) or ''}".strip()
        row = DecisionRow(exported, item, naming.name(item), vocabulary)
        row = replace(row, evidence=_words(exported, item, content)) if item.cited else row
        yield _coded(row, stay, hierarchy)
    for term in exported.proposed_terms:
        proposed = ExportedDecision("", PROPOSED, person=term.person, decided_at=term.created_at)
        words = ExportedConcept("", None, term.text)
        yield DecisionRow(exported, proposed, words, hierarchy.vocabulary_id, note=term.note)


def _words(exported: ExportedDocument, item: ExportedDecision, content: ExportContent) -> str:
    """Return the words that a person attached to a code, where the text comes along."""
    document = content.text_of(exported)
    return (
        " | ".join(words for _, _, words in cited_words(item.cited, document)) if document else ""
    )


def cited_words(cited: str | None, document: Document) -> list[tuple[int, int, str]]:
    """Return from where to where the words that a person attached stand, and the words."""
    places = [tuple(map(int, place.split("-"))) for place in (cited or "").split()]
    return [(start, end, document.text[start:end]) for start, end in places]


def _coded(row: DecisionRow, stay: Stay, hierarchy: Hierarchy) -> DecisionRow:
    code = row.decision.concept_id
    system = system_of(code, hierarchy)
    edition = edition_of(code, hierarchy, stay)
    is_accepted = row.decision.decision == ACCEPTED
    present = mark_of(row.decision.present or "", code, hierarchy, stay) if is_accepted else ""
    return replace(row, code_system=system, edition=edition, present=present)


def stay_fields(stay: Stay) -> dict[str, str | int]:
    """Return what is known of a stay, identifiers with their systems."""
    fields: dict[str, str | int | None] = {
        "admitted": str(stay.admitted or ""),
        "discharged": str(stay.discharged or ""),
        "age": stay.age_years,
        "sex": stay.sex,
        "disposition": stay.disposition,
        "class": stay.encounter_class,
    }
    for name, identifier in (("patient", stay.patient), ("encounter", stay.encounter)):
        if identifier is not None:
            fields |= {name: identifier.value, f"{name}_system": identifier.system}
    return {name: value for name, value in fields.items() if value is not None and value != ""}


def _parts(document: Document) -> str:
    parts = [
        {"kind": part.kind, "title": part.title, "date": str(part.date or "") or None,
         "characters": len(without_control_characters(part.text))}
        for part in document.parts
    ]  # fmt: skip
    return json.dumps(parts, ensure_ascii=False)


def _decimals(probability: float | None) -> str | None:
    return None if probability is None else f"{probability:.6f}"


CSV = ExportFormat("csv", "csv", "text/csv", write, layout="rows")
TSV = ExportFormat(
    "tsv", "tsv", "text/tab-separated-values", partial(write, delimiter=TAB), layout="rows"
)

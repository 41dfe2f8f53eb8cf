"""Exported documents as coded encounters, which FHIR is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.coding.findings import is_procedure_of
from core.documents.document import Document
from core.export.fhir import (
    CONFIRMED,
    PROVISIONAL,
    UNCONFIRMED,
    CodedEncounter,
    EncounterCode,
)
from core.export.gathering import ExportedDecision, ExportedDocument
from core.export.naming import ConceptNaming
from core.export.selection import ACCEPTED, GIVEN
from core.review.reports.summaries import FINISHED
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import is_code


def coded(
    one: ExportedDocument, naming: ConceptNaming, *, texts: Mapping[str, Document] | None = None
) -> CodedEncounter:
    """A document with its accepted codes in their order, then those that came with it.

    What was rejected or left is not said: it does not mean that the patient does not have it.

    Args:
        texts: documents by id, whose notes come along; None leaves all text out.
    """
    summary = one.summary
    is_finished = summary.status == FINISHED
    return CodedEncounter(
        summary.document_id,
        summary.title,
        tuple(
            _code(item, naming, is_finished=is_finished) for item in _said(one, naming.hierarchy)
        ),
        None if texts is None else texts[summary.document_id].parts,
        origin=f"{naming.hierarchy.vocabulary_id} {summary.created_at.isoformat()}",
    )


def n_codes(one: ExportedDocument, hierarchy: Hierarchy) -> int:
    """How many codes of a document FHIR says."""
    return sum(1 for _ in _said(one, hierarchy))


def _said(one: ExportedDocument, hierarchy: Hierarchy) -> Iterator[ExportedDecision]:
    """What was accepted, then what was given, if it is a code and no category."""
    yield from (item for item in one.items if item.decision == ACCEPTED)
    for item in one.items:
        if item.decision == GIVEN and is_code(item.concept_id, hierarchy):
            yield item


def _code(item: ExportedDecision, naming: ConceptNaming, *, is_finished: bool) -> EncounterCode:
    """A code with what was said of it."""
    accepted = CONFIRMED if is_finished else PROVISIONAL
    name = naming.name(item)
    return EncounterCode(
        code=name.notation or item.concept_id,
        display=name.label,
        is_procedure=is_procedure_of(item.concept_id, naming.hierarchy.vocabulary_id),
        verification=accepted if item.decision == ACCEPTED else UNCONFIRMED,
        present=item.present or "",
        performed_on=item.performed_on,
        recorder=item.person or "",
        recorded_at=item.decided_at,
    )

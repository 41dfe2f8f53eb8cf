"""Exported documents as coded encounters in FHIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from core.coding.findings import is_procedure_of
from core.export import fhir
from core.export.content import ConceptNaming, ExportContent, ExportFormat
from core.export.fhir import (
    CONFIRMED,
    PROVISIONAL,
    UNCONFIRMED,
    CodedEncounter,
    EncounterCode,
)
from core.export.gathering import ACCEPTED, GIVEN, ExportedDecision, ExportedDocument
from core.review.reports.summaries import FINISHED
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of, is_code

# Versions of a code system: a release, or the year or day from which it holds. Others, such as the
# checksum of a file, say only what was imported here.
RELEASE = re.compile(r"v\d{1,2}|\d{4}(?:-\d{2}-\d{2})?")


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield a bundle of the documents, with the codes in the system of their vocabulary."""
    hierarchy = content.naming.hierarchy
    version = hierarchy.version if RELEASE.fullmatch(hierarchy.version) else ""
    system = fhir.CodeSystem(conventions_of(hierarchy.vocabulary_id).system, version)
    encounters = (coded_encounter(exported, content) for exported in content.documents)
    return fhir.write(encounters, system, made_at=datetime.now(UTC))


def coded_encounter(exported: ExportedDocument, content: ExportContent) -> CodedEncounter:
    """Return a document with its accepted codes in their order, then those that came with it.

    Rejected and untouched codes are left out: they do not mean that the patient is free of them.
    """
    summary, naming = exported.summary, content.naming
    is_finished = summary.status == FINISHED
    document = content.text_of(exported)
    return CodedEncounter(
        summary.document_id,
        summary.title,
        tuple(
            _code(item, naming, is_finished=is_finished)
            for item in _exported_codes(exported, naming.hierarchy)
        ),
        None if document is None else document.parts,
        origin=f"{naming.hierarchy.vocabulary_id} {summary.created_at.isoformat()}",
    )


def n_codes(exported: ExportedDocument, hierarchy: Hierarchy) -> int:
    """Return how many codes of a document FHIR has."""
    return sum(1 for _ in _exported_codes(exported, hierarchy))


def _exported_codes(exported: ExportedDocument, hierarchy: Hierarchy) -> Iterator[ExportedDecision]:
    """Yield what was accepted, then what was given, if it is a code and no category."""
    yield from (item for item in exported.items if item.decision == ACCEPTED)
    for item in exported.items:
        if item.decision == GIVEN and is_code(item.concept_id, hierarchy):
            yield item


def _code(item: ExportedDecision, naming: ConceptNaming, *, is_finished: bool) -> EncounterCode:
    """Return a code with its verification, date and recorder."""
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


FHIR = ExportFormat(
    "fhir",
    "fhir.json",
    "application/fhir+json",
    write,
    vocabularies="codes",
    meaning=(
        "FHIR R4: an encounter with its conditions and procedures. Accepted codes are *confirmed*, "
        "or *provisional* until the encounter is finished; given ones are *unconfirmed*. Other "
        "decisions say nothing about the patient and stay out."
    ),
    preview_note="The first encounter; the file is one Bundle with all of them.",
)

"""Exported documents as coded encounters in FHIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from core.clinical.coding.exported import edition_of, mark_of
from core.clinical.export import fhir
from core.clinical.export.coded import (
    CONFIRMED,
    PROVISIONAL,
    UNCONFIRMED,
    CodedEncounter,
    CodeSystem,
    EncounterCode,
)
from core.clinical.export.fhir import COLLECTION, TRANSACTION
from core.clinical.joined import is_procedure_in, part_of, system_of_part
from core.clinical.stay import Stay
from core.export.content import ConceptNaming, ExportContent, ExportFormat
from core.export.gathering import ExportedDocument
from core.review.reports.snapshot import ACCEPTED, GIVEN, ExportedDecision
from core.review.reports.summaries import APPROVED, FINISHED
from core.vocabulary.concepts import Hierarchy, is_code

# Versions of a code system: a release, or the year or day from which it holds. Others, such as the
# checksum of a file, say only what was imported here.
RELEASE = re.compile(r"v\d{1,2}|\d{4}(?:-\d{2}-\d{2})?")


def write(content: ExportContent, kind: str = COLLECTION) -> Iterator[bytes]:
    """Yield a bundle of the documents, with the codes in the systems of their vocabularies.

    An encounter on which nothing was decided, and of which no code is given, is left out.

    Args:
        kind: COLLECTION or TRANSACTION.
    """
    system = _code_system(content.naming.hierarchy)
    return fhir.write(_encounters(content), system, made_at=datetime.now(UTC), kind=kind)


def write_lines(content: ExportContent) -> Iterator[bytes]:
    """Yield the same, a resource a line."""
    return fhir.write_lines(_encounters(content), _code_system(content.naming.hierarchy))


def _encounters(content: ExportContent) -> Iterator[CodedEncounter]:
    for exported in content.documents:
        encounter = coded_encounter(exported, content)
        if encounter.codes or exported.summary.status == FINISHED:
            yield encounter


def _code_system(part: Hierarchy) -> CodeSystem:
    version = part.version if RELEASE.fullmatch(part.version) else ""
    return CodeSystem(system_of_part(part), version)


def _of_edition(code: str, hierarchy: Hierarchy, stay: Stay) -> CodeSystem:
    """Return the system of a code in the edition that it is of."""
    edition = edition_of(code, hierarchy, stay)
    version = edition if RELEASE.fullmatch(edition) else ""
    return CodeSystem(system_of_part(part_of(code, hierarchy)), version)


def coded_encounter(exported: ExportedDocument, content: ExportContent) -> CodedEncounter:
    """Return a document with its accepted codes in their order, then those that came with it.

    Rejected and untouched codes are left out: they do not mean that the patient is free of them.
    """
    summary, naming = exported.summary, content.naming
    is_finished = summary.status == FINISHED
    names_approver = content.names_people and summary.judged == APPROVED
    document, stay = content.text_of(exported), content.stay_of(exported)
    return CodedEncounter(
        summary.document_id,
        summary.title,
        tuple(
            _encounter_code(
                item if content.names_people else replace(item, person=None),
                naming,
                stay,
                is_finished=is_finished,
            )
            for item in _exported_codes(exported, naming.hierarchy)
        ),
        None if document is None else document.parts,
        origin=f"{naming.hierarchy.vocabulary_id} {summary.created_at.isoformat()}",
        stay=stay,
        approved_by=exported.sign_off.reviewed_by if names_approver else "",
        approved_at=exported.sign_off.reviewed_at,
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


def _encounter_code(
    item: ExportedDecision, naming: ConceptNaming, stay: Stay, *, is_finished: bool
) -> EncounterCode:
    accepted = CONFIRMED if is_finished else PROVISIONAL
    name = naming.name(item)
    return EncounterCode(
        code=name.notation or item.concept_id,
        display=name.label,
        is_procedure=is_procedure_in(item.concept_id, naming.hierarchy),
        verification=accepted if item.decision == ACCEPTED else UNCONFIRMED,
        present=mark_of(item.present or "", item.concept_id, naming.hierarchy, stay),
        performed_on=item.performed_on,
        recorder=item.person or "",
        recorded_at=item.decided_at,
        system=_of_edition(item.concept_id, naming.hierarchy, stay),
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
FHIR_TRANSACTION = replace(
    FHIR,
    name="fhir-transaction",
    suffix="transaction.fhir.json",
    write=partial(write, kind=TRANSACTION),
    meaning=f"{FHIR.meaning} As a *transaction*, a server stores each resource under its id.",
    title="FHIR transaction",
)
FHIR_LINES = replace(
    FHIR,
    name="fhir-ndjson",
    suffix="ndjson",
    media_type="application/fhir+ndjson",
    write=write_lines,
    meaning=f"{FHIR.meaning} One resource a line, all types in one file, for bulk import.",
    preview_note="The resources of the first encounter.",
    title="FHIR ndjson",
    syntax=None,
)

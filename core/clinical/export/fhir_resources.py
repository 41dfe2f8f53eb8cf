"""The resources of FHIR R4 for a coded encounter.

A Patient, an Encounter with what is known of the stay, a Condition for each diagnosis, a Procedure
for each procedure, a Provenance where somebody has approved them, and where the text comes along, a
DocumentReference for each note.

Source: HL7 FHIR R4 (4.0.1); present on admission as the extension of QI-Core (4.1.1).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any
from uuid import UUID, uuid5

from core.clinical.coding.exported import EXEMPT
from core.clinical.export.coded import (
    CONFIRMED,
    UNCONFIRMED,
    CodedEncounter,
    CodeSystem,
    EncounterCode,
)
from core.clinical.stay import (
    AMBULATORY_SURGERY,
    CLINIC,
    EMERGENCY,
    INPATIENT,
    OBSERVATION,
    Identifier,
    Stay,
)
from core.clinical.stay import DISPOSITIONS as DISPOSITION_NAMES
from core.documents.document import Part
from core.documents.rows.spreadsheet_cells import without_control_characters
from core.vocabulary.concepts import IRI

Resource = dict[str, Any]

NAMESPACE = UUID("5b0c6f5e-3d0a-5a54-9f0e-6d2f3c1a7b90")  # of the addresses, drawn once
DOCUMENT_IDS = f"urn:uuid:{NAMESPACE}"  # in which ids of documents are identifiers
CATEGORIES = "http://terminology.hl7.org/CodeSystem/condition-category"
VERIFICATIONS = "http://terminology.hl7.org/CodeSystem/condition-ver-status"
ROLES = "http://terminology.hl7.org/CodeSystem/diagnosis-role"
PARTICIPATIONS = "http://terminology.hl7.org/CodeSystem/provenance-participant-type"
DISPOSITIONS = "https://www.nubc.org/CodeSystem/PatDischargeStatus"
UNKNOWNS = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor"
ACTS = "http://terminology.hl7.org/CodeSystem/v3-ActCode"
CLASSES: Mapping[str, tuple[str, str]] = {
    INPATIENT: ("IMP", "inpatient encounter"),
    OBSERVATION: ("OBSENC", "observation encounter"),
    EMERGENCY: ("EMER", "emergency"),
    CLINIC: ("AMB", "ambulatory"),
    AMBULATORY_SURGERY: ("AMB", "ambulatory"),
}
ON_ADMISSION = (
    "http://hl7.org/fhir/us/qicore/StructureDefinition/qicore-encounter-diagnosisPresentOnAdmission"
)
INDICATORS = "https://www.cms.gov/Medicare/Medicare-Fee-for-Service-Payment/HospitalAcqCond/Coding"
EXEMPT_INDICATOR = "1"  # of CMS: exempt from reporting
TEXT_TYPE = "text/plain; charset=utf-8"


def resources(encounter: CodedEncounter, system: CodeSystem) -> list[Resource]:
    """Patient and Encounter, the codes in their order, who has approved them, then the notes."""
    return [
        _patient(encounter),
        _encounter(encounter, system),
        *(
            _procedure(encounter, code, system)
            if code.is_procedure
            else _condition(encounter, code, system)
            for code in encounter.codes
        ),
        *_approval(encounter, system),
        *(
            _note(encounter, note, number)
            for number, note in enumerate(encounter.notes or (), start=1)
            if note.text.strip()
        ),
    ]


# ---------------------------------------------------------------------- resources


def _patient(encounter: CodedEncounter) -> Resource:
    """Return the patient; of whom nothing is known, there is one for each encounter."""
    resource: Resource = {"resourceType": "Patient", "id": _id(encounter, "Patient")}
    if encounter.stay.patient is not None:
        resource["identifier"] = [_identifier(encounter.stay.patient)]
    if encounter.stay.sex:
        resource["gender"] = encounter.stay.sex
    return resource


def _identifier(number: Identifier) -> Resource:
    """Return a number; what it is unique in is its system where that is a URI, or else a name."""
    value: Resource = {"value": _plain(number.value)}
    if not number.system:
        return value
    if not IRI.fullmatch(number.system):
        return value | {"assigner": {"display": _plain(number.system)}}
    return {"system": number.system} | value


def _period_and_disposition(stay: Stay) -> Resource:
    resource: Resource = {}
    if stay.admitted or stay.discharged:
        days = {"start": stay.admitted, "end": stay.discharged}
        resource["period"] = {name: day.isoformat() for name, day in days.items() if day}
    if stay.disposition:
        name = DISPOSITION_NAMES.get(stay.disposition, "")
        coding = {"system": DISPOSITIONS, "code": stay.disposition}
        disposition = {"coding": [coding]} | ({"text": name} if name else {})
        resource["hospitalization"] = {"dischargeDisposition": disposition}
    return resource


def _encounter(encounter: CodedEncounter, system: CodeSystem) -> Resource:
    """Return an encounter; where its class is not known, it is stated as unknown."""
    diagnoses = [code for code in encounter.codes if not code.is_procedure]
    title = escape(_plain(encounter.title or encounter.encounter_id))
    resource: Resource = {
        "resourceType": "Encounter",
        "id": _id(encounter, "Encounter"),
        "text": {
            "status": "generated",
            "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{title}</p></div>',
        },
        "identifier": _identifiers(encounter),
        "status": "finished" if encounter.stay.discharged else "unknown",
        "class": _class(encounter.stay),
        "subject": _reference(encounter, "Patient"),
    } | _period_and_disposition(encounter.stay)
    if diagnoses:
        resource["diagnosis"] = [
            _diagnosis(encounter, code, rank, system)
            for rank, code in enumerate(diagnoses, start=1)
        ]
    return resource


def _class(stay: Stay) -> Resource:
    if not stay.encounter_class:
        return {"system": UNKNOWNS, "code": "UNK", "display": "unknown"}
    code, display = CLASSES[stay.encounter_class]
    return {"system": ACTS, "code": code, "display": display}


def _identifiers(encounter: CodedEncounter) -> list[Resource]:
    stated = encounter.stay.encounter
    own_number = Identifier(encounter.encounter_id, DOCUMENT_IDS)
    return [_identifier(number) for number in (stated, own_number) if number is not None]


def _diagnosis(
    encounter: CodedEncounter, code: EncounterCode, rank: int, system: CodeSystem
) -> Resource:
    """Its place among the diagnoses, and whether it was there when the patient came."""
    listed: Resource = {
        "condition": _code_reference(encounter, code, system),
        "use": _concept(ROLES, "billing", "Billing"),
        "rank": rank,
    }
    if code.present:
        indicator = EXEMPT_INDICATOR if code.present == EXEMPT else code.present
        present = {"coding": [{"system": INDICATORS, "code": indicator}]}
        listed["extension"] = [{"url": ON_ADMISSION, "valueCodeableConcept": present}]
    return listed


def _condition(encounter: CodedEncounter, code: EncounterCode, system: CodeSystem) -> Resource:
    resource: Resource = {
        "resourceType": "Condition",
        "id": _id(encounter, "Condition", _system(code, system).uri, code.code),
        "verificationStatus": {
            "coding": [{"system": VERIFICATIONS, "code": code.verification}],
        },
        "category": [_concept(CATEGORIES, "encounter-diagnosis", "Encounter Diagnosis")],
        "code": _coded(code, system),
        "subject": _reference(encounter, "Patient"),
        "encounter": _reference(encounter, "Encounter"),
    }
    if code.recorded_at is not None:
        resource["recordedDate"] = instant(code.recorded_at)
    return resource | _recorder(code)


def _procedure(encounter: CodedEncounter, code: EncounterCode, system: CodeSystem) -> Resource:
    resource: Resource = {
        "resourceType": "Procedure",
        "id": _id(encounter, "Procedure", _system(code, system).uri, code.code),
        "status": "unknown" if code.verification == UNCONFIRMED else "completed",
        "code": _coded(code, system),
        "subject": _reference(encounter, "Patient"),
        "encounter": _reference(encounter, "Encounter"),
    }
    if code.performed_on is not None:
        resource["performedDateTime"] = code.performed_on.isoformat()
    return resource | _recorder(code)


def _approval(encounter: CodedEncounter, system: CodeSystem) -> Iterator[Resource]:
    """Yield who has judged the encounter and its codes good: a Provenance, which has to name them."""
    if not encounter.approved_by or encounter.approved_at is None:
        return
    codes = [code for code in encounter.codes if code.verification == CONFIRMED]
    yield {
        "resourceType": "Provenance",
        "id": _id(encounter, "Provenance"),
        "target": [
            _reference(encounter, "Encounter"),
            *(_code_reference(encounter, code, system) for code in codes),
        ],
        "recorded": instant(encounter.approved_at),
        "agent": [
            {
                "type": _concept(PARTICIPATIONS, "verifier", "Verifier"),
                "who": {"display": _plain(encounter.approved_by)},
            }
        ],
    }


def _note(encounter: CodedEncounter, note: Part, number: int) -> Resource:
    """Return a note with its text; where it has no date, none is claimed."""
    attachment: Resource = {
        "contentType": TEXT_TYPE,
        "data": b64encode(note.text.encode()).decode(),
    }
    if note.title.strip():
        attachment["title"] = _plain(note.title)
    context: Resource = {"encounter": [_reference(encounter, "Encounter")]}
    if note.date is not None:
        attachment["creation"] = note.date.isoformat()
        context["period"] = {"start": note.date.isoformat(), "end": note.date.isoformat()}
    return {
        "resourceType": "DocumentReference",
        "id": _id(encounter, "DocumentReference", str(number)),
        "status": "current",
        "type": {"text": _plain(note.kind) or "note"},
        "subject": _reference(encounter, "Patient"),
        "content": [{"attachment": attachment}],
        "context": context,
    }


# ---------------------------------------------------------------------- their parts


def _system(code: EncounterCode, system: CodeSystem) -> CodeSystem:
    return system if code.system is None else code.system


def _coded(code: EncounterCode, system: CodeSystem) -> Resource:
    system = _system(code, system)
    coding = {"system": system.uri, "version": system.version, "code": code.code}
    coding["display"] = _plain(code.display)
    stated = {name: value for name, value in coding.items() if value}
    return {"coding": [stated]} | ({"text": stated["display"]} if "display" in stated else {})


def _concept(system: str, code: str, display: str) -> Resource:
    return {"coding": [{"system": system, "code": code, "display": display}]}


def _recorder(code: EncounterCode) -> Resource:
    return {"recorder": {"display": _plain(code.recorder)}} if code.recorder.strip() else {}


def _reference(encounter: CodedEncounter, kind: str, *rest: str) -> Resource:
    return {"reference": f"urn:uuid:{_id(encounter, kind, *rest)}"}


def _code_reference(encounter: CodedEncounter, code: EncounterCode, system: CodeSystem) -> Resource:
    kind = "Procedure" if code.is_procedure else "Condition"
    return _reference(encounter, kind, _system(code, system).uri, code.code)


def _id(encounter: CodedEncounter, kind: str, *rest: str) -> str:
    """Return the same for the same thing, whenever it is exported.

    A patient who is identified in a system is the same one in all encounters.
    """
    patient = encounter.stay.patient
    if kind == "Patient" and patient is not None and is_known(encounter):
        return str(uuid5(NAMESPACE, json.dumps([kind, patient.system, patient.value])))
    return str(
        uuid5(NAMESPACE, json.dumps([encounter.origin, encounter.encounter_id, kind, *rest]))
    )


def is_known(encounter: CodedEncounter) -> bool:
    """Return whether its patient is identified in a system, and so may have other encounters."""
    return encounter.stay.patient is not None and bool(encounter.stay.patient.system)


def instant(moment: datetime) -> str:
    """Return a moment as FHIR writes it."""
    return moment.isoformat(timespec="seconds")


def _plain(text: str) -> str:
    """Return text as FHIR allows it in a string: on one line, without control characters."""
    return " ".join(without_control_characters(text).split())

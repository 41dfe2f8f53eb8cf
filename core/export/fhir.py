"""Coded encounters as FHIR R4: a Bundle of plain dictionaries, made without a FHIR library.

For each encounter: a Patient of whom nothing is known but that there is one, an Encounter, a
Condition for each diagnosis, a Procedure for each procedure, and where the text comes along, a
DocumentReference for each note. Resources point at one another by `urn:uuid` addresses, which are
the same in every export of the same encounter.

Source: HL7 FHIR R4 (4.0.1); present on admission as the extension of QI-Core (4.1.1).
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from html import escape
from typing import Any
from uuid import UUID, uuid5

from core.documents.document import Part
from core.export.tables import CONTROL_CHARACTERS

Resource = dict[str, Any]

NAMESPACE = UUID("5b0c6f5e-3d0a-5a54-9f0e-6d2f3c1a7b90")  # of the addresses, drawn once
CONFIRMED, PROVISIONAL, UNCONFIRMED = "confirmed", "provisional", "unconfirmed"
CATEGORIES = "http://terminology.hl7.org/CodeSystem/condition-category"
VERIFICATIONS = "http://terminology.hl7.org/CodeSystem/condition-ver-status"
ROLES = "http://terminology.hl7.org/CodeSystem/diagnosis-role"
UNKNOWNS = "http://terminology.hl7.org/CodeSystem/v3-NullFlavor"
ON_ADMISSION = (
    "http://hl7.org/fhir/us/qicore/StructureDefinition/qicore-encounter-diagnosisPresentOnAdmission"
)
INDICATORS = "https://www.cms.gov/Medicare/Medicare-Fee-for-Service-Payment/HospitalAcqCond/Coding"
TEXT_TYPE = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """Which code system the codes are of; `version` is "" where none is stated."""

    uri: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class EncounterCode:
    """A code of an encounter.

    Attributes:
        verification: "confirmed" on a finished encounter, "provisional" on another, "unconfirmed"
            of what came with it and nobody decided.
        present: on admission: "Y", "N", "U", "W", or "" where it is unknown.
        performed_on: of a procedure.
        recorder, recorded_at: who decided, and when.
    """

    code: str
    display: str
    is_procedure: bool = False
    verification: str = CONFIRMED
    present: str = ""
    performed_on: date | None = None
    recorder: str = ""
    recorded_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class CodedEncounter:
    """An encounter with its codes in their order, the principal diagnosis first.

    Attributes:
        notes: its text; None where it is left out.
        origin: what separates it from encounters of other databases with the same id, and is the
            same in every export.
    """

    encounter_id: str
    title: str
    codes: Sequence[EncounterCode]
    notes: Sequence[Part] | None = None
    origin: str = ""


def write(
    encounters: Iterable[CodedEncounter], system: CodeSystem, *, made_at: datetime
) -> Iterator[bytes]:
    """Yield a FHIR JSON file, a resource at a time.

    It is a Bundle of the type "collection"; empty where there is no encounter.

    Args:
        made_at: with its time zone.
    """
    head = {"resourceType": "Bundle", "type": "collection", "timestamp": _instant(made_at)}
    yield _indented(head).removesuffix("\n}").encode()
    before = ',\n "entry": [\n  '
    end = "\n}\n"
    for encounter in encounters:
        for resource in resources(encounter, system):
            entry = _indented({"fullUrl": f"urn:uuid:{resource['id']}", "resource": resource})
            yield (before + entry.replace("\n", "\n  ")).encode()  # in strings, they are escaped
            before, end = ",\n  ", "\n ]\n}\n"
    yield end.encode()


def _indented(content: Resource) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1)


def resources(encounter: CodedEncounter, system: CodeSystem) -> list[Resource]:
    """Patient and Encounter, then the codes in their order, then the notes."""
    return [
        {"resourceType": "Patient", "id": _id(encounter, "Patient")},
        _encounter(encounter, system),
        *(
            _procedure(encounter, code, system)
            if code.is_procedure
            else _condition(encounter, code, system)
            for code in encounter.codes
        ),
        *(
            _note(encounter, note, number)
            for number, note in enumerate(encounter.notes or (), start=1)
            if note.text.strip()
        ),
    ]


# ---------------------------------------------------------------------- resources


def _encounter(encounter: CodedEncounter, system: CodeSystem) -> Resource:
    """Return what Strata does not know of it, its status and class, is stated as unknown."""
    diagnoses = [code for code in encounter.codes if not code.is_procedure]
    title = escape(_plain(encounter.title or encounter.encounter_id))
    resource: Resource = {
        "resourceType": "Encounter",
        "id": _id(encounter, "Encounter"),
        "text": {
            "status": "generated",
            "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{title}</p></div>',
        },
        "identifier": [{"value": _plain(encounter.encounter_id)}],
        "status": "unknown",
        "class": {"system": UNKNOWNS, "code": "UNK", "display": "unknown"},
        "subject": _reference(encounter, "Patient"),
    }
    if diagnoses:
        resource["diagnosis"] = [
            _diagnosis(encounter, code, rank, system)
            for rank, code in enumerate(diagnoses, start=1)
        ]
    return resource


def _diagnosis(
    encounter: CodedEncounter, code: EncounterCode, rank: int, system: CodeSystem
) -> Resource:
    """Its place among the diagnoses, and whether it was there when the patient came."""
    listed: Resource = {
        "condition": _reference(encounter, "Condition", system.uri, code.code),
        "use": _concept(ROLES, "billing", "Billing"),
        "rank": rank,
    }
    if code.present:
        present = {"coding": [{"system": INDICATORS, "code": code.present}]}
        listed["extension"] = [{"url": ON_ADMISSION, "valueCodeableConcept": present}]
    return listed


def _condition(encounter: CodedEncounter, code: EncounterCode, system: CodeSystem) -> Resource:
    resource: Resource = {
        "resourceType": "Condition",
        "id": _id(encounter, "Condition", system.uri, code.code),
        "verificationStatus": {
            "coding": [{"system": VERIFICATIONS, "code": code.verification}],
        },
        "category": [_concept(CATEGORIES, "encounter-diagnosis", "Encounter Diagnosis")],
        "code": _coded(code, system),
        "subject": _reference(encounter, "Patient"),
        "encounter": _reference(encounter, "Encounter"),
    }
    if code.recorded_at is not None:
        resource["recordedDate"] = _instant(code.recorded_at)
    return resource | _recorder(code)


def _procedure(encounter: CodedEncounter, code: EncounterCode, system: CodeSystem) -> Resource:
    resource: Resource = {
        "resourceType": "Procedure",
        "id": _id(encounter, "Procedure", system.uri, code.code),
        "status": "unknown" if code.verification == UNCONFIRMED else "completed",
        "code": _coded(code, system),
        "subject": _reference(encounter, "Patient"),
        "encounter": _reference(encounter, "Encounter"),
    }
    if code.performed_on is not None:
        resource["performedDateTime"] = code.performed_on.isoformat()
    return resource | _recorder(code)


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


def _coded(code: EncounterCode, system: CodeSystem) -> Resource:
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


def _id(encounter: CodedEncounter, kind: str, *rest: str) -> str:
    """Return the same for the same thing, whenever it is exported."""
    return str(
        uuid5(NAMESPACE, json.dumps([encounter.origin, encounter.encounter_id, kind, *rest]))
    )


def _instant(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _plain(text: str) -> str:
    """Return text as FHIR allows it in a string: on one line, without control characters."""
    return " ".join(CONTROL_CHARACTERS.sub("", text).split())
